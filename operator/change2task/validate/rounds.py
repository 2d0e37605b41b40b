"""The runs behind the lifecycle gate: each state, repeat by repeat, on fresh trees.

A state is two trees. Hidden checks run on the tree that holds them; regression runs from the test files as T
leaves them, which is what the agent sees (design, "Checks, hidden and visible"). The healthy state may be taken
from the base's inventory, since tree, environment and checks are the same. Judging is left to ``lifecycle``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from change2task.api.model import Model
from change2task.checks.passes import PassOrder, PassRecord, PassRunner, ScriptCall, perturbation
from change2task.checks.results import SuiteResult
from change2task.validate.lifecycle import Observation, State
from change2task.validate.oracles import Readings


@dataclass(frozen=True)
class Beside:
    """The checks that are no tests: how those are read that are read, and the scripts."""

    read: Readings
    scripts: tuple[ScriptCall, ...] = ()


class Selection(Model):
    """What is run where: ids on the tree with the hidden checks, and ids on the tree without them."""

    hidden: tuple[str, ...]
    open: tuple[str, ...]


class StateTrees(Model):
    """The git trees of one state: with the hidden checks, and as the agent sees it."""

    full: str
    open: str


def observe(
    runner: PassRunner, state: State, repeat: int, trees: StateTrees, selection: Selection, beside: Beside
) -> Observation:
    """Run one repeat of a state; a harness crash is tried once more before it counts.

    Raises InfrastructureFault and Cancelled.
    """
    first = observe_beside(runner, state, repeat, trees.open, beside)
    if first.fault is not None:
        return first
    outcomes, signatures = dict(first.outcomes), dict(first.signatures)
    for order in _test_orders(state, repeat, trees, selection):
        record = run_settled(runner, order)
        if (fault := fault_of(record)) is not None:
            return Observation(state=state, repeat=repeat, outcomes={}, fault=fault[0], detail=fault[1])
        for check in order.ids or ():
            outcomes[check], signature = told(record.suite, check)
            if signature:
                signatures[check] = signature
    return Observation(state=state, repeat=repeat, outcomes=outcomes, signatures=signatures)


def orders_of(state: State, repeat: int, trees: StateTrees, selection: Selection, beside: Beside) -> list[PassOrder]:
    """Every pass that ``observe`` asks for when nothing goes wrong, in its order."""
    scripts = [script_order(trees.open, script, repeat, state.value) for script in beside.scripts]
    return [*scripts, *_test_orders(state, repeat, trees, selection)]


def _test_orders(state: State, repeat: int, trees: StateTrees, selection: Selection) -> list[PassOrder]:
    return [
        PassOrder(tree=tree, ids=ids, perturbation=perturbation(repeat), label=f"{state.value}-{repeat}-{part}")
        for part, tree, ids in (("hidden", trees.full, selection.hidden), ("open", trees.open, selection.open))
        if ids
    ]


def observe_beside(runner: PassRunner, state: State, repeat: int, tree: str, beside: Beside) -> Observation:
    """One repeat of the checks that are no tests. Raises InfrastructureFault and Cancelled."""
    read = beside.read(tree)
    outcomes: dict[str, str] = {check: said.outcome for check, said in read.items()}
    signatures = {check: said.message for check, said in read.items() if said.outcome != "passed"}
    for script in beside.scripts:
        record = run_settled(runner, script_order(tree, script, repeat, state.value))
        if (fault := fault_of(record)) is not None:
            kind = "forged" if fault[0] == "forged" else "noVerdict"
            return Observation(
                state=state, repeat=repeat, outcomes={}, fault=kind, detail=f"script {script.id}: {fault[1]}"
            )
        outcomes[script.id], signature = told(record.suite, script.id)
        if signature:
            signatures[script.id] = signature
    return Observation(state=state, repeat=repeat, outcomes=outcomes, signatures=signatures)


def observe_healthy(runner: PassRunner, tree: str, repeats: int, beside: Beside) -> list[Observation]:
    """The checks that are no tests on the healthy state, as often as it is asked; no inventory knows them."""
    return [observe_beside(runner, State.HEALTHY, repeat, tree, beside) for repeat in range(repeats)]


def script_order(tree: str, script: ScriptCall, repeat: int, label: str) -> PassOrder:
    """The pass of one script on a tree."""
    # A name of a script may hold anything, a label names a file.
    name = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in script.id)[:40]
    return PassOrder(tree=tree, script=script, perturbation=perturbation(repeat), label=f"{label}-{repeat}-{name}")


def run_settled(runner: PassRunner, order: PassOrder) -> PassRecord:
    """A pass, run a second time when the harness gave no verdict the first time."""
    record = runner.run(order)
    if fault_of(record) is None:
        return record
    return runner.run(order.replacing(label=f"{order.label}-again"))


def fault_of(record: PassRecord) -> tuple[Literal["crashed", "forged"], str] | None:
    """``crashed`` or ``forged`` and a sentence, when this result is no verdict."""
    suite = record.suite
    if suite.canaries is False:
        return "forged", suite.harness_error or "a planted canary did not end as it must"
    if record.stopped_by is not None:
        return "crashed", f"the run was stopped at its limit of {record.stopped_by}"
    if suite.harness_error is not None:
        return "crashed", suite.harness_error
    if suite.ending in {"deadline", "flood", "interrupted"}:
        return "crashed", suite.message or f"the run ended by {suite.ending}"
    return None


def told(suite: SuiteResult, check: str) -> tuple[str, str]:
    """A check's outcome and failure signature; absent is ``missing``, signed by its file's collection error."""
    result = suite.results.get(check)
    if result is not None:
        return result.outcome, result.signature or ""
    scope = check.partition("::")[0]
    error = next((e for e in suite.collection_errors if e.file == scope), None)
    if error is not None:
        return "missing", error.signature
    return "missing", suite.message or "" if not suite.finished else ""


def from_inventory(healthy: frozenset[str], selection: Selection, beside: Sequence[Observation]) -> list[Observation]:
    """The healthy state's observations as preflight made them, each joined to one of the checks ``beside`` tests."""
    tests = {check: "passed" if check in healthy else "missing" for check in (*selection.hidden, *selection.open)}
    return [
        one.replacing(outcomes={**tests, **one.outcomes}, detail=one.detail or "tests from the inventory")
        for one in beside
    ]


def evidence(observations: list[Observation], selection: Selection) -> dict[str, Any]:
    """All observations as one compact document: per run only what did not pass is listed."""
    return {
        "selection": selection.document(),
        "runs": [
            {
                "state": o.state.value,
                "repeat": o.repeat,
                "passed": sum(outcome == "passed" for outcome in o.outcomes.values()),
                "notPassed": {
                    check: {"outcome": outcome, "signature": o.signatures.get(check, "")}
                    for check, outcome in sorted(o.outcomes.items())
                    if outcome != "passed"
                },
                **({"fault": o.fault} if o.fault else {}),
                **({"detail": o.detail} if o.detail else {}),
            }
            for o in observations
        ],
    }
