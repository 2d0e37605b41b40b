"""Build gate: what compiles on the healthy base must compile on the task state, tested or not.

A compiled project's packages without tests are built by no check, so a task state in which one of them is broken
would pass. The healthy base is asked only when the task state does not build. How a project is built is the result
reader's knowledge.
"""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.checks.passes import PassRecord, PassRunner, ScriptCall
from change2task.validate.lifecycle import State
from change2task.validate.rounds import fault_of, run_settled, script_order, told
from change2task.validate.verdict import Verdict, passed, refused

GATE = "build"


def judge(runner: PassRunner, call: ScriptCall | None, task_tree: str, healthy_tree: str) -> Verdict:
    """Whether all of the task state builds; raises InfrastructureFault and Cancelled."""
    if call is None:
        return passed(GATE, Reason.VALIDATED, "nothing is built by name")
    record = _run(runner, call, task_tree, State.TASK)
    if (fault := fault_of(record)) is not None:
        reason = Reason.RESULTS_FORGED if fault[0] == "forged" else Reason.HARNESS_CRASHED
        return refused(GATE, reason, f"{call.id} on the task state, twice: {fault[1]}")
    outcome, said = told(record.suite, call.id)
    if outcome == "passed":
        return passed(GATE, Reason.VALIDATED, "all of the task state builds")
    before = _run(runner, call, healthy_tree, State.HEALTHY)
    if fault_of(before) is not None or told(before.suite, call.id)[0] != "passed":
        return passed(GATE, Reason.VALIDATED, "not decided: the healthy base does not build as a whole either")
    return refused(GATE, Reason.TASK_STATE_DOES_NOT_LOAD, f"{call.id} fails on the task state: {said or outcome}")


def _run(runner: PassRunner, call: ScriptCall, tree: str, state: State) -> PassRecord:
    return run_settled(runner, script_order(tree, call, 0, f"{state.value}-build"))
