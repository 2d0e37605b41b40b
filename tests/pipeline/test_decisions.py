"""What is decided without running anything: the reason that ends a candidate, and conditions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from change2task.api.conditions import ConditionType, condition
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Repository
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Attempt, Change, TaskCandidate, TaskCandidateSpec
from change2task.base.faults import BaseFault
from change2task.construct.models import NotApplicable
from change2task.pipeline import status
from change2task.validate.verdict import Verdict, passed, refused

NOW = datetime(2024, 1, 31, 12, tzinfo=UTC)
LATER = datetime(2024, 2, 1, 12, tzinfo=UTC)
SPEC = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=7))
CANDIDATE = TaskCandidate(metadata=ObjectMeta(name="one"), spec=SPEC)
BASE = ModernBase(
    metadata=ObjectMeta(name="base"), spec=ModernBaseSpec(repository=Repository(url="https://example.org/a"))
)
SCOPE = refused("scope", Reason.SCOPE_VIOLATION, "touches docs")
LIFECYCLE = refused("lifecycle", Reason.TARGET_DID_NOT_FAIL, "still passes")
OTHER = refused("lifecycle", Reason.REGRESSION_BROKE, "breaks another")
TRIED = Attempt(
    level=1, strategy="exact-reversal", outcome="notApplicable", reason=Reason.CONSTRUCTION_EXHAUSTED, message="no"
)


@pytest.mark.parametrize(
    ("refusals", "reason"),
    [
        ([(1, SCOPE)], Reason.SCOPE_VIOLATION),
        ([(1, SCOPE), (4, LIFECYCLE)], Reason.TARGET_DID_NOT_FAIL),
        ([(4, LIFECYCLE), (1, SCOPE)], Reason.TARGET_DID_NOT_FAIL),
        ([(4, LIFECYCLE), (4, OTHER)], Reason.TARGET_DID_NOT_FAIL),
        ([(4, OTHER), (4, LIFECYCLE)], Reason.REGRESSION_BROKE),
    ],
)
def test_the_proposal_that_came_furthest_names_the_reason(refusals: list[tuple[int, Verdict]], reason: Reason) -> None:
    assert status.furthest(refusals).reason is reason


@pytest.mark.parametrize(("duplicate", "outcome"), [(True, "duplicate"), (False, "notApplicable")])
def test_a_strategys_own_refusal_is_an_attempt(duplicate: bool, outcome: str) -> None:
    why = "a conflict"
    attempt = status.not_applicable(NotApplicable(strategy="unique-block", level=2, why=why, duplicate=duplicate))
    assert (attempt.strategy, attempt.level, attempt.outcome, attempt.message) == ("unique-block", 2, outcome, why)


def states(resource: TaskCandidate | ModernBase) -> dict[str, tuple[str, str]]:
    return {one.type.value: (one.status, one.reason.value) for one in resource.status.conditions}


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (refused("alignment", Reason.NO_TARGET_CHECKS, "none"), ("False", "Unknown", "Unknown")),
        (refused("alignment", Reason.BASE_NOT_READY, "no"), ("False", "Unknown", "Unknown")),
        (refused("construction", Reason.CONSTRUCTION_EXHAUSTED, "no"), ("True", "False", "Unknown")),
        (LIFECYCLE, ("True", "True", "False")),
        (refused("fidelity", Reason.FIDELITY_TOO_LOW, "low"), ("True", "True", "False")),
        (refused("lifecycle", Reason.HARNESS_CRASHED, "twice"), ("True", "True", "False")),
    ],
)
def test_conditions_say_how_far_a_candidate_came(verdict: Verdict, expected: tuple[str, str, str]) -> None:
    found = status.candidate_conditions(CANDIDATE, verdict, accepted=False, now=NOW)
    told = {one.type.value: one.status for one in found}
    assert tuple(told[kind] for kind in ("Aligned", "Constructed", "Validated")) == expected
    assert (told["Accepted"], told["Ready"], told["Stalled"]) == ("False", "True", "False")


def test_every_reason_that_rejects_has_its_place_among_the_conditions() -> None:
    for reason in Reason:
        if reason.rejection is not None:
            verdict = refused("any", reason, "")
            found = status.candidate_conditions(CANDIDATE, verdict, accepted=False, now=NOW)
            assert [one.status for one in found].count("False") == 4, reason


def test_a_fault_of_the_machine_is_no_verdict() -> None:
    stalled = status.stalled_candidate(CANDIDATE, "the disk is full", NOW)
    assert states(stalled) == {
        kind: (state, "InfrastructureFault")
        for kind, state in (("Ready", "False"), ("Reconciling", "False"), ("Stalled", "True"))
    }
    assert stalled.status.accepted is None
    assert not status.is_ready(status.stalled_base(BASE, "the disk is full", NOW))


def test_a_suspension_is_taken_back_without_a_trace() -> None:
    accepted = passed("fidelity", Reason.ACCEPTED, "all is well")
    conditions = status.candidate_conditions(CANDIDATE, accepted, accepted=True, now=NOW)
    done = CANDIDATE.replacing(
        status=CANDIDATE.status.replacing(
            accepted=True, reason=Reason.ACCEPTED, message="all is well", conditions=conditions
        )
    )
    waiting = status.suspended_candidate(done, LATER)
    assert status.is_suspended(waiting)
    assert waiting.status.accepted is True
    resumed = status.resumed_candidate(waiting, LATER)
    assert states(resumed) == states(done)
    aligned = condition(resumed.status.conditions, ConditionType.ALIGNED)
    assert aligned is not None
    assert aligned.last_transition_time == NOW, "what did not change keeps its time"


@pytest.mark.parametrize(
    ("denied", "expected"),
    [
        (ConditionType.RESOLVED, ("False", "Unknown", "Unknown")),
        (ConditionType.BUILT, ("True", "False", "Unknown")),
        (ConditionType.HEALTHY, ("True", "True", "False")),
    ],
)
def test_conditions_say_how_far_a_base_came(denied: ConditionType, expected: tuple[str, str, str]) -> None:
    fault = BaseFault(reason=Reason.SETUP_FAILED, message="step 1", condition=denied)
    failed = BASE.replacing(status=BASE.status.replacing(conditions=status.failed_base_conditions((), fault, 1, NOW)))
    told = {kind: state for kind, (state, _) in states(failed).items()}
    assert tuple(told[kind] for kind in ("Resolved", "Built", "Healthy")) == expected
    assert (told["Ready"], told["Stalled"]) == ("False", "True")
    assert (status.reason_of(failed), status.message_of(failed)) == (Reason.SETUP_FAILED, "step 1")


@pytest.mark.parametrize(("dated", "expected"), [(True, ("True", "Dated")), (False, ("False", "Undated"))])
def test_a_ready_base_says_whether_its_packages_are_of_its_date(dated: bool, expected: tuple[str, str]) -> None:
    conditions = status.ready_base_conditions((), 1, NOW, dated=dated, dated_detail="because")
    ready = BASE.replacing(status=BASE.status.replacing(conditions=conditions))
    assert status.is_ready(ready)
    assert states(ready)["Dated"] == expected
