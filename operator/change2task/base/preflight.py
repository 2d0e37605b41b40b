"""Runs the whole suite on a base, as often and as varied as validation will, and refuses bases it cannot rest on.

It exists so that every task of a base starts from checks known to be healthy. What a check's outcomes mean is left
to ``inventory``; how a pass is run, to the runner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import structlog

from change2task.api.reasons import Reason
from change2task.base import inventory
from change2task.base.faults import Faulted, health_fault
from change2task.base.inventory import Inventory
from change2task.checks.passes import PassOrder, PassRecord, PassRunner, perturbation
from change2task.checks.plan import Perturbation
from change2task.checks.results import SuiteResult

_log = structlog.get_logger(__name__)
_SHOWN = 3


class Preflight(NamedTuple):
    """What was found; ``durations`` are seconds a test, the longest seen, ``seconds`` the wall time of each pass."""

    inventory: Inventory
    durations: dict[str, float]
    seconds: tuple[float, ...]


def preflight(
    runner: PassRunner,
    tree: str,
    environment: str,
    *,
    timeout_seconds: float,
    repeats: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> Preflight:
    """Run every check of ``tree`` at least twice. Raises Faulted, InfrastructureFault, Cancelled.

    ``environment`` is its key. A crash of the harness is repeated once: only the same again is a fault of the base.
    """
    if repeats < 2:
        raise ValueError(f"repeats: {repeats}; stability shows from the second pass on")
    records: list[tuple[Perturbation, PassRecord]] = []
    runner.foresee([_order(tree, perturbation(repeat)) for repeat in range(repeats)])
    for repeat in range(repeats):
        varied = perturbation(repeat)
        progress(f"preflight {repeat + 1}/{repeats}")
        records.append((varied, _one(runner, tree, varied, timeout_seconds)))
    found = inventory.take(tree, environment, [(_words(varied), record.suite) for varied, record in records])
    _log.debug("preflight", healthy=len(found.healthy), other=len(found.other))
    if not found.healthy:
        raise _none_healthy(found)
    durations: dict[str, float] = {}
    for _, record in records:
        for identity, seconds in record.durations.items():
            durations[identity] = max(seconds, durations.get(identity, 0.0))
    return Preflight(found, durations, tuple(record.seconds for _, record in records))


def _one(runner: PassRunner, tree: str, varied: Perturbation, timeout_seconds: float) -> PassRecord:
    record = runner.run(_order(tree, varied))
    crash = _crash(record)
    if crash is not None:
        _log.warning("the harness crashed on the base; once more", detail=crash)
        record = runner.run(_order(tree, varied, "-again"))
        again = _crash(record)
        if again is not None:
            raise health_fault(Reason.HARNESS_CRASHED, f"twice on the base: {again}")
    fault = _fault(record, timeout_seconds)
    if fault is not None:
        raise fault
    return record


def _order(tree: str, varied: Perturbation, label: str = "") -> PassOrder:
    return PassOrder(tree=tree, ids=None, perturbation=varied, label=f"preflight-{varied.hash_seed}{label}")


def _crash(record: PassRecord) -> str | None:
    """A crash of the harness, where repeating may help; a limit of the sandbox is none."""
    suite = record.suite
    if record.stopped_by is not None:
        return None
    if suite.harness_error is not None:
        return suite.harness_error
    if suite.ending in {"stuck", "interrupted"} and (suite.results or suite.collected):
        return suite.message or f"the pass ended early ({suite.ending})"
    return None


def _fault(record: PassRecord, timeout_seconds: float) -> Faulted | None:
    """Why a base cannot rest on this pass, or None."""
    suite = record.suite
    came = f"{len(suite.results)} of {len(suite.collected) or 'an unknown number of'} tests had run"
    if record.stopped_by not in {None, "deadline"}:
        return health_fault(
            Reason.UNHEALTHY, f"the suite was stopped at its limit of {record.stopped_by}; {came} by then"
        )
    if suite.canaries is False:
        return health_fault(Reason.RESULTS_FORGED, "the planted tests did not end as they must on the base itself")
    if suite.ending == "rebuildFailed":
        return health_fault(Reason.SETUP_FAILED, f"a rebuild step failed on the base: {suite.message}")
    if suite.ending == "deadline" or record.stopped_by == "deadline":
        return health_fault(
            Reason.UNHEALTHY,
            f"the suite was not over after {timeout_seconds:g} s, {came} by then;"
            " raise checks.timeoutSeconds, or run fewer tests (checks.command)",
        )
    if suite.finished and (suite.results or suite.collected):
        return None
    if suite.finished or suite.ending == "stuck":
        return health_fault(Reason.NO_CHECKS, _no_checks(suite))
    return health_fault(Reason.UNHEALTHY, f"{suite.message or suite.ending}; {came} by then")


def _no_checks(suite: SuiteResult) -> str:
    if suite.collection_errors:
        shown = "; ".join(f"{error.file}: {error.signature}" for error in suite.collection_errors[:_SHOWN])
        return f"no test could be collected, {len(suite.collection_errors)} files have errors: {shown}"
    return (suite.message or "the check command found no test") + " Look at checks.command and scope.tests."


def _none_healthy(found: Inventory) -> Faulted:
    shown = "; ".join(f"{identity}: {check.reason}" for identity, check in list(found.other.items())[:_SHOWN])
    return health_fault(
        Reason.NO_HEALTHY_CHECKS, f"none of {len(found.other)} checks passes on every repeat, such as {shown}"
    )


def _words(varied: Perturbation) -> str:
    order = "own order" if varied.order_seed is None else f"order {varied.order_seed}"
    return f"hash seed {varied.hash_seed}, {order}, {varied.time_zone}"
