"""How a Python project's own files become an install command, and what is said about each choice."""

from __future__ import annotations

import textwrap

import pytest

from change2task.base.infer_python import infer
from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles, UnreadableFile

BUILD = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'


def inferred(version: str | None = None, /, **files: str) -> InferredSetup:
    named = {_name(key): textwrap.dedent(text) for key, text in files.items()}
    found = infer(ProjectFiles.of(named), version, uses_pytest=True)
    assert found is not None
    return found


def _name(key: str) -> str:
    return {
        "pyproject": "pyproject.toml",
        "setup_py": "setup.py",
        "setup_cfg": "setup.cfg",
        "tox": "tox.ini",
    }.get(key, key)


def project(extras: str = "", groups: str = "", more: str = "") -> str:
    return (
        f'{BUILD}[project]\nname = "p"\nversion = "1"\n[project.optional-dependencies]\n{extras}\n'
        f"[dependency-groups]\n{groups}\n{more}"
    )


@pytest.mark.parametrize(
    ("extras", "groups", "command"),
    [
        ("", "", "uv pip install -e . pytest"),
        ('test = ["a"]', "", "uv pip install -e '.[test]' pytest"),
        ('tests = ["a"]\ndev = ["b"]\ndocs = ["c"]', "", "uv pip install -e '.[tests]' pytest"),
        ('testing = ["a"]', "", "uv pip install -e '.[testing]' pytest"),
        ('dev = ["a"]\ndocs = ["b"]', "", "uv pip install -e '.[dev]' pytest"),
        ("", 'tests = ["a"]\ntests-random = ["b"]\ntyping = ["c"]', "uv pip install -e . --group tests pytest"),
        ("", 'testing = ["a"]\ndev = ["b"]', "uv pip install -e . --group testing pytest"),
        ("", 'dev = ["a"]\nlint = ["b"]', "uv pip install -e . --group dev pytest"),
        ('socks = ["a"]', 'test = ["b"]', "uv pip install -e '.[socks]' --group test pytest"),
        ('tests-mypy = ["a"]', "", "uv pip install -e '.[tests-mypy]' pytest"),
        ('all = ["a"]\ncli = ["b"]', "", "uv pip install -e '.[cli]' pytest"),
    ],
)
def test_test_extras_and_groups_are_used_development_ones_where_there_are_none(
    extras: str, groups: str, command: str
) -> None:
    assert inferred(pyproject=project(extras, groups)).setup == (command,)


def test_every_extra_and_group_is_named_in_the_evidence_with_the_reason() -> None:
    found = inferred(pyproject=project('tests = ["a"]\ndocs = ["b"]\ncli = ["c"]\nall = ["d"]', 'dev = ["e"]'))
    assert found.evidence == (
        "extra all: not used, it sums up the others",
        "extra cli: used",
        "extra docs: not used, it serves chores other than tests",
        "extra tests: used",
        "dependency group dev: not used, others are named for tests",
    )


def test_extras_of_features_are_given_up_first_when_setup_fails() -> None:
    found = inferred(pyproject=project('tests = ["a"]\nsocks = ["b"]'))
    assert found.setup == ("uv pip install -e '.[tests,socks]' pytest",)
    assert [one.setup for one in found.fallbacks] == [("uv pip install -e '.[tests]' pytest",)]
    assert found.fallbacks[0].note == "without socks"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"requirements/tests.txt": "a", "requirements/tests.in": "a"}, "-r requirements/tests.txt"),
        ({"requirements-test.txt": "a"}, "-r requirements-test.txt"),
        ({"test-requirements.txt": "a"}, "-r test-requirements.txt"),
        ({"tests/requirements.txt": "a"}, "-r tests/requirements.txt"),
        ({"requirements-dev.txt": "a"}, "-r requirements-dev.txt"),
        ({"dev-requirements.txt": "a"}, "-r dev-requirements.txt"),
        ({"requirements/dev.txt": "a", "requirements/docs.txt": "b"}, "-r requirements/dev.txt"),
        ({"requirements.txt": "a"}, "-r requirements.txt"),
        ({"requirements-test.txt": "a", "requirements-dev.txt": "b"}, "-r requirements-test.txt"),
    ],
)
def test_requirements_files_for_tests_then_for_development_then_the_plain_one(
    files: dict[str, str], words: str
) -> None:
    assert inferred(pyproject=f'{BUILD}[project]\nname = "p"\n', **files).setup == (
        f"uv pip install -e . {words} pytest",
    )


