"""The pipeline replayed in a trusted container, with the results of earlier steps: what is needed next, or the outcome.

It exists so that what runs repository code decides nothing and what decides runs none of it. The same program says
before a step's passes what they are, and after them what came of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.base.environment import PlacedEnvironment
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import InfrastructureFault, PassOrder
from change2task.corpus.store import Store
from change2task.pipeline.basewise import base_step, outcome
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.grading import Replay
from change2task.pipeline.progress import Silent
from change2task.pipeline.stepwise import replay_step, step
from change2task.pipeline.wire import (
    Answers,
    BaseOutcome,
    BaseParcel,
    CandidateOutcome,
    ReplayInput,
    StepInput,
    StepResult,
    merged,
)
from change2task.pods.answers import AnsweredBuilds
from change2task.pods.bases import held_base, repository
from change2task.pods.places import Places
from change2task.vcs.repository import Repository


@dataclass(frozen=True)
class Needed:
    """Passes that are needed next, in this order, and what they are laid and read with."""

    orders: Sequence[PassOrder]
    repository: Repository
    environment: PlacedEnvironment
    checks: CheckCommand


@dataclass(frozen=True)
class Needs:
    """Something else than an outcome: passes, or an environment that is to be built first."""

    passes: Needed | None


Outcome = CandidateOutcome | BaseOutcome | tuple[Replay, ...]


def read_input(places: Places) -> tuple[StepInput, Answers]:
    """The step's input with all earlier results. Raises InfrastructureFault."""
    try:
        asked = StepInput.model_validate_json((places.step / "input.json").read_bytes())
    except (OSError, ValueError) as error:
        raise InfrastructureFault(f"the step's input cannot be read: {error}") from error
    return asked, answers_of(places)


def answers_of(places: Places) -> Answers:
    """The results of all earlier steps. Raises InfrastructureFault."""
    answers: Answers = {}
    try:
        for path in sorted((places.step / "results").glob("*.json")):
            answers = merged(answers, StepResult.model_validate_json(path.read_bytes()).answers)
    except (OSError, ValueError) as error:
        raise InfrastructureFault(f"results of earlier steps cannot be read: {error}") from error
    return answers


def replay(asked: StepInput, answers: Answers, places: Places) -> Outcome | Needs:
    """What the answers lead to. Raises InfrastructureFault."""
    if asked.candidate is not None and asked.parcel is not None:
        return _candidate(asked.candidate, asked, answers, places)
    if asked.replay is not None and asked.parcel is not None:
        return _task(asked.replay, asked.parcel, answers, places)
    if asked.base is not None:
        return _base(asked.base, asked, answers, places)
    raise InfrastructureFault("the step's input names neither a candidate, nor a task, nor a base")


def _candidate(candidate: TaskCandidate, asked: StepInput, answers: Answers, places: Places) -> Outcome | Needs:
    assert asked.parcel is not None
    held = held_base(asked.parcel, places)
    store = _store(places)
    driver = CandidateDriver(store=store, profile=asked.profile, clock=lambda: datetime.now(UTC), reporter=Silent())
    found = step(driver, candidate, held.on_hand, answers)
    if found.candidate is None:
        return Needs(Needed(found.needs, held.on_hand.repository, held.environment, asked.parcel.checks))
    reference = found.candidate.status.variant_ref
    variant = None if reference is None else store.variant(reference.name)
    return CandidateOutcome(candidate=found.candidate, variant=variant, evidence=evidence_of(store))


def _task(asked: ReplayInput, parcel: BaseParcel, answers: Answers, places: Places) -> Outcome | Needs:
    held, store = held_base(parcel, places), _store(places)
    store.put(asked.variant)
    for content in asked.evidence.values():
        store.put_evidence(content)
    found = replay_step(store, asked.variant, held.on_hand, asked.times, answers)
    if found.replays:
        return found.replays
    return Needs(Needed(found.needs, held.on_hand.repository, held.environment, parcel.checks))


def _store(places: Places) -> Store:
    """A store of its own for each attempt: what another one has journalled would be answered from there."""
    return Store.open(Path(tempfile.mkdtemp(prefix="store-", dir=places.desk)), create=True)


def _base(base: ModernBase, asked: StepInput, answers: Answers, places: Places) -> Outcome | Needs:
    found_in = repository(base.spec.repository.url, places)
    cache = Path(tempfile.mkdtemp(prefix="cache-", dir=places.desk))
    done = base_step(base, found_in, AnsweredBuilds(places.environments, cache), answers)
    if done.found is not None:
        images = {one.key: one.image for one in asked.built}
        return outcome(base, done.found, images=images, ground=asked.ground or "", now=datetime.now(UTC))
    if done.lacks is None:
        return Needs(None)
    lacks = done.lacks
    return Needs(Needed(lacks.orders, found_in, lacks.environment, lacks.checks))


def evidence_of(store: Store) -> dict[str, bytes]:
    """Everything that was kept as evidence."""
    folder = store.path / "evidence"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if len(path.name) == 64}
