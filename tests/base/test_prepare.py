"""From a manifest and a repository to a base that is ready: resolution, build and preflight for real.

pytest comes from an index on the loopback that serves what is installed beside the tests, so no network is needed.
"""

from __future__ import annotations

import errno
import os
import shutil
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
from change2task.base.faults import BaseFault, ToolchainMissing
from change2task.base.known import Held, Known, NotAsItWas
from change2task.base.models import NoBase, PreparedBase
from change2task.base.prepare import prepare_base
from change2task.checks.laying import CheckCommand
from change2task.checks.running import SandboxRunner
from change2task.runtime.choose import choose
from change2task.runtime.workspace import Workspaces
from change2task.vcs.repository import Repository
from tests.support.packages import Index, package_index, toy_project
from tests.support.repos import RepoBuilder, Submodule

HERE = toolchains.ask(Path(sys.executable))
PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
FLAKY = "import os\n\n\ndef test_zone():\n    assert os.environ['TZ'] == 'UTC'\n"
FAILING = "def test_never():\n    assert 1 == 2\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Index]:
    with package_index() as served:
        for name in PYTEST:
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

    def prepare(self, *, frozen: str | None = None, known: Known | None = None, **spec: Any) -> PreparedBase | NoBase:
        whole = ModernBaseSpec.model_validate({"repository": {"url": "https://example.org/toy"}, **spec})
        with Repository.open(self.repo.path) as repository, Workspaces(self.cache, self.sandbox) as workspaces:

            def runners(placed: PlacedEnvironment, checks: CheckCommand) -> SandboxRunner:
                self.passes += 1
                return SandboxRunner(
                    sandbox=self.sandbox, workspaces=workspaces, environment=placed.runtime(),
                    repository=repository, checks=checks, logs=self.logs,
                )  # fmt: skip

            return prepare_base(whole, repository, self.builder, runners, time.monotonic, frozen=frozen, known=known)

    def base(self, **given: Any) -> PreparedBase:
        """The base, which there is."""
        found = self.prepare(**given)
        assert isinstance(found, PreparedBase), found
        return found

    def fault(self, **given: Any) -> BaseFault:
        """Why there is no base."""
        found = self.prepare(**given)
        assert isinstance(found, NoBase)
        return found.fault


@pytest.fixture
def world(tmp_path: Path, cache: Path, server: Index) -> World:
    return World(tmp_path, cache, server)


def test_a_plain_project_becomes_a_base_with_its_checks_sorted(world: World) -> None:
    commit = world.repo.commit(toy_project(**{"tests/test_flaky.py": FLAKY, "tests/test_never.py": FAILING}))
    base = world.base()
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
    first = world.base()
    again = world.base()
    assert world.passes == 1
    assert (again.key, again.inventory_digest, again.durations) == (first.key, first.inventory_digest, first.durations)
    assert "preflight" not in again.seconds


def test_another_check_command_uses_the_same_environment_and_takes_its_own_inventory(world: World) -> None:
    world.repo.commit(toy_project(**{"tests/test_never.py": FAILING}))
    first = world.base()
    only = world.base(checks={"command": ["python", "-m", "pytest", "tests/test_toy.py"]})
    assert only.environment == first.environment
    assert only.key != first.key
    assert only.inventory.other == {}
    assert b"tests/test_toy.py" in only.evidence()["recipe"]