def test_a_project_that_cannot_be_installed_gets_its_requirements_and_no_editable_install() -> None:
    found = inferred(**{"requirements.txt": "a", "requirements-test.txt": "b", "app.py": ""})
    assert found.setup == ("uv pip install -r requirements-test.txt -r requirements.txt pytest",)


def test_setup_py_is_read_as_syntax_and_what_it_computes_is_said() -> None:
    found = inferred(
        setup_py="""
        from setuptools import setup
        TESTS = ["a"]
        extras = {"tests": TESTS, "docs": ["b"]}
        setup(name="p", extras_require=extras, python_requires=">=3.7", tests_require=open("x").read().split())
        """
    )
    assert found.setup == ("uv pip install -e '.[tests]' pytest",)
    assert found.specifier == ">=3.7"
    assert "setup.py computes tests_require, which is not known without running it" in found.evidence


def test_setup_cfg_gives_extras_interpreters_and_minors() -> None:
    found = inferred(
        setup_cfg="""
        [metadata]
        name = p
        classifiers =
            Programming Language :: Python :: 3
            Programming Language :: Python :: 3.10
            Programming Language :: Python :: 3.9
        [options]
        python_requires = >=3.9
        [options.extras_require]
        testing = pytest
        """
    )
    assert found.setup == ("uv pip install -e '.[testing]' pytest",)
    assert (found.specifier, found.listed) == (">=3.9", ("3.9", "3.10"))


def test_poetry_groups_are_spelt_out_in_words_every_installer_knows() -> None:
    found = inferred(
        pyproject="""
        [build-system]
        requires = ["poetry-core"]
        build-backend = "poetry.core.masonry.api"
        [tool.poetry]
        name = "p"
        [tool.poetry.dependencies]
        python = "^3.8"
        [tool.poetry.group.test.dependencies]
        pytest = "^7.1"
        mock = {version = "~4.0", extras = ["x"], python = "<3.9"}
        own = {path = "../own"}
        [tool.poetry.group.docs.dependencies]
        sphinx = "*"
        """
    )
    assert found.setup == (
        "uv pip install -e . 'pytest>=7.1,<8' 'mock[x]>=4.0,<4.1; (python_version < '\"'\"'3.9'\"'\"')' pytest",
    )
    assert found.specifier == ">=3.8,<4"
    assert "poetry group docs: not used, it serves chores other than tests" in found.evidence


@pytest.mark.parametrize(
    ("tables", "requirement"),
    [
        ('[tool.pdm.dev-dependencies]\ntest = ["mock"]', "mock"),
        ('[tool.hatch.envs.test]\ndependencies = ["mock"]', "mock"),
        ('[tool.hatch.envs.default]\ndependencies = ["mock"]', "mock"),
        ('[tool.uv]\ndev-dependencies = ["mock"]', "mock"),
        ('[tool.poetry.dev-dependencies]\nmock = "*"', "mock"),
    ],
)
def test_other_tools_groups_are_read_too(tables: str, requirement: str) -> None:
    assert requirement in inferred(pyproject=f'{BUILD}[project]\nname = "p"\n{tables}\n').setup[0].split()


def test_what_tox_installs_for_every_environment_is_used_and_given_up_on_failure() -> None:
    found = inferred(
        pyproject=f'{BUILD}[project]\nname = "p"\n', tox="[testenv]\ndeps =\n  mock>=2\n  -r reqs.txt\n  py38: old\n"
    )
    assert found.setup == ("uv pip install -e . 'mock>=2' pytest",)
    assert found.fallbacks[0].setup == ("uv pip install -e . pytest",)


