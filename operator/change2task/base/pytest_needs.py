"""Plugins without which pytest would refuse a project's own configuration.

It exists because an option in ``addopts`` that no plugin knows ends pytest before it collects anything, and because
projects often name such plugins nowhere but in their CI files.
"""

from __future__ import annotations

import re
import shlex

from change2task.base.project import ProjectFiles

_OPTIONS = {
    "--cov": "pytest-cov", "--no-cov": "pytest-cov", "-n": "pytest-xdist", "--numprocesses": "pytest-xdist",
    "--dist": "pytest-xdist", "--timeout": "pytest-timeout", "--mypy": "pytest-mypy", "--flake8": "pytest-flake8",
    "--benchmark": "pytest-benchmark", "--reruns": "pytest-rerunfailures", "--randomly": "pytest-randomly",
    "--ds": "pytest-django", "--nomigrations": "pytest-django", "--reuse-db": "pytest-django",
    "--asyncio-mode": "pytest-asyncio", "--black": "pytest-black", "--isort": "pytest-isort",
    "--socket": "pytest-socket", "--disable-socket": "pytest-socket", "--html": "pytest-html",
    "--snapshot": "syrupy", "--hypothesis": "hypothesis", "--instafail": "pytest-instafail",
    "--pylint": "pytest-pylint", "--ruff": "pytest-ruff", "--checkdocs": "pytest-checkdocs",
    "--doctest-plus": "pytest-doctestplus", "--mpl": "pytest-mpl", "--black-multipro": "pytest-black-multipy",
    "--codspeed": "pytest-codspeed", "--memray": "pytest-memray", "--nbval": "nbval",
}  # fmt: skip
_CHORES = re.compile(
    r"_?(?:bench(?:marks?|marking)?|perf(?:ormance)?|docs?|documentation|examples?|samples?|demos?|scripts?|tools?|"
    r"ci|profiling|tutorials?|contrib)",
    re.I,
)
_SETTINGS = {
    "asyncio_mode": "pytest-asyncio", "asyncio_default_fixture_loop_scope": "pytest-asyncio",
    "timeout": "pytest-timeout", "timeout_method": "pytest-timeout", "django_settings_module": "pytest-django",
    "mypy_plugin_ini": "pytest-mypy-plugins", "env": "pytest-env", "trio_mode": "pytest-trio",
    "qt_api": "pytest-qt",
}  # fmt: skip


def plugins(files: ProjectFiles) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Requirements that pytest's configuration implies, and a sentence for each. Raises UnreadableFile."""
    found: dict[str, str] = {}
    for source, settings in _configurations(files):
        for name in settings:
            if name.lower() in _SETTINGS:
                found.setdefault(_SETTINGS[name.lower()], f"{source} sets {name}")
        for word in _words(settings.get("addopts", "")):
            option = word.partition("=")[0]
            for known, plugin in _OPTIONS.items():
                if option == known or (known.startswith("--") and option.startswith(known + "-")):
                    found.setdefault(plugin, f"{source} passes {option}")
            if word.startswith("-n") and word[2:].isdigit():
                found.setdefault("pytest-xdist", f"{source} passes {word}")
        for requirement in _words(settings.get("required_plugins", "")):
            found.setdefault(requirement, f"{source} requires the plugin {requirement}")
    return tuple(found), tuple(f"{why}: {plugin} is installed" for plugin, why in found.items())


def folders(files: ProjectFiles) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The test folder to name on the command line, if pytest would otherwise trip over folders of chores.

    Only where the configuration names no ``testpaths``, one folder at the root holds all tests, and what else pytest
    would load lies in folders for benchmarks, documents or examples. With a sentence for it. Raises UnreadableFile.
    """
    if any("testpaths" in settings for _, settings in _configurations(files)):
        return (), ()
    loaded = files.matching(r"(?:.*/)?(?:test_[^/]*|[^/]*_test|conftest)\.py")
    roots = {name.partition("/")[0] for name in loaded if "/" in name}
    homes = sorted(roots & {"tests", "test", "testing"})
    chores = sorted(root for root in roots if _CHORES.fullmatch(root))
    alone = len(homes) == 1 and bool(chores) and roots == {*homes, *chores}
    if not alone or any("/" not in name and name != "conftest.py" for name in loaded):
        return (), ()
    return tuple(homes), (f"tests are run from {homes[0]}/ only: {', '.join(chores)} would be loaded as well",)


def _configurations(files: ProjectFiles) -> list[tuple[str, dict[str, object]]]:
    """The one configuration pytest would read, as pytest picks it at the root."""
    for name in ("pytest.ini", ".pytest.ini"):
        if name in files.names:
            parser = files.ini(name)
            return [(name, dict(parser["pytest"]))] if parser.has_section("pytest") else []
    tool = files.toml("pyproject.toml").get("tool", {})
    settings = tool.get("pytest", {}) if isinstance(tool, dict) else {}
    if isinstance(settings, dict) and settings:
        nested = settings.get("ini_options")
        return [("pyproject.toml", nested if isinstance(nested, dict) else settings)]
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        parser = files.ini(name)
        if parser.has_section(section):
            return [(name, dict(parser[section]))]
    return []


def _words(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    try:
        return shlex.split(str(value), comments=True)
    except ValueError:
        return str(value).split()
