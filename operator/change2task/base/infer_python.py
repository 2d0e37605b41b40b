"""How a plain Python project is installed for its tests, read off its files.

It exists so that a manifest need not say what the repository says already. Everything found that could be test
dependencies is used or named in the evidence with the reason why not; nothing is silently ignored. Whether the
choice works is found out by building, with poorer fallbacks in order.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement

from change2task.base import pytest_needs, python_project, scm_version
from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles
from change2task.base.python_project import PythonProject

_PLAIN_TEST = re.compile(r"(?:unit)?[-_]?tests?(?:ing)?|pytest|hatch-test|(?:dev|ci)[-_]tests?", re.I)
_TEST = re.compile(r"(?:unit)?[-_]?tests?(?:ing)?(?:[-_].*)?|.*[-_](?:unit)?tests?(?:ing)?|pytest|hatch-test", re.I)
_DEV = re.compile(r"dev|devel|develop|development|developer|contrib|ci", re.I)
_CHORE = re.compile(
    r"(?:.*[-_])?(?:docs?|documentation|sphinx|mkdocs|lint(?:ers?|ing)?|style|format(?:ting)?|types?|typing|mypy|"
    r"pyright|check(?:er|ers|s)?|pre[-_]?commit|rtd|readthedocs|release|publish|build|bench(?:marks?|marking)?|"
    r"profil(?:e|ing)|cov(?:er|erage)?|tox|nox|towncrier|changelog|enabler|tutorials?|examples?)(?:[-_].*)?",
    re.I,
)
_SUM = re.compile(r"all|full|complete|everything", re.I)
_TEST_FILES = (
    r"(?:[^/]*[-_.])?tests?(?:ing)?(?:[-_.][^/]*)?[-_.]requirements\.(?:txt|in)",
    r"requirements[-_.](?:[^/]*[-_.])?tests?(?:ing)?(?:[-_.][^/]*)?\.(?:txt|in)",
    r"(?:requirements|reqs|deps)/(?:[^/]*[-_.])?tests?(?:ing)?(?:[-_.][^/]*)?\.(?:txt|in)",
    r"(?:tests?|testing)/(?:[^/]*)requirements(?:[^/]*)\.(?:txt|in)",
)
_DEV_FILES = (
    r"(?:dev|develop|development|ci)[-_.]requirements\.(?:txt|in)",
    r"requirements[-_.](?:dev|devel|develop|development|ci)\.(?:txt|in)",
    r"(?:requirements|reqs|deps)/(?:dev|devel|develop|development|ci)\.(?:txt|in)",
)
_ROOT_FILES = (r"requirements\.(?:txt|in)", r"(?:requirements|reqs)/(?:base|main|requirements|common)\.(?:txt|in)")


def describes(files: ProjectFiles) -> bool:
    """Whether these files are a Python project at all."""
    return bool(
        {"pyproject.toml", "setup.py", "setup.cfg"} & files.names
        or files.matching(_ROOT_FILES[0])
        or files.matching(r"(?:tests?/)?(?:test_[^/]*|[^/]*_test)\.py")
    )


def infer(files: ProjectFiles, version: str | None, *, uses_pytest: bool) -> InferredSetup | None:
    """Install steps for the project and its tests; None where nothing says it is a Python project.

    ``version`` is what the nearest tag makes of the revision. Raises UnreadableFile.
    """
    if not describes(files):
        return None
    project = python_project.read(files)
    choice = _Choice(files, project)
    plugins, plugin_evidence = pytest_needs.plugins(files) if uses_pytest else ((), ())
    runner = (*(("pytest",) if uses_pytest else ()), *plugins)
    arguments, folder_evidence = pytest_needs.folders(files) if uses_pytest else ((), ())
    before, env, version_evidence = _version(project, version)
    ways = _ways(choice, before, runner)
    poorer = [InferredSetup(setup=steps, note=note) for steps, note in ways[1:] if steps != ways[0][0]]
    return InferredSetup(
        setup=ways[0][0],
        env=env,
        specifier=project.requires_python,
        listed=project.minors,
        arguments=arguments,
        evidence=(*choice.evidence, *plugin_evidence, *folder_evidence, *version_evidence, *project.unknown),
        note=ways[0][1],
        fallbacks=tuple(poorer),
    )


class _Choice:
    """Which extras, groups, files and requirements are used, with a sentence for each one that is there."""

    def __init__(self, files: ProjectFiles, project: PythonProject) -> None:
        self.project = project
        self.evidence: list[str] = []
        extras, groups, foreign = project.extras, project.groups, project.foreign_groups
        test_files, dev_files = _any(files, _TEST_FILES), _any(files, _DEV_FILES)
        test_extras = _plainest(extras)
        test_groups = _plainest(groups)
        test_foreign = _plainest(foreign)
        tox = _tox_requirements(files)
        said = bool(test_extras or test_groups or test_foreign or test_files)
        self.test_extras = test_extras if said else [name for name in extras if _DEV.fullmatch(name)]
        self.groups = test_groups if said else [name for name in groups if _DEV.fullmatch(name)]
        foreign_names = (
            test_foreign
            if said
            else [name for name in foreign if _DEV.fullmatch(name.split()[-1]) or name == "hatch environment default"]
        )
        self.files = list(test_files if said else dev_files)
        self.features = [
            name for name in extras if not any(kind.fullmatch(name) for kind in (_TEST, _DEV, _CHORE, _SUM))
        ]
        root_files = _any(files, _ROOT_FILES)
        nothing = not (said or self.test_extras or self.groups or foreign_names or self.files)
        if nothing or not project.installable:
            self.files += root_files
        self.foreign = [requirement for name in foreign_names for requirement in _valid(foreign[name])]
        self.tox = list(_valid(tox))
        self.test_requires = list(_valid(project.test_requires))
        self._explain("extra", extras, {*self.test_extras, *self.features})
        self._explain("dependency group", groups, set(self.groups))
        self._explain("", foreign, set(foreign_names))
        self._explain("requirements file", (*test_files, *dev_files, *root_files), set(self.files))
        if self.tox:
            self.evidence.append(f"tox.ini [testenv] names {', '.join(self.tox)}: used")
        if self.test_requires:
            self.evidence.append(f"tests_require names {', '.join(self.test_requires)}: used")
        if files.matching("noxfile.py"):
            self.evidence.append("noxfile.py is code and was not read; spec.environment.setup can say what it installs")

    def _explain(self, kind: str, names: object, used: set[str]) -> None:
        for name in names if isinstance(names, tuple | dict) else ():
            label = f"{kind} {name}".strip()
            if name in used:
                self.evidence.append(f"{label}: used")
            elif _SUM.fullmatch(name):
                self.evidence.append(f"{label}: not used, it sums up the others")
            elif _CHORE.fullmatch(name.split()[-1]):
                self.evidence.append(f"{label}: not used, it serves chores other than tests")
            elif kind == "requirements file":
                self.evidence.append(f"{label}: not used, test dependencies are named elsewhere")
            else:
                self.evidence.append(f"{label}: not used, others are named for tests")


def _plainest(names: Iterable[str]) -> list[str]:
    """Names that mean tests; where some say just that, those with more to say (tests-random, tests-mypy) are not."""
    every = list(names)
    plain = [name for name in every if _PLAIN_TEST.fullmatch(name.split()[-1])]
    return plain or [name for name in every if _TEST.fullmatch(name.split()[-1])]


def _ways(choice: _Choice, before: tuple[str, ...], runner: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
    extra = [*choice.foreign, *choice.test_requires]
    everything = _install(choice, [*choice.test_extras, *choice.features], choice.files, [*extra, *choice.tox], runner)
    ways = [((*before, everything), "with every extra that is no chore")]
    if choice.features or choice.tox:
        plain = _install(choice, choice.test_extras, choice.files, extra, runner)
        ways.append(((*before, plain), f"without {', '.join([*choice.features, *choice.tox])}"))
    if choice.files and (choice.test_extras or choice.groups):
        ways.append(((*before, _install(choice, choice.test_extras, [], extra, runner)), "without requirements files"))
    return ways


def _install(
    choice: _Choice, extras: list[str], files: list[str], requirements: list[str], runner: tuple[str, ...]
) -> str:
    words = ["uv", "pip", "install"]
    if choice.project.installable:
        words += ["-e", f".[{','.join(extras)}]" if extras else "."]
    for group in choice.groups:
        words += ["--group", group]
    for name in files:
        words += ["-r", name]
    return shlex.join([*words, *dict.fromkeys((*requirements, *runner))])


def _version(project: PythonProject, version: str | None) -> tuple[tuple[str, ...], dict[str, str], tuple[str, ...]]:
    tools = project.version_tools
    if not tools:
        return (), {}, ()
    value = version or scm_version.NO_TAG
    env = scm_version.pretending(tools, project.name, value)
    evidence = [f"{', '.join(tools)} would ask git for the version; told {value}"]
    steps: tuple[str, ...] = ()
    if set(tools) & scm_version.WITHOUT_VARIABLE:
        content = f"Metadata-Version: 2.1\\nName: {project.name or 'unknown'}\\nVersion: {value}\\n"
        steps = (f"test -e PKG-INFO || printf {shlex.quote(content)} > PKG-INFO",)
        evidence.append("the version is told by a PKG-INFO file, since the tool heeds no variable")
    return steps, env, tuple(evidence)


def _any(files: ProjectFiles, patterns: tuple[str, ...]) -> tuple[str, ...]:
    found = sorted({name for pattern in patterns for name in files.matching(pattern)})
    # A compiled .txt and its .in name the same packages, the .txt with their versions.
    return tuple(n for n in found if not (n.endswith(".in") and n.removesuffix(".in") + ".txt" in found))


def _tox_requirements(files: ProjectFiles) -> tuple[str, ...]:
    tox = files.ini("tox.ini")
    if not tox.has_section("testenv"):
        return ()
    lines = (line.strip() for line in tox["testenv"].get("deps", "").splitlines())
    return tuple(line.split(" #")[0].strip() for line in lines if line and not line.startswith(("#", "-", ".")))


def _valid(requirements: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for text in requirements:
        try:
            parsed = Requirement(text)
        except InvalidRequirement:
            continue
        if parsed.url is None:
            kept.append(text)
    return tuple(kept)
