"""The last container of a step: reads what the slots left, and replays the pipeline with it.

Everything in a results folder is hostile; only readers touch it. How the result is said is left to ``saying``.
"""

from __future__ import annotations

import structlog

from change2task.base.leftovers import open_up
from change2task.checks import raw
from change2task.checks.laying import CheckCommand, read
from change2task.checks.passes import InfrastructureFault, PassRecord
from change2task.pipeline.wire import Answers, CandidateOutcome, StepResult, merged
from change2task.pods.places import STOPPED, Places
from change2task.pods.prepare import Laid, LaidPass
from change2task.pods.replay import Needs, read_input, replay

log = structlog.get_logger(__name__)

_DEADLINE = "deadline"
"""The one limit that a slot itself knows; what tests write there themselves only ends their own pass."""


def judge(places: Places) -> StepResult:
    """The step's result. Raises InfrastructureFault."""
    asked, earlier = read_input(places)
    try:
        laid = Laid.model_validate_json((places.desk / "laid.json").read_bytes())
    except (OSError, ValueError) as error:
        raise InfrastructureFault(f"what was laid cannot be read: {error}") from error
    added: Answers = {}
    if laid.checks is not None:
        for one in laid.passes:
            added = merged(added, {one.order.key(): (_record(one, laid.checks, places),)})
    found = replay(asked, merged(earlier, added), places)
    if isinstance(found, Needs):
        needs = 0 if found.passes is None else len(found.passes.orders)
        return StepResult(answers=added, needs=needs, build=found.passes is None)
    if isinstance(found, CandidateOutcome):
        return StepResult(answers=added, candidate=found)
    if isinstance(found, tuple):
        return StepResult(answers=added, replays=found)
    return StepResult(answers=added, base=found)


def _record(one: LaidPass, checks: CheckCommand, places: Places) -> PassRecord:
    results = places.slot(one.slot) / "results"
    # Tests may have closed it; nothing of the slot runs any more, and all of it is the same user's.
    open_up(results)
    reading = read(one.order, checks, results, one.nonce)
    log.info("pass.read", label=one.order.label, ending=reading.suite.ending, results=len(reading.suite.results))
    return PassRecord(
        suite=reading.suite,
        seconds=sum(reading.timings.seconds.values()),
        stopped_by=_DEADLINE if raw.marker(results, STOPPED) == _DEADLINE else None,
        durations=dict(reading.timings.seconds),
    )
