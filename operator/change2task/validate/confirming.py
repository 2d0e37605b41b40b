"""Confirming a screened proposal: every repeat of the task and restored states on fresh trees, then fidelity in full.

The healthy state's tests are taken from the base's inventory as far as it asked them; more repeats are run here.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.api.fidelity import ChangeProfile
from change2task.checks.passes import ASKED_OF_THE_BASE, PassOrder, PassRunner
from change2task.validate import fidelity, hidden, lifecycle, rounds
from change2task.validate.case import Case
from change2task.validate.expected import expectation
from change2task.validate.lifecycle import Observation, State
from change2task.validate.qualification import Qualification
from change2task.validate.rounds import Beside, StateTrees, orders_of


def confirm(
    runner: PassRunner,
    case: Case,
    task: StateTrees,
    restored: StateTrees,
    beside: Beside,
    result: Qualification,
    *,
    ahead: Sequence[PassOrder] = (),
) -> Observation:
    """Note the whole lifecycle's verdict, and give what was first seen of the task state.

    ``ahead`` are passes that come afterwards if this goes well. Raises Refused, InfrastructureFault and Cancelled.
    """
    selection = hidden.selection(case, result)
    stated = rounds.observe_healthy(runner, case.healthy_tree, case.healthy_repeats, beside)
    observed = rounds.from_inventory(case.healthy, selection, stated[:ASKED_OF_THE_BASE])
    healthy = StateTrees(full=case.healthy_tree, open=case.healthy_tree)
    rest = [
        *((State.HEALTHY, repeat, healthy) for repeat in range(ASKED_OF_THE_BASE, case.healthy_repeats)),
        *((State.TASK, repeat, task) for repeat in range(case.task_repeats)),
        *((State.RESTORED, repeat, restored) for repeat in range(case.healthy_repeats)),
    ]
    orders = [o for state, repeat, trees in rest for o in orders_of(state, repeat, trees, selection, beside)]
    runner.foresee([*orders, *ahead])
    for state, repeat, trees in rest:
        observed.append(rounds.observe(runner, state, repeat, trees, selection, beside))
        if state is State.TASK:
            _stop_early(case, observed, result)
    result.runs = rounds.evidence(observed, selection)
    result.note(lifecycle.judge(expectation(case, result), observed))
    return next(one for one in observed if one.state is State.TASK)


def judge_fidelity(case: Case, modern: ChangeProfile, result: Qualification) -> None:
    """Note the fidelity gate's answer over all six dimensions, with the checks as they turned out."""
    naming = case.naming
    functions = {naming.name(check).place for check in result.targets} & case.tests.places
    held = {naming.name(check).place for check in (*result.regression, *result.hidden_regression)}
    counted = modern.replacing(target_checks=len(functions), regression_checks=len(held & case.historical_regression))
    result.fidelity = fidelity.measure(case.source_profile, counted)
    result.note(fidelity.judge(result.fidelity))


def _stop_early(case: Case, observed: list[Observation], result: Qualification) -> None:
    """One repeat of the task state that is wrong decides; the restored state need not be run."""
    tasks = [one for one in observed if one.state is State.TASK]
    verdict = lifecycle.judge_task_state(expectation(case, result), tasks)
    if not verdict.passed:
        result.runs = rounds.evidence(observed, hidden.selection(case, result))
        result.note(verdict)
