"""A base from pass to pass: the same base as one prepared in one go, whoever builds and runs in between."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from change2task.api.conditions import ConditionType
from change2task.api.modernbase import ModernBase, ModernBaseStatus, Revision
from change2task.api.reasons import Reason
from change2task.base.build import Builder
from change2task.base.builds import NotBuilt
from change2task.base.environment import PlacedEnvironment
from change2task.base.faults import Faulted
from change2task.base.known import Held
from change2task.base.recipe import Recipe
from change2task.checks.passes import InfrastructureFault, PassRecord
from change2task.checks.results import SuiteResult
from change2task.cli.sessions import Session
from change2task.corpus.store import Store
from change2task.pipeline.basewise import base_step, outcome
from change2task.pipeline.ports import BaseOnHand
from change2task.vcs.repository import Repository
from tests.support.runs import Listening, session_of
from tests.support.world import World

NOW = datetime(2026, 11, 30, tzinfo=UTC)
IMAGE = "registry.example.com/bases@sha256:aa"


@dataclass
class Elsewhere:
    """Builds that are made by somebody else: an environment is only there once it has been asked for and was built."""

    builder: Builder
    cache: Path
    kind: str
    wanted: list[tuple[Any, ...]] = field(default_factory=list)
    built: dict[str, PlacedEnvironment | Faulted] = field(default_factory=dict)

    def build(
        self, repository: Repository, url: str, tree: str, recipe: Recipe, held: Held | None = None
    ) -> PlacedEnvironment:
        if tree not in self.built:
            self.wanted = [(repository, url, tree, recipe)]
            raise NotBuilt
        found = self.built[tree]
        if isinstance(found, Faulted):
            raise found
        return found

    def build_what_is_wanted(self) -> None:
        for repository, url, tree, recipe in self.wanted:
            self.built[tree] = self.builder.build(repository, url, tree, recipe)


@dataclass
class Ground:
    base: ModernBase
    on_hand: BaseOnHand
    elsewhere: Elsewhere


@pytest.fixture
def ground(world: World, tmp_path: Path) -> Iterator[Ground]:
    """A base prepared in one go, and what the same is prepared with once more."""
    store = Store.open(world.copy(tmp_path), create=False)
    stored = store.base("toolbox")
    assert stored is not None
    with session_of(world, store, Listening(), threading.Event()) as session:
        done = session.bases.drive(stored.replacing(status=ModernBaseStatus()))
        assert done.on_hand is not None
        yield Ground(done.base, done.on_hand, _elsewhere(session, store, tmp_path))


def _elsewhere(session: Session, store: Store, folder: Path) -> Elsewhere:
    sandbox = session.bases.grounds("toolbox").sandbox
    return Elsewhere(Builder.on_this_machine(sandbox, store.cache), folder / "apart", sandbox.name)


def test_a_base_is_the_same_as_in_one_go_but_for_its_times_and_its_image(ground: Ground) -> None:
    asked = ground.base.replacing(status=ModernBaseStatus())
    answers: dict[str, list[PassRecord]] = defaultdict(list)
    repository, elsewhere = ground.on_hand.repository, ground.elsewhere

    first = base_step(asked, repository, elsewhere, answers)
    assert (first.builds, first.found, first.lacks) == (True, None, None)
    elsewhere.build_what_is_wanted()

    second = base_step(asked, repository, elsewhere, answers)
    assert second.lacks is not None
    assert [order.label for order in second.lacks.orders] == ["bases/toolbox/preflight-0", "bases/toolbox/preflight-1"]
    for order in second.lacks.orders:
        answers[order.key()].append(ground.on_hand.runner.run(order))

    third = base_step(asked, repository, elsewhere, answers)
    assert third.found is not None
    key = second.lacks.environment.environment.key
    done = outcome(asked, third.found, images={key: IMAGE}, ground="registry.example.com/grounds@sha256:bb", now=NOW)
    assert _told(done.base) == _told(ground.base)
    assert done.parcel is not None
    assert (done.parcel.key, done.parcel.image) == (ground.on_hand.key, IMAGE)
    assert done.parcel.inventory.content_hash() == ground.on_hand.inventory_digest
    assert set(done.evidence) == set(done.base.status.evidence.values())
    assert done.base.status.environment is not None
    assert (done.base.status.environment.image, done.base.status.environment.digest) == (IMAGE, "sha256:aa")


def test_a_crash_of_the_harness_is_asked_for_once_more_and_then_is_the_bases_fault(ground: Ground) -> None:
    asked = ground.base.replacing(status=ModernBaseStatus())
    answers: dict[str, list[PassRecord]] = defaultdict(list)
    base_step(asked, ground.on_hand.repository, ground.elsewhere, answers)
    ground.elsewhere.build_what_is_wanted()
    crash = PassRecord(suite=SuiteResult(finished=False, ending="stuck", harness_error="the plug-in broke"), seconds=1)
    for _ in range(2):
        step = base_step(asked, ground.on_hand.repository, ground.elsewhere, answers)
        assert step.lacks is not None
        answers[step.lacks.orders[0].key()].append(crash)
    found = base_step(asked, ground.on_hand.repository, ground.elsewhere, answers).found
    assert found is not None
    done = outcome(asked, found, images={}, ground="", now=NOW).base
    assert _condition(done, ConditionType.HEALTHY) is Reason.HARNESS_CRASHED


def test_where_one_revision_cannot_serve_the_environment_of_the_next_is_asked_for(ground: Ground) -> None:
    earlier = ground.on_hand.repository.commit(ground.on_hand.commit).parents[0]
    spec = ground.base.spec.replacing(revision=Revision(healthy=ground.on_hand.commit, target=earlier))
    asked = ground.base.replacing(spec=spec, status=ModernBaseStatus())
    fault = Faulted(Reason.SETUP_FAILED, "no wheel", ConditionType.BUILT)
    ground.elsewhere.built[ground.on_hand.tree] = fault
    step = base_step(asked, ground.on_hand.repository, ground.elsewhere, {})
    assert step.builds
    assert ground.elsewhere.wanted[0][2] == ground.on_hand.repository.commit(earlier).tree


def test_a_base_whose_image_is_not_known_is_no_base(ground: Ground) -> None:
    asked = ground.base.replacing(status=ModernBaseStatus())
    answers: dict[str, list[PassRecord]] = defaultdict(list)
    base_step(asked, ground.on_hand.repository, ground.elsewhere, answers)
    ground.elsewhere.build_what_is_wanted()
    step = base_step(asked, ground.on_hand.repository, ground.elsewhere, answers)
    assert step.lacks is not None
    for order in step.lacks.orders:
        answers[order.key()].append(ground.on_hand.runner.run(order))
    found = base_step(asked, ground.on_hand.repository, ground.elsewhere, answers).found
    assert found is not None
    with pytest.raises(InfrastructureFault, match="no image is known"):
        outcome(asked, found, images={}, ground="", now=NOW)


def _condition(base: ModernBase, kind: ConditionType) -> Reason:
    return next(one.reason for one in base.status.conditions if one.type is kind)


def _told(base: ModernBase) -> object:
    status = base.status
    assert status.environment is not None
    conditions = {one.type: (one.status, one.reason, one.message) for one in status.conditions}
    environment = status.environment.replacing(image=None, digest=None)
    return conditions, status.replacing(conditions=(), seconds={}, environment=environment)