def test_an_inventory_is_kept_whole_or_not_at_all(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.repo.commit(toy_project(**{"tests/test_whole.py": "def test_whole():\n    pass\n"}))

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = set(world.cache.glob("inventories/*"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            world.prepare()
    assert set(world.cache.glob("inventories/*")) == before
    assert set(world.cache.glob("inventories/.*")) == set()
    kept = world.base().key
    assert set(world.cache.glob("inventories/*")) == {*before, world.cache / f"inventories/{kept}.json"}


def test_a_revision_whose_checks_do_not_run_is_passed_over_and_kept_with_its_reason(world: World) -> None:
    world.repo.commit(toy_project(**{"tests/test_toy.py": FAILING}))
    world.repo.tag("bad")
    good = world.repo.commit(toy_project())
    prepared = world.base(revision={"healthy": "bad", "target": "nowhere"})
    assert prepared.commit == good
    assert [(one.source, one.eligible) for one in prepared.tried] == [
        ("healthy", False),
        ("target", False),
        ("default", True),
    ]
    assert prepared.tried[0].detail.startswith("NoHealthyChecks: none of 1 checks passes")


def test_a_frozen_commit_is_the_only_one_tried(world: World) -> None:
    old = world.repo.commit(toy_project())
    world.repo.commit(toy_project(**{"tests/test_never.py": FAILING}))
    base = world.base(frozen=old)
    assert base.commit == old


def test_strict_stops_at_a_missing_revision(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.fault(revision={"healthy": "v9", "strict": True})
    assert fault.reason is Reason.NO_ELIGIBLE_REVISION
    assert "healthy v9: names no commit of the repository" in fault.message
    assert fault.condition is ConditionType.RESOLVED


def test_an_empty_repository_is_told_apart(world: World) -> None:
    assert world.fault().reason is Reason.EMPTY_REPOSITORY


def test_a_repository_that_says_nothing_asks_for_a_setup(world: World) -> None:
    world.repo.commit({"main.c": "int main() {}\n"})
    fault = world.fault()
    assert fault.reason is Reason.RECIPE_UNKNOWN
    assert "spec.environment.setup" in fault.message


def test_a_single_revisions_own_fault_is_the_bases_fault(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.fault(environment={"setup": ["false"]})
    assert fault.reason is Reason.SETUP_FAILED
    assert fault.condition is ConditionType.BUILT


def test_check_command_without_a_test_is_no_base(world: World) -> None:
    world.repo.commit({**toy_project(), "tests/test_toy.py": "x = 1\n"})
    fault = world.fault()
    assert fault.reason is Reason.NO_CHECKS


def test_a_lock_that_pins_nothing_is_refused_before_anything_is_built(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.fault(environment={"lock": "dep>=1\n"})
    assert "spec.environment.lock: line 1: 'dep>=1' pins no version" in fault.message


def test_a_recipe_this_sandbox_cannot_honour_is_refused_with_the_way_out(world: World) -> None:
    world.repo.commit(toy_project())
    fault = world.fault(environment={"systemPackages": ["libxml2"]})
    assert "--runtime docker" in fault.message


def test_no_fitting_interpreter_is_raised_and_is_no_verdict(world: World) -> None:
    world.repo.commit(toy_project())
    with pytest.raises(ToolchainMissing, match=r"asks for Python 2\.7"):
        world.prepare(environment={"image": "python:2.7"})


def test_a_submodule_is_an_empty_folder_and_no_obstacle(world: World) -> None:
    world.repo.commit({**toy_project(), "sub": Submodule("1" * 40)})
    world.base()


def test_a_rebuild_step_runs_in_every_state(world: World) -> None:
    test = "import made\n\n\ndef test_made():\n    assert made.X == 1\n"
    world.repo.commit(toy_project(**{"tests/test_made.py": test}))
    base = world.base(environment={"rebuild": ["echo 'X = 1' > made.py"]})
    assert "tests/test_made.py::test_made" in base.inventory.healthy


def known_of(base: PreparedBase, **changes: Any) -> Known:
    """What a store knows of a base later on."""
    built = base.environment.environment
    held = Held(
        key=built.key, interpreter=built.tools.described(), setup=built.recipe.setup, dated=built.dated, lock=built.lock
    )
    return Known(commit=base.commit, key=base.key, environment=held, inventory=base.inventory).replacing(**changes)


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[tuple[World, Index]]:
    """A world with a cache and an index of its own, which keeps no dates, so that the newest is installed."""
    with package_index(dated=False) as served:
        for name in PYTEST:
            served.add_installed(name, uploaded="2020-01-01")
        served.add("helper", "1.0", uploaded="2020-01-01", files={"helper.py": "def cut(text):\n    return text[:3]\n"})
        yield World(tmp_path, tmp_path / "cache", served), served


USING = "import helper\n\n\ndef test_cut():\n    assert helper.cut('abcdef') == 'abc'\n"
HELPED = {"setup": ["uv pip install -e . pytest helper"]}
OTHER = {"helper.py": "def cut(text):\n    return text[:2]\n"}


def test_a_known_base_whose_environment_was_thrown_away_gets_the_same_packages_again(bare: tuple[World, Index]) -> None:
    world, served = bare
    world.repo.commit(toy_project(**{"tests/test_cut.py": USING}))
    first = world.base(environment=HELPED)
    shutil.rmtree(world.cache)
    served.add("helper", "2.0", uploaded="2024-01-01", files=OTHER)
    again = world.base(environment=HELPED, known=known_of(first))
    assert again.key == first.key
    assert again.environment.environment.lock == first.environment.environment.lock
    assert again.inventory == first.inventory
    assert not again.environment.environment.dated


def test_a_known_base_keeps_its_packages_beside_a_new_one_of_the_same_recipe(bare: tuple[World, Index]) -> None:
    world, served = bare
    world.repo.commit(toy_project(**{"tests/test_cut.py": USING}))
    first = world.base(environment=HELPED)
    shutil.rmtree(world.cache)
    served.add("helper", "2.0", uploaded="2024-01-01", files=OTHER)
    new = world.base(environment=HELPED)
    again = world.base(environment=HELPED, known=known_of(first))
    assert new.key != first.key
    assert again.key == first.key
    assert world.base(environment=HELPED).key == new.key, "each still stands"
    assert "tests/test_cut.py::test_cut" in again.inventory.healthy
    assert "tests/test_cut.py::test_cut" not in new.inventory.healthy


def test_a_lock_whose_package_is_gone_is_no_reason_for_other_packages(bare: tuple[World, Index]) -> None:
    world, served = bare
    world.repo.commit(toy_project())
    known = known_of(world.base(environment=HELPED))
    shutil.rmtree(world.cache)
    served.wheels = {name: held for name, held in served.wheels.items() if not name.startswith("helper-")}
    served.add("helper", "2.0", uploaded="2024-01-01", files=OTHER)
    fault = world.fault(environment=HELPED, known=known)
    assert fault.reason is Reason.SETUP_FAILED
    assert "held to the packages of the lock that is stored with the base" in fault.message


def test_the_same_version_with_other_content_is_another_package(bare: tuple[World, Index]) -> None:
    world, served = bare
    world.repo.commit(toy_project())
    known = known_of(world.base(environment=HELPED))
    shutil.rmtree(world.cache)
    served.add("helper", "1.0", uploaded="2020-01-01", files=OTHER)
    assert "Hash mismatch" in world.fault(environment=HELPED, known=known).message


def test_setup_that_does_not_keep_to_the_lock_is_the_machines_fault(bare: tuple[World, Index]) -> None:
    world, served = bare
    world.repo.commit(toy_project())
    loose = {"setup": ["uv pip install -e . pytest", "env -u UV_CONSTRAINT uv pip install helper"]}
    known = known_of(world.base(environment=loose))
    shutil.rmtree(world.cache)
    served.add("helper", "2.0", uploaded="2024-01-01", files=OTHER)
    with pytest.raises(NotAsItWas, match=r"does not keep to the lock stored with it: helper 1\.0 -> 2\.0"):
        world.prepare(environment=loose, known=known)


def test_another_interpreter_than_the_known_one_is_the_machines_fault_and_nothing_is_built(world: World) -> None:
    world.repo.commit(toy_project())
    known = known_of(world.base())
    other = known.environment.replacing(key="0" * 64, interpreter="CPython 3.10.1")
    with pytest.raises(NotAsItWas, match=r"made with CPython 3\.10\.1, here it would be CPython 3\.") as caught:
        world.prepare(known=known.replacing(environment=other))
    assert "use another --store" in str(caught.value)


def test_checks_that_come_out_otherwise_are_the_machines_fault_and_are_looked_at_again(world: World) -> None:
    world.repo.commit(toy_project(**{"tests/test_never.py": FAILING}))
    known = known_of(world.base())
    healthy = known.inventory.replacing(healthy=(*known.inventory.healthy, "tests/test_never.py::test_never"), other={})
    taken = world.passes
    for again in (1, 2):
        with pytest.raises(NotAsItWas, match=r"test_never was healthy and is failing"):
            world.prepare(known=known.replacing(inventory=healthy))
        assert world.passes == taken + again


def test_a_check_that_is_unstable_by_chance_leaves_the_known_inventory_as_it_is(world: World) -> None:
    world.repo.commit(toy_project(**{"tests/test_flaky.py": FLAKY}))
    known = known_of(world.base())
    lucky = known.inventory.replacing(healthy=("tests/test_flaky.py::test_zone", *known.inventory.healthy), other={})
    assert world.base(known=known.replacing(inventory=lucky)).inventory == lucky
