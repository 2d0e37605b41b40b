"""Screening of one proposal: the targets alone on the task state, since most bad proposals fail there; then whether
all of it builds, regression from the agent's tree, and the roles of what fails.

One run of each, in the suite's own order. What passes here is confirmed on every repeat by ``confirming``.
"""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.checks.passes import PassOrder, PassRecord, PassRunner, perturbation
from change2task.checks.roles import Role, RoleVerdict
from change2task.validate import ages, builds, hidden, lifecycle, rounds
from change2task.validate.case import Case
from change2task.validate.expected import beside_ids, demanded
from change2task.validate.lifecycle import Expectation, State
from change2task.validate.parents import BrokenByHiding, classify
from change2task.validate.qualification import Left, Qualification
from change2task.validate.rounds import Beside
from change2task.validate.verdict import refused
from change2task.vcs.repository import Repository

_ROUNDS = 2
"""Observers found in the first round are hidden in the second."""


def screen_targets(
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, beside: Beside, result: Qualification
) -> None:
    """Note whether the targets fail on the task state, and which, and whether cases of later work fail with them."""
    mapped = case.tests.ids
    first = rounds.observe_beside(runner, State.TASK, 0, task_tree, beside)
    if first.fault is None and mapped:
        order = PassOrder(tree=task_tree, ids=mapped, perturbation=perturbation(0), label="task-screen-targets")
        record = rounds.run_settled(runner, order)
        _note_fault(record, result)
        told = {check: rounds.told(record.suite, check)[0] for check in mapped}
        first = first.replacing(outcomes={**first.outcomes, **told})
    candidates = tuple(dict.fromkeys((*mapped, *beside_ids(case, "target"))))
    failing = tuple(check for check in candidates if first.fails(check))
    expected = Expectation(
        targets=demanded(case, candidates, failing),
        required=tuple(sorted(case.stated_targets)),
        regression=beside_ids(case, "regression"),
        demand=case.demand,
    )
    result.note(lifecycle.judge_task_state(expected, [first]))
    result.targets = failing
    later = ages.of_later_work(repository, case, (c for c in failing if c not in case.stated_targets))
    if later and not ages.undoes_no_more(repository, case, task_tree):
        _note_later(later, result)


def screen_regression(
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, result: Qualification
) -> str:
    """Note whether what builds and passes on the base does so on the agent's tree, which is given back."""
    tree = hidden.agent_tree(repository, case, task_tree, result)
    building = builds.judge(runner, case.build, tree, case.healthy_tree)
    while not building.passed and (left := result.plainer) is not None:
        tree = _leaving(left, repository, case, task_tree, result)
        building = builds.judge(runner, case.build, tree, case.healthy_tree)
    result.note(building)
    for _ in range(_ROUNDS):
        record, failing = _run_open(runner, case, tree, result)
        best = result.left
        while failing and (left := result.plainer) is not None:
            plainer = _leaving(left, repository, case, task_tree, result)
            again, still = _run_open(runner, case, plainer, result)
            if set(failing) - set(still):
                best, tree, record, failing = result.left, plainer, again, still
        if result.left is not best:
            tree = _leaving(best, repository, case, task_tree, result)
        if failing and case.helpers and not result.older_helpers:
            result.older_helpers = True
            older = hidden.agent_tree(repository, case, task_tree, result)
            again, still = _run_open(runner, case, older, result)
            if set(failing) - set(still):
                tree, record, failing = older, again, still
            else:
                result.older_helpers = False
                tree = hidden.agent_tree(repository, case, task_tree, result)
        if not failing:
            break
        ids = hidden.regression(case, result).open
        _note_load(record, ids, result)
        roles = _roles(repository, runner, case, task_tree, failing, record, result)
        result.roles = (*result.roles, *roles)
        _note_broken(roles, len(ids), record, result)
        result.observers = tuple(sorted({*result.observers, *failing}))
        tree = hidden.agent_tree(repository, case, task_tree, result)
    result.hidden_regression, result.regression = hidden.regression(case, result)
    return tree


def _leaving(left: Left, repository: Repository, case: Case, task_tree: str, result: Qualification) -> str:
    """The agent's tree with more of what names the change, in case that checks or the build need it."""
    result.left = left
    return hidden.agent_tree(repository, case, task_tree, result)


def _run_open(runner: PassRunner, case: Case, tree: str, result: Qualification) -> tuple[PassRecord, list[str]]:
    """One run of what the agent sees of regression, and what of it did not pass."""
    ids = hidden.regression(case, result).open
    if not ids:
        message = "no regression check is left beside the hidden ones"
        raise result.refuse(lifecycle.GATE, Reason.NO_REGRESSION_CHECKS, message)
    order = PassOrder(tree=tree, ids=ids, perturbation=perturbation(0), label="task-screen-regression")
    record = rounds.run_settled(runner, order)
    _note_fault(record, result)
    return record, [check for check in ids if rounds.told(record.suite, check)[0] != "passed"]


def _roles(
    repository: Repository,
    runner: PassRunner,
    case: Case,
    task_tree: str,
    failing: list[str],
    record: PassRecord,
    result: Qualification,
) -> tuple[RoleVerdict, ...]:
    stated = [check for check in failing if check in case.stated_regression]
    others = [check for check in failing if check not in case.stated_regression]
    forced = (RoleVerdict(id=check, role=Role.REGRESSION, why="stated as regression") for check in stated)
    try:
        told = classify(repository, runner, case, task_tree, others, record.suite)
    except BrokenByHiding as error:
        raise result.refuse(hidden.GATE, Reason.TARGETS_NOT_HIDABLE, str(error)) from error
    return (*forced, *told)


def _note_broken(roles: tuple[RoleVerdict, ...], of: int, record: PassRecord, result: Qualification) -> None:
    broken = [role for role in roles if role.role is Role.REGRESSION]
    if not broken:
        return
    shown = "; ".join(f"{role.id} ({role.why})" for role in broken[:3])
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    result.note(
        refused(
            lifecycle.GATE,
            Reason.REGRESSION_BROKE,
            f"{len(broken)} of {of} regression checks fail on the task state: {shown}{more}",
            broken=[role.document() for role in broken],
            signatures={r.id: rounds.told(record.suite, r.id)[1] for r in broken[: lifecycle.NAMED]},
        )
    )


def _note_later(later: tuple[str, ...], result: Qualification) -> None:
    why = "a case that later work added, and that names nothing of the change, where more than the change is undone"
    message = (
        f"{len(later)} of the change's tests fail in cases of later work, and lines are undone that are not the"
        f" change's: {lifecycle.name_some(later)}"
    )
    broken = [RoleVerdict(id=check, role=Role.REGRESSION, why=why).document() for check in later]
    result.note(refused(lifecycle.GATE, Reason.REGRESSION_BROKE, message, broken=broken))


def _note_fault(record: PassRecord, result: Qualification) -> None:
    fault = rounds.fault_of(record)
    if fault is not None:
        reason = Reason.RESULTS_FORGED if fault[0] == "forged" else Reason.HARNESS_CRASHED
        raise result.refuse(lifecycle.GATE, reason, f"{State.TASK.value} state, twice: {fault[1]}")


def _note_load(record: PassRecord, ids: tuple[str, ...], result: Qualification) -> None:
    suite = record.suite
    if any(check in suite.results for check in ids):
        return
    why = suite.message or next((e.signature for e in suite.collection_errors), "no regression check was collected")
    raise result.refuse(lifecycle.GATE, Reason.TASK_STATE_DOES_NOT_LOAD, f"no regression check ran: {why}")