@pytest.mark.parametrize(
    ("options", "plugin"),
    [
        ('addopts = "-ra --cov=p --cov-report=term"', "pytest-cov"),
        ('addopts = ["-n", "4"]', "pytest-xdist"),
        ('addopts = "-n4"', "pytest-xdist"),
        ('asyncio_mode = "auto"', "pytest-asyncio"),
        ("timeout = 5", "pytest-timeout"),
        ('required_plugins = "pytest-socket>=0.5"', "pytest-socket>=0.5"),
    ],
)
def test_plugins_without_which_pytest_refuses_the_configuration_are_installed(options: str, plugin: str) -> None:
    found = inferred(pyproject=f'{BUILD}[project]\nname = "p"\n[tool.pytest.ini_options]\n{options}\n')
    assert plugin in found.setup[0].replace("'", "").split()
    assert any(plugin in sentence for sentence in found.evidence)


@pytest.mark.parametrize(
    ("table", "variable"),
    [
        ("[tool.setuptools_scm]\n", "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_MY_P"),
        ('[tool.hatch.version]\nsource = "vcs"\n', "SETUPTOOLS_SCM_PRETEND_VERSION"),
        ('[tool.pdm.version]\nsource = "scm"\n', "PDM_BUILD_SCM_VERSION"),
        ("[tool.poetry-dynamic-versioning]\nenable = true\n", "POETRY_DYNAMIC_VERSIONING_BYPASS"),
    ],
)
def test_tools_that_ask_git_for_the_version_are_told_it(table: str, variable: str) -> None:
    found = inferred("1.2.dev3", pyproject=f'{BUILD}[project]\nname = "my.p"\ndynamic = ["version"]\n{table}')
    assert found.env[variable] == "1.2.dev3"


def test_a_version_tool_in_build_requirements_alone_is_noticed() -> None:
    found = inferred("2.0", pyproject='[build-system]\nrequires = ["setuptools", "setuptools_scm[toml]>=6"]\n'
                     '[project]\nname = "p"\n')  # fmt: skip
    assert found.env == {"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_P": "2.0"}


def test_a_tool_that_heeds_no_variable_finds_the_version_in_pkg_info() -> None:
    found = inferred("2.0", pyproject=f'{BUILD}[project]\nname = "p"\n[tool.versioningit]\n')
    assert found.setup[0].startswith("test -e PKG-INFO || printf ")
    assert "Version: 2.0" in found.setup[0]


def test_files_that_are_no_python_project_give_no_recipe() -> None:
    assert infer(ProjectFiles.of({"main.c": "", "Makefile": ""}), None, uses_pytest=True) is None


def test_a_broken_pyproject_is_named_with_the_line() -> None:
    with pytest.raises(UnreadableFile, match=r"pyproject\.toml cannot be parsed: .*line 1"):
        inferred(pyproject="[project\n")


def test_setup_py_that_is_no_python_3_is_still_installed() -> None:
    found = inferred(setup_py="print 'hello'\nfrom distutils.core import setup\nsetup()\n")
    assert found.setup == ("uv pip install -e . pytest",)
    assert "setup.py is no Python 3 that can be read without running it" in found.evidence


@pytest.mark.parametrize(
    ("names", "arguments"),
    [
        (("tests/test_a.py", "benchmarks/conftest.py"), ("tests",)),
        (("tests/test_a.py", "conftest.py", "docs/test_docs.py"), ("tests",)),
        (("tests/test_a.py",), ()),
        (("tests/test_a.py", "src/p/test/test_b.py", "docs/conftest.py"), ()),
        (("tests/test_a.py", "test_b.py", "docs/conftest.py"), ()),
        (("tests/test_a.py", "testing/test_b.py", "docs/conftest.py"), ()),
    ],
)
def test_folders_of_chores_are_kept_out_of_the_suite_where_that_is_safe(
    names: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    plain = f'{BUILD}[project]\nname = "p"\n'
    assert inferred(pyproject=plain, **dict.fromkeys(names, "")).arguments == arguments


def test_configured_test_paths_are_left_alone() -> None:
    configured = f'{BUILD}[project]\nname = "p"\n[tool.pytest.ini_options]\ntestpaths = ["tests", "docs"]\n'
    files = {"tests/test_a.py": "", "docs/conftest.py": ""}
    assert inferred(pyproject=configured, **files).arguments == ()
