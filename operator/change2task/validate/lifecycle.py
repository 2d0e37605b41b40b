"""Lifecycle gate: target checks pass, fail, pass over healthy, task and restored states; regression passes throughout.

This module only judges (paper, "Lifecycle and Scope Validation"); the runs are made by ``validate.rounds``.
A missing result is a failure. A crash of the harness is no verdict and is reported as such, never as a fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Literal

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.validate.verdict import Verdict, passed, refused

GATE = "lifecycle"
NAMED = 20
"""How many ids a message or a status names; the rest lies in the evidence."""


class State(StrEnum):
    """The three executable states (paper, figure 2)."""

    HEALTHY = "healthy"
    TASK = "task"
    RESTORED = "restored"


class Demand(StrEnum):
    """How many mapped targets must fail on the task state: the paper asks all, the full profile at least one."""

    ALL = "all"
    ANY = "any"


Fault = Literal["crashed", "forged", "noVerdict"]
"""Why a run says nothing: the harness crashed, results were forged, or a script check ended with neither 0 nor 1."""

REASONS: dict[Fault, Reason] = {
    "crashed": Reason.HARNESS_CRASHED,
    "forged": Reason.RESULTS_FORGED,
    "noVerdict": Reason.SCRIPT_WITHOUT_VERDICT,
}


class Expectation(Model):
    """The checks a lifecycle is judged by, as ids; ``required`` are targets that must each fail in any case."""

    targets: tuple[str, ...]
    required: tuple[str, ...] = ()
    observers: tuple[str, ...] = ()
    regression: tuple[str, ...]
    demand: Demand = Demand.ANY


class Observation(Model):
    """Outcomes of one repeat on one state, by check id; with a ``fault`` they say nothing, and ``detail`` says why."""

    state: State
    repeat: int
    outcomes: dict[str, str]
    signatures: dict[str, str] = {}
    fault: Fault | None = None
    detail: str = ""

    def passes(self, check: str) -> bool:
        """Whether the check passed here; a missing result is a failure."""
        return self.outcomes.get(check) == "passed"

    def fails(self, check: str) -> bool:
        """Whether the check failed here; one that was skipped, or is expected to fail, says nothing of the change."""
        return self.outcomes.get(check, "missing") not in {"passed", "skipped", "xfailed"}


class Split(Model):
    """How a set of checks behaved over the repeats of one state."""

    passing: tuple[str, ...]
    failing: tuple[str, ...]
    unstable: tuple[str, ...]


def split(
    checks: Iterable[str],
    observations: Sequence[Observation],
    holds: Callable[[Observation, str], bool] = Observation.passes,
) -> Split:
    """Sort checks by whether they passed (or ``holds`` says so) in every, in no, or in some of the repeats."""
    passing: list[str] = []
    failing: list[str] = []
    unstable: list[str] = []
    for check in checks:
        outcomes = {holds(o, check) for o in observations}
        (unstable if len(outcomes) > 1 else passing if outcomes == {True} else failing).append(check)
    return Split(passing=tuple(passing), failing=tuple(failing), unstable=tuple(unstable))


def judge(expected: Expectation, observations: Sequence[Observation]) -> Verdict:
    """The lifecycle verdict; the first state that is wrong names the reason, healthy before task before restored."""
    faulty = [o for o in observations if o.fault]
    if faulty:
        return _harness_verdict(faulty)
    by_state = {state: [o for o in observations if o.state is state] for state in State}
    absent = [state.value for state in State if not by_state[state]]
    if absent:
        raise ValueError(f"no observation of the {', '.join(absent)} state")
    for verdict in (
        _healthy_verdict(expected, by_state[State.HEALTHY]),
        judge_task_state(expected, by_state[State.TASK]),
        _restored_verdict(expected, by_state[State.RESTORED]),
    ):
        if not verdict.passed:
            return verdict
    failing = split(expected.targets, by_state[State.TASK]).failing
    return passed(
        GATE,
        Reason.VALIDATED,
        f"{len(failing)} of {len(expected.targets)} targets pass, fail, pass;"
        f" {len(expected.regression)} regression checks pass throughout",
        targets=list(failing),
        repeats={state.value: len(runs) for state, runs in by_state.items()},
    )


def judge_task_state(expected: Expectation, observations: Sequence[Observation]) -> Verdict:
    """The part of the verdict that rests on the task state alone (what screening needs)."""
    faulty = [o for o in observations if o.fault]
    if faulty:
        return _harness_verdict(faulty)
    targets = split(expected.targets, observations, lambda seen, check: not seen.fails(check))
    if targets.unstable:
        return _unstable(State.TASK, targets.unstable)
    every = expected.demand is Demand.ALL
    blind = tuple(check for check in targets.passing if every or check in expected.required)
    if blind or not targets.failing:
        wanted = "every one" if every else "each stated one" if blind else "at least one"
        still = blind or targets.passing
        return refused(
            GATE,
            Reason.TARGET_DID_NOT_FAIL,
            f"{len(targets.failing)} of {len(expected.targets)} target checks fail on the task state"
            f" ({wanted} must); still passing: {name_some(still)}",
            passing=list(still),
        )
    regression = split(expected.regression, observations)
    if regression.failing:
        return refused(
            GATE,
            Reason.REGRESSION_BROKE,
            f"{len(regression.failing)} of {len(expected.regression)} regression checks fail on the task state:"
            f" {name_some(regression.failing)}",
            broken=list(regression.failing),
        )
    if regression.unstable:
        return _unstable(State.TASK, regression.unstable)
    observers = split(expected.observers, observations)
    if observers.unstable:
        return _unstable(State.TASK, observers.unstable)
    return passed(GATE, Reason.VALIDATED, f"{len(targets.failing)} targets fail on the task state")


def name_some(ids: Sequence[str], limit: int = 5) -> str:
    """The first few ids and how many more there are."""
    shown = ", ".join(ids[:limit])
    return f"{shown} and {len(ids) - limit} more" if len(ids) > limit else shown


def _healthy_verdict(expected: Expectation, observations: Sequence[Observation]) -> Verdict:
    checks = (*expected.targets, *expected.observers, *expected.regression)
    result = split(checks, observations)
    if result.unstable:
        return _unstable(State.HEALTHY, result.unstable)
    if result.failing:
        return refused(
            GATE,
            Reason.HEALTHY_STATE_FAILED,
            f"{len(result.failing)} checks do not pass on the healthy base: {name_some(result.failing)}",
            broken=list(result.failing),
        )
    return passed(GATE, Reason.VALIDATED)


def _restored_verdict(expected: Expectation, observations: Sequence[Observation]) -> Verdict:
    checks = (*expected.targets, *expected.observers, *expected.regression)
    result = split(checks, observations)
    if result.unstable:
        return _unstable(State.RESTORED, result.unstable)
    if result.failing:
        return refused(
            GATE,
            Reason.RESTORATION_FAILED,
            f"{len(result.failing)} checks do not pass on the restored state: {name_some(result.failing)}",
            broken=list(result.failing),
        )
    return passed(GATE, Reason.VALIDATED)


def _unstable(state: State, checks: Sequence[str]) -> Verdict:
    return refused(
        GATE,
        Reason.UNSTABLE,
        f"repeats of the {state.value} state disagree on {len(checks)} checks: {name_some(checks)}",
        state=state.value,
        unstable=list(checks),
    )


def _harness_verdict(faulty: Sequence[Observation]) -> Verdict:
    forged = [o for o in faulty if o.fault == "forged"]
    worst = (forged or list(faulty))[0]
    reason = REASONS[worst.fault or "crashed"]
    return refused(GATE, reason, f"{worst.state.value} state, repeat {worst.repeat}: {worst.detail}")
