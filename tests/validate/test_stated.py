"""Checks that are no tests hold on the healthy base, or nothing is made for them."""

from __future__ import annotations

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import CheckSpec, Script, StaticOracle
from change2task.families.migration import DERIVED
from change2task.validate.lifecycle import Observation, State
from change2task.validate.stated import judge

EXPLOIT = CheckSpec(id="exploit", kind="script", script=Script(command=("sh", "x.sh")))
ORACLE = CheckSpec(id="api", kind="static", static=StaticOracle(gone=("six",)))
READ = CheckSpec(id=DERIVED, kind="static", static=StaticOracle(gone=("six",)))


def runs(*outcomes: str, check: str = "exploit", said: str = "", **more: object) -> list[Observation]:
    return [
        Observation.model_validate(
            {"state": State.HEALTHY, "repeat": n, "outcomes": {check: outcome}, "signatures": {check: said}, **more}
        )
        for n, outcome in enumerate(outcomes)
    ]


def test_what_passes_on_every_repeat_holds():
    assert judge((EXPLOIT,), runs("passed", "passed")).passed
    assert judge((), runs()).passed


@pytest.mark.parametrize("outcome", ["failed", "error", "missing"])
def test_what_does_not_pass_is_named_with_its_words(outcome: str):
    verdict = judge((EXPLOIT,), runs(outcome, outcome, said="connection refused"))
    assert verdict.reason is Reason.STATED_CHECK_UNUSABLE
    assert "script check 'exploit' does not pass on the healthy base (connection refused)" in verdict.message


def test_what_passes_sometimes_is_unstable():
    assert judge((EXPLOIT,), runs("passed", "failed")).reason is Reason.UNSTABLE


@pytest.mark.parametrize(
    ("fault", "reason"), [("noVerdict", Reason.SCRIPT_WITHOUT_VERDICT), ("forged", Reason.RESULTS_FORGED)]
)
def test_what_says_nothing_has_the_reason_of_its_fault(fault: str, reason: Reason):
    verdict = judge((EXPLOIT,), runs("passed", fault=fault, detail="script exploit: exit code 2"))
    assert verdict.reason is reason
    assert "exit code 2" in verdict.message


def test_a_derived_oracle_that_does_not_hold_is_the_familys_fault_and_a_stated_one_the_users():
    said = "still used: a.py:1 six"
    derived = judge((READ,), runs("failed", check=DERIVED, said=said))
    assert derived.reason is Reason.FAMILY_NOT_APPLICABLE
    assert said in derived.message
    assert "ask for another family" in derived.message
    assert judge((ORACLE,), runs("failed", check="api", said=said)).reason is Reason.STATED_CHECK_UNUSABLE
