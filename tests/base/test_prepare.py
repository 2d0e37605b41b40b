"""From a manifest and a repository to a base that is ready: resolution, build and preflight for real.

pytest comes from an index on the loopback that serves what is installed beside the tests, so no network is needed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from change2task.api.conditions import ConditionType
from change2task.api.modernbase import ModernBaseSpec
from change2task.api.reasons import Reason
from change2task.base import index, toolchains
from change2task.base.build import Builder
from change2task.base.environment import PlacedEnvironment
from change2task.base.faults import ToolchainMissing
from change2task.base.models import Preparation
from change2task.base.prepare import prepare_base
from change2task.checks.running import CheckCommand, SandboxRunner
from change2task.runtime.choose import choose
from change2task.runtime.workspace import Workspaces
from change2task.vcs.repository import Repository
from tests.support.packages import Index, package_index, toy_project
from tests.support.repos import RepoBuilder, Submodule

HERE = toolchains.ask(Path(sys.executable))
FLAKY = "import os\n\n\ndef test_zone():\n    assert os.environ['TZ'] == 'UTC'\n"
FAILING = "def test_never():\n    assert 1 == 2\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Index]:
    with package_index() as served:
        for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
            served.add_installed(name, uploaded="2020-01-01")
        yield served


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


class World:
    """A repository, and everything that prepares a base of it."""

    def __init__(self, folder: Path, cache: Path, server: Index) -> None:
        self.repo = RepoBuilder(folder / "repo")
        self.cache = cache
        self.sandbox = choose(folder / "plain").sandbox
        assert HERE is not None
        here = HERE
        self.builder = Builder(
            sandbox=self.sandbox,
            cache=cache,
            index=index.settings({"HOME": str(folder), "UV_DEFAULT_INDEX": server.url}, system=folder),
            environ={"PATH": "/usr/bin:/bin"},
            interpreters=lambda: (here,),
        )
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.passes = 0

    def prepare(self, *, frozen: str | None = None, **spec: Any) -> Preparation:
        whole = ModernBaseSpec.model_validate({"repository": {"url": "https://example.org/toy"}, **spec})
        with Repository.open(self.repo.path) as repository, Workspaces(self.cache, self.sandbox) as workspaces:

            def runners(placed: PlacedEnvironment, checks: CheckCommand) -> SandboxRunner:
                self.passes += 1
                return SandboxRunner(
                    sandbox=self.sandbox, workspaces=workspaces, environment=placed.runtime(),
                    repository=repository, checks=checks, logs=self.logs,
                )  # fmt: skip

            return prepare_base(whole, repository, self.builder, runners, time.monotonic, frozen=frozen)


@pytest.fixture
def world(tmp_path: Path, cache: Path, server: Index) -> World:
    return World(tmp_path, cache, server)


def test_a_plain_project_becomes_a_base_with_its_checks_sorted(world: World) -> None:
    commit = world.repo.commit(toy_project(**{"tests/test_flaky.py": FLAKY, "tests/test_never.py": FAILING}))
    base = world.prepare().base
    assert base is not None
    assert (base.commit, base.tree) == (commit, world.repo.tree())
    assert base.inventory.healthy == ("tests/test_toy.py::test_value",)
    states = {identity: check.state for identity, check in base.inventory.other.items()}
    assert states == {"tests/test_flaky.py::test_zone": "unstable", "tests/test_never.py::test_never": "failing"}
    assert [one.source for one in base.tried] == ["default"]
    assert base.environment.environment.recipe.setup == ("uv pip install -e . pytest",)
    assert set(base.evidence()) == {"inventory", "recipe", "lock", "setup"}
    assert set(base.seconds) == {"build", "preflight"}


def test_a_second_run_redoes_nothing(world: World) -> None:
    world.repo.commit(toy_project())
    first = world.prepare().base
    again = world.prepare().base
    assert first is not None
    assert again is not None
    assert world.passes == 1
    assert (again.key, again.inventory_digest, again.durations) == (first.key, first.inventory_digest, first.durations)
    assert "preflight" not in again.seconds


def test_another_check_command_uses_the_same_environment_and_takes_its_own_inventory(world: World) -> None:
    world.repo.commit(toy_project(**{"tests/test_never.py": FAILING}))
    first = world.prepare().base
    only = world.prepare(checks={"command": ["python", "-m", "pytest", "tests/test_toy.py"]}).base
    assert first is not None
    assert only is not None
    assert only.environment == first.environment
    assert only.key != first.key
    assert only.inventory.other == {}
    assert b"tests/test_toy.py" in only.evidence()["recipe"]


def test_a_revision_whose_checks_do_not_run_is_passed_over_and_kept_with_its_reason(world: World) -> None:
    world.repo.commit(toy_project(**{"tests/test_toy.py": FAILING}))
    world.repo.tag("bad")
    good = world.repo.commit(toy_project())
    prepared = world.prepare(revision={"healthy": "bad", "target": "nowhere"})
    assert prepared.base is not None
    assert prepared.base.commit == good
    assert [(one.source, one.eligible) for one in prepared.tried] == [
        ("healthy", False),
        ("target", False),
        ("default", True),
    ]
    assert prepared.tried[0].detail.startswith("NoHealthyChecks: none of 1 checks passes")


def test_a_frozen_commit_is_the_only_one_tried(world: World) -> None:
    old = world.repo.commit(toy_project())
    world.repo.commit(toy_project(**{"tests/test_never.py": FAILING}))
    base = world.prepare(frozen=old).base
    assert base is not None
    assert base.commit == old


def test_strict_stops_at_a_missing_revision(world: World) -> None:
    world.repo.commit(toy_project())
    prepared = world.prepare(revision={"healthy": "v9", "strict": True})
    assert prepared.fault is not None
    assert prepared.fault.reason is Reason.NO_ELIGIBLE_REVISION
    assert "healthy v9: names no commit of the repository" in prepared.fault.message
    assert prepared.fault.condition is ConditionType.RESOLVED


def test_an_empty_repository_is_told_apart(world: World) -> None:
    prepared = world.prepare()
    assert prepared.fault is not None
    assert prepared.fault.reason is Reason.EMPTY_REPOSITORY


def test_a_repository_that_says_nothing_asks_for_a_setup(world: World) -> None:
    world.repo.commit({"main.c": "int main() {}\n"})
    fault = world.prepare().fault
    assert fault is not None
    assert fault.reason is Reason.RECIPE_UNKNOWN
    assert "spec.environment.setup" in fault.message


def test_a_single_revisions_own_fault_is_the_bases_fault(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.prepare(environment={"setup": ["false"]}).fault
    assert fault is not None
    assert fault.reason is Reason.SETUP_FAILED
    assert fault.condition is ConditionType.BUILT


def test_check_command_without_a_test_is_no_base(world: World) -> None:
    world.repo.commit({**toy_project(), "tests/test_toy.py": "x = 1\n"})
    fault = world.prepare().fault
    assert fault is not None
    assert fault.reason is Reason.NO_CHECKS


def test_a_lock_that_pins_nothing_is_refused_before_anything_is_built(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.prepare(environment={"lock": "dep>=1\n"}).fault
    assert fault is not None
    assert "spec.environment.lock: line 1: 'dep>=1' pins no version" in fault.message


def test_a_recipe_this_sandbox_cannot_honour_is_refused_with_the_way_out(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.prepare(environment={"systemPackages": ["libxml2"]}).fault
    assert fault is not None
    assert "--runtime docker" in fault.message


def test_no_fitting_interpreter_is_raised_and_is_no_verdict(world: World) -> None:
    world.repo.commit(toy_project())
    with pytest.raises(ToolchainMissing, match=r"asks for Python 2\.7"):
        world.prepare(environment={"image": "python:2.7"})


def test_a_submodule_is_an_empty_folder_and_no_obstacle(world: World) -> None:
    world.repo.commit({**toy_project(), "sub": Submodule("1" * 40)})
    assert world.prepare().base is not None


def test_a_rebuild_step_runs_in_every_state(world: World) -> None:
    test = "import made\n\n\ndef test_made():\n    assert made.X == 1\n"
    world.repo.commit(toy_project(**{"tests/test_made.py": test}))
    base = world.prepare(environment={"rebuild": ["echo 'X = 1' > made.py"]}).base
    assert base is not None
    assert "tests/test_made.py::test_made" in base.inventory.healthy
