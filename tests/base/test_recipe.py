"""The manifest's own words come first; the rest is inferred from the revision."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from change2task.api.modernbase import Checks, Environment, ModernBaseSpec, Repository
from change2task.base.project import ProjectFiles
from change2task.base.recipe import RecipeUnknown, python_of_image, recipe_for
from change2task.base.refusals import WITHOUT_IMAGES, WITHOUT_MOUNTS, refusals, refused_by

COMMITTED = datetime(2024, 10, 8, 23, 30, tzinfo=UTC)
FILES = ProjectFiles.of(
    {
        "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "p"\nrequires-python = ">=3.9"\n'
        'classifiers = ["Programming Language :: Python :: 3.11"]\n'
    }
)


def spec(environment: Environment | None = None, checks: Checks | None = None) -> ModernBaseSpec:
    return ModernBaseSpec(
        repository=Repository(url="https://example.org/p"),
        environment=environment or Environment(),
        checks=checks or Checks(),
    )


def test_nothing_said_is_inferred_with_the_commits_own_date() -> None:
    recipe = recipe_for(spec(), FILES, COMMITTED, None)
    assert recipe.setup == ("uv pip install -e . pytest",)
    assert (recipe.python.specifier, recipe.python.listed) == (">=3.9", ("3.11",))
    assert recipe.as_of == date(2024, 10, 8)
    assert recipe.inferred


def test_the_manifests_setup_replaces_the_inferred_one_and_has_no_fallback() -> None:
    recipe = recipe_for(spec(Environment(setup=("make deps",), rebuild=("make",))), FILES, COMMITTED, None)
    assert (recipe.setup, recipe.rebuild, recipe.fallbacks) == (("make deps",), ("make",), ())
    assert not recipe.inferred
    assert recipe.python.specifier == ">=3.9"


def test_the_manifest_sets_date_image_and_variables() -> None:
    environment = Environment(as_of=date(2023, 1, 2), image="python:3.10-slim", env={"A": "b"})
    recipe = recipe_for(spec(environment), FILES, COMMITTED, None)
    assert (recipe.as_of, recipe.python.exact, recipe.env) == (date(2023, 1, 2), "3.10", {"A": "b"})


def test_a_repository_that_says_nothing_needs_a_setup_in_the_manifest() -> None:
    nothing = ProjectFiles.of({"main.c": ""})
    with pytest.raises(RecipeUnknown, match=r"spec\.environment\.setup"):
        recipe_for(spec(), nothing, COMMITTED, None)
    assert recipe_for(spec(Environment(setup=())), nothing, COMMITTED, None).setup == ()


def test_a_go_module_is_made_ready_with_a_build_cache_of_foreign_packages() -> None:
    module = ProjectFiles.of({"go.mod": "module x\n\ngo 1.22\n\nrequire example.org/y v1.0.0\n", "x.go": ""})
    recipe = recipe_for(spec(checks=Checks(format="go-test", command=("go", "test"))), module, COMMITTED, None)
    assert (recipe.toolchain, recipe.go) == ("go", "1.22")
    assert recipe.setup[0] == "go mod download"
    assert "go build $packages" in recipe.setup[1]
    assert recipe.env["GOTOOLCHAIN"] == "local"


def test_evidence_and_check_command_are_no_part_of_an_environments_identity() -> None:
    one = recipe_for(spec(), FILES, COMMITTED, None)
    other = one.replacing(evidence=("other words",), command=("pytest", "-x"))
    assert one.identity() == other.identity()
    assert one.identity() != one.replacing(setup=("true",)).identity()


@pytest.mark.parametrize(
    ("image", "minor"),
    [
        ("python:3.12", "3.12"),
        ("python:3.12.4-slim-bookworm", "3.12"),
        ("docker.io/library/python:3.9-alpine@sha256:" + "0" * 64, "3.9"),
        ("python:3", None),
        ("python", None),
        ("debian:12", None),
        ("pypy:3.10", None),
        (None, None),
    ],
)
def test_a_python_image_names_its_minor(image: str | None, minor: str | None) -> None:
    assert python_of_image(image) == minor


@pytest.mark.parametrize("sandbox", ["bubblewrap", "plain"])
@pytest.mark.parametrize(
    ("environment", "field"),
    [
        (Environment(system_packages=("libxml2",)), "spec.environment.systemPackages"),
        (Environment(image="debian:12"), "spec.environment.image"),
    ],
)
def test_what_only_an_image_can_hold_is_refused_without_one(environment: Environment, field: str, sandbox: str) -> None:
    [refusal] = refusals(spec(environment), sandbox)
    assert refusal.field == field
    assert "--runtime docker" in str(refusal)
    assert WITHOUT_IMAGES in refused_by(sandbox)
    assert not list(refusals(spec(environment), "docker"))
    assert not refused_by("docker")


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (spec(Environment(setup=("make PREFIX=/c2t/env",))), "spec.environment.setup"),
        (spec(Environment(rebuild=("cp a /c2t/home/",))), "spec.environment.rebuild"),
        (spec(Environment(env={"LD_LIBRARY_PATH": "/usr/lib:/c2t/env/lib"})), "spec.environment.env"),
        (spec(checks=Checks(command=("/c2t/env/bin/pytest",))), "spec.checks.command"),
    ],
)
def test_paths_that_only_mounts_can_give_are_refused_without_bubblewrap(said: ModernBaseSpec, field: str) -> None:
    [refusal] = refusals(said, "plain")
    assert refusal.field == field
    assert "install bubblewrap" in str(refusal)
    assert WITHOUT_MOUNTS in refused_by("plain")
    for sandbox in ("bubblewrap", "docker"):
        assert not list(refusals(said, sandbox))
        assert WITHOUT_MOUNTS not in refused_by(sandbox)


@pytest.mark.parametrize("text", ["src/c2t/x", "./c2t/x", "/home/c2t", "/c2t-old/x", "/c2tools", "/opt/c2t/x"])
def test_other_paths_are_no_paths_of_a_sandbox(text: str) -> None:
    assert not list(refusals(spec(Environment(setup=(f"ls {text}",))), "plain"))


def test_a_plain_recipe_is_refused_nowhere() -> None:
    for sandbox in ("bubblewrap", "plain", "docker"):
        assert not list(refusals(spec(Environment(image="python:3.11")), sandbox))


def test_arguments_are_added_to_a_default_command_only() -> None:
    files = ProjectFiles.of(
        {"pyproject.toml": "[project]\nname = 'p'\n", "tests/test_a.py": "", "docs/conftest.py": ""}
    )
    assert recipe_for(spec(), files, COMMITTED, None).command == ("python", "-m", "pytest", "tests")
    said = spec(checks=Checks(command=("python", "-m", "pytest")))
    assert recipe_for(said, files, COMMITTED, None).command == ("python", "-m", "pytest")
