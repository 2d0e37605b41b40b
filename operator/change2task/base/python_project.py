"""What a Python project's own files say of it: name, interpreters, extras, groups, dependencies, build backend.

It exists so that choosing (``infer_python``) is apart from reading four generations of packaging files. Nothing is
run: ``setup.py`` is read as a syntax tree, and what it computes is reported as unknown rather than guessed.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from packaging.utils import canonicalize_name
from pydantic import Field

from change2task.api.model import Model
from change2task.base import poetry
from change2task.base.project import ProjectFiles


class PythonProject(Model):
    """A project as its files describe it. Requirement strings are PEP 508; group and extra names as written.

    ``groups`` are those an installer knows by name (PEP 735); ``foreign_groups`` those of other tools, spelt out.
    """

    name: str | None = None
    installable: bool = False
    version_tools: tuple[str, ...] = ()
    requires_python: str = ""
    minors: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    foreign_groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    test_requires: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read(files: ProjectFiles) -> PythonProject:
    """Read pyproject.toml (PEP 621, PEP 735, Poetry, PDM, Hatch, uv), setup.cfg and setup.py, in this order of trust.

    Raises UnreadableFile.
    """
    pyproject = files.toml("pyproject.toml")
    cfg = files.ini("setup.cfg")
    script, unknown = _setup_call(files.text("setup.py"))
    project: dict[str, Any] = _table(pyproject, "project")
    tool: dict[str, Any] = _table(pyproject, "tool")
    build: dict[str, Any] = _table(pyproject, "build-system")
    metadata = dict(cfg["metadata"]) if cfg.has_section("metadata") else {}
    options = dict(cfg["options"]) if cfg.has_section("options") else {}
    poet = _table(tool, "poetry")
    classifiers = _first(
        project.get("classifiers"),
        _lines(metadata.get("classifiers", "")),
        script.get("classifiers"),
        poet.get("classifiers"),
    )
    requires = (
        *_strings(build.get("requires")),
        *_strings(script.get("setup_requires")),
        *_lines(options.get("setup_requires", "")),
    )
    extras_cfg = tuple(cfg["options.extras_require"]) if cfg.has_section("options.extras_require") else ()
    return PythonProject(
        name=_first(project.get("name"), metadata.get("name"), script.get("name"), poet.get("name")) or None,
        installable=bool(build or project or poet or metadata or options or "setup.py" in files.names),
        version_tools=_version_tools(tool, script, metadata, cfg.sections(), requires),
        requires_python=str(
            _first(
                project.get("requires-python"),
                options.get("python_requires"),
                script.get("python_requires"),
                poetry.specifier(_table(poet, "dependencies").get("python", "")),
            )
            or ""
        ),
        minors=_minors(_strings(classifiers)),
        extras=tuple(
            sorted(
                {
                    *_table(project, "optional-dependencies"),
                    *extras_cfg,
                    *_dict(script.get("extras_require")),
                    *_table(poet, "extras"),
                }
            )
        ),
        groups=tuple(sorted(_table(pyproject, "dependency-groups"))),
        foreign_groups=_foreign_groups(tool),
        test_requires=(*_strings(script.get("tests_require")), *_lines(options.get("tests_require", ""))),
        unknown=unknown,
    )


def _foreign_groups(tool: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, wanted in poetry.groups(_table(tool, "poetry")).items():
        found[f"poetry group {name}"] = wanted
    for name, wanted in _table(_table(tool, "pdm"), "dev-dependencies").items():
        found[f"pdm group {name}"] = tuple(w for w in _strings(wanted) if not w.startswith("-e"))
    for name, environment in _table(_table(tool, "hatch"), "envs").items():
        wanted = (
            *_strings(_dict(environment).get("dependencies")),
            *_strings(_dict(environment).get("extra-dependencies")),
        )
        if wanted and not any("{" in requirement for requirement in wanted):
            found[f"hatch environment {name}"] = wanted
    if dev := _strings(_table(tool, "uv").get("dev-dependencies")):
        found["uv group dev"] = dev
    return found


_VERSION_PACKAGES = frozenset(
    {"setuptools-scm", "hatch-vcs", "versioningit", "pbr", "poetry-dynamic-versioning", "uv-dynamic-versioning",
     "setuptools-git-versioning"}
)  # fmt: skip
_VERSION_TABLES = {
    "setuptools_scm": "setuptools-scm",
    "setuptools-scm": "setuptools-scm",
    "vcs-versioning": "setuptools-scm",
    "versioningit": "versioningit",
    "poetry-dynamic-versioning": "poetry-dynamic-versioning",
    "uv-dynamic-versioning": "uv-dynamic-versioning",
    "setuptools-git-versioning": "setuptools-git-versioning",
    "dunamai": "dunamai",
}


def _version_tools(
    tool: dict[str, Any], script: dict[str, Any], metadata: dict[str, str], sections: list[str],
    requires: tuple[str, ...],
) -> tuple[str, ...]:  # fmt: skip
    found = {known for table, known in _VERSION_TABLES.items() if table in tool}
    # What a build requires it for is the version; Poetry's and Hatch's own plugins say so in their tables as well.
    packages = {canonicalize_name(match[0]) for text in requires if (match := re.match(r"[\w.-]+", text))}
    found |= packages & _VERSION_PACKAGES
    source = str(_table(_table(tool, "hatch"), "version").get("source", ""))
    if source in {"vcs", "versioningit", "uv-dynamic-versioning"}:
        found.add({"vcs": "hatch-vcs"}.get(source, source))
    if str(_table(_table(tool, "pdm"), "version").get("source", "")) == "scm":
        found.add("pdm-backend")
    if script.get("use_scm_version") or "setuptools_scm" in metadata.get("version", ""):
        found.add("setuptools-scm")
    if script.get("pbr") or "pbr" in sections:
        found.add("pbr")
    return tuple(sorted(found))


def _minors(classifiers: tuple[str, ...]) -> tuple[str, ...]:
    prefix = "Programming Language :: Python :: "
    named = {text.removeprefix(prefix).strip() for text in classifiers if text.startswith(prefix)}
    minors = {name for name in named if name.count(".") == 1 and name.replace(".", "").isdigit()}
    return tuple(sorted(minors, key=lambda minor: tuple(map(int, minor.split(".")))))


def _setup_call(source: str | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Keywords of the ``setup()`` call as far as they are constants; and a sentence for each that is not."""
    if source is None:
        return {}, ()
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}, ("setup.py is no Python 3 that can be read without running it",)
    constants: dict[str, Any] = {}
    found: dict[str, Any] = {}
    unknown: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = _constant(node.value, constants)
            if value is not None:
                constants.setdefault(node.targets[0].id, value)
    for node in ast.walk(module):
        if not (isinstance(node, ast.Call) and _called(node) == "setup"):
            continue
        for keyword in node.keywords:
            if keyword.arg is None:
                continue
            if keyword.arg == "use_scm_version":
                found[keyword.arg] = True
                continue
            value = _constant(keyword.value, constants)
            if value is not None:
                found.setdefault(keyword.arg, value)
            elif keyword.arg in {"extras_require", "python_requires", "tests_require"}:
                unknown.append(f"setup.py computes {keyword.arg}, which is not known without running it")
    return found, tuple(unknown)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _constant(node: ast.expr, known: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Dict):
        # Names of extras matter more than their contents: a computed value keeps its key.
        return {
            key.value: _constant(value, known)
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if isinstance(node, ast.List | ast.Tuple):
        return [value for value in (_constant(item, known) for item in node.elts) if value is not None]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _constant(node.left, known), _constant(node.right, known)
        return left + right if type(left) is type(right) and isinstance(left, str | list) else None
    return node.value if isinstance(node, ast.Constant) else None


def _first(*values: Any) -> Any:
    return next((value for value in values if value), None)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _table(parent: dict[str, Any], name: str) -> dict[str, Any]:
    return _dict(parent.get(name))


def _strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))
