"""Conditions: one of a type, a time that moves only with the status, reasons from a closed list."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from change2task.api.conditions import Condition, ConditionType, condition, with_condition
from change2task.api.reasons import Reason, RejectionClass, reasons_table

NOON = datetime(2024, 10, 9, 12, tzinfo=UTC)


def made(kind: ConditionType, status: str, reason: Reason = Reason.PENDING, minutes: int = 0) -> Condition:
    return Condition.model_validate(
        {"type": kind, "status": status, "reason": reason, "last_transition_time": NOON + timedelta(minutes=minutes)}
    )


def test_a_new_type_is_appended() -> None:
    ready, built = made(ConditionType.READY, "Unknown"), made(ConditionType.BUILT, "True")

    assert with_condition((ready,), built) == (ready, built)


def test_a_changed_status_moves_the_time() -> None:
    old, new = made(ConditionType.READY, "False"), made(ConditionType.READY, "True", Reason.COMPLETE, 5)

    assert with_condition((old,), new) == (new,)


def test_an_unchanged_status_keeps_the_time_and_takes_the_rest() -> None:
    old, new = made(ConditionType.READY, "False"), made(ConditionType.READY, "False", Reason.IN_PROGRESS, 5)

    (result,) = with_condition((old,), new)

    assert (result.reason, result.last_transition_time) == (Reason.IN_PROGRESS, NOON)


def test_order_and_other_conditions_stay() -> None:
    conditions = tuple(made(kind, "True") for kind in (ConditionType.READY, ConditionType.BUILT, ConditionType.HEALTHY))

    result = with_condition(conditions, made(ConditionType.BUILT, "False", minutes=1))

    assert [c.type for c in result] == [c.type for c in conditions]
    assert (result[0], result[2]) == (conditions[0], conditions[2])


def test_a_condition_is_found_by_its_type() -> None:
    ready = made(ConditionType.READY, "True")

    assert condition((ready,), ConditionType.READY) is ready
    assert condition((ready,), ConditionType.BUILT) is None


@pytest.mark.parametrize("change", [{"reason": "MadeUp"}, {"status": "true"}, {"type": "Odd"}])
def test_nothing_is_made_up(change: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        made(ConditionType.READY, "True").replacing(**change)


def test_every_reason_is_a_word_that_kubernetes_takes_and_has_a_sentence() -> None:
    for reason in Reason:
        assert re.fullmatch(r"[A-Z][A-Za-z]{2,60}", reason.value)
        assert re.fullmatch(r"[A-Z].{10,}[^.]\.", reason.sentence), reason


def test_reasons_and_their_sentences_are_distinct() -> None:
    assert len({r.value for r in Reason}) == len(Reason.__members__)
    assert len({r.sentence for r in Reason}) == len(Reason)


def test_the_papers_six_classes_are_all_there_and_all_used() -> None:
    assert [c.value for c in RejectionClass] == [
        "EnvironmentOrPreflight",
        "BehaviourAlignment",
        "ExhaustedConstruction",
        "Lifecycle",
        "FinalQualification",
        "Harness",
    ]
    assert {r.rejection for r in Reason} - {None} == set(RejectionClass)


@pytest.mark.parametrize(
    ("reason", "rejection"),
    [
        (Reason.NO_HEALTHY_CHECKS, RejectionClass.ENVIRONMENT),
        (Reason.NO_MODERN_HOST, RejectionClass.ALIGNMENT),
        (Reason.AMBIGUOUS_EVIDENCE, RejectionClass.ALIGNMENT),
        (Reason.CONSTRUCTION_EXHAUSTED, RejectionClass.CONSTRUCTION),
        (Reason.TARGET_DID_NOT_FAIL, RejectionClass.LIFECYCLE),
        (Reason.REGRESSION_BROKE, RejectionClass.LIFECYCLE),
        (Reason.RESTORATION_FAILED, RejectionClass.LIFECYCLE),
        (Reason.UNSTABLE, RejectionClass.LIFECYCLE),
        (Reason.SCOPE_COLLAPSE, RejectionClass.QUALIFICATION),
        (Reason.SCOPE_INFLATION, RejectionClass.QUALIFICATION),
        (Reason.HARNESS_CRASHED, RejectionClass.HARNESS),
    ],
)
def test_a_rejection_has_the_papers_class(reason: Reason, rejection: RejectionClass) -> None:
    assert reason.rejection is rejection


@pytest.mark.parametrize(
    "reason", [Reason.INFRASTRUCTURE, Reason.TOOLCHAIN_MISSING, Reason.CANCELLED, Reason.SUSPENDED]
)
def test_a_fault_of_the_machine_is_no_rejection(reason: Reason) -> None:
    assert reason.rejection is None


def test_a_reason_is_its_word_on_the_wire() -> None:
    document = made(ConditionType.READY, "True", Reason.COMPLETE).document()

    assert document == {
        "type": "Ready",
        "status": "True",
        "reason": "Complete",
        "message": "",
        "lastTransitionTime": "2024-10-09T12:00:00Z",
        "observedGeneration": 1,
    }
    assert Condition.model_validate(document).reason is Reason.COMPLETE


def test_the_table_has_a_row_for_every_reason() -> None:
    assert [row[0] for row in reasons_table()] == [r.value for r in Reason]
    assert all(sentence for _, _, sentence in reasons_table())
