"""The runs behind the lifecycle gate: each state, repeat by repeat, on fresh trees.

A state is two trees. Hidden checks run on the tree that holds them; regression runs from the test files as T
leaves them, which is what the agent sees (design, "Checks, hidden and visible"). The healthy state may be taken
from the base's inventory, since tree, environment and checks are the same. Judging is left to ``lifecycle``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from change2task.api.model import Model
from change2task.checks.passes import PassOrder, PassRecord, PassRunner, perturbation
from change2task.checks.results import SuiteResult
from change2task.validate.lifecycle import Observation, State

StaticOutcomes = Callable[[str], Mapping[str, str]]
"""Outcomes of the checks that are read rather than run, for a git tree."""


class Selection(Model):
    """What is run where: ids on the tree with the hidden checks, and ids on the tree without them."""

    hidden: tuple[str, ...]
    open: tuple[str, ...]


class StateTrees(Model):
    """The git trees of one state: with the hidden checks, and as the agent sees it."""

    full: str
    open: str


def observe(
    runner: PassRunner,
    state: State,
    repeat: int,
    trees: StateTrees,
    selection: Selection,
    static: StaticOutcomes | None = None,
) -> Observation:
    """Run one repeat of a state; a harness crash is tried once more before it counts.

    Raises InfrastructureFault and Cancelled.
    """
    outcomes: dict[str, str] = dict(static(trees.open)) if static else {}
    signatures: dict[str, str] = {}
    for part, tree, ids in (("hidden", trees.full, selection.hidden), ("open", trees.open, selection.open)):
        if not ids:
            continue
        order = PassOrder(tree=tree, ids=ids, perturbation=perturbation(repeat), label=f"{state.value}-{repeat}-{part}")
        record = run_settled(runner, order)
        if (fault := fault_of(record)) is not None:
            return Observation(state=state, repeat=repeat, outcomes={}, fault=fault[0], detail=fault[1])
        for check in ids:
            outcomes[check], signature = told(record.suite, check)
            if signature:
                signatures[check] = signature
    return Observation(state=state, repeat=repeat, outcomes=outcomes, signatures=signatures)


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


def from_inventory(
    healthy: frozenset[str], selection: Selection, repeats: int, read: Mapping[str, str]
) -> list[Observation]:
    """The healthy state's observations as preflight made them; ``read`` are the outcomes of static checks."""
    outcomes = {check: "passed" if check in healthy else "missing" for check in (*selection.hidden, *selection.open)}
    return [
        Observation(state=State.HEALTHY, repeat=repeat, outcomes={**outcomes, **read}, detail="from the inventory")
        for repeat in range(repeats)
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
