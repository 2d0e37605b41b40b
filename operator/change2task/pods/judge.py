"""The last container of a step: reads what the slots left, replays the pipeline with it, and prints the result.

Everything in a results folder is hostile; only readers touch it. The result goes to the log in one line, its digest to
the termination message, so that the operator knows whether it has read the whole of what was said.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import TextIO

import structlog

from change2task.checks.laying import CheckCommand, read
from change2task.checks.passes import InfrastructureFault, PassRecord
from change2task.pipeline.wire import Answers, CandidateOutcome, StepResult, StepTold, merged
from change2task.pods.places import Places
from change2task.pods.prepare import Laid, LaidPass
from change2task.pods.replay import Needs, read_input, replay

log = structlog.get_logger(__name__)

MARK = "c2t-result: "
MOST_BYTES = 8 << 20
"""Of a result's line: kubelets begin another log file at 10 MiB, and only the last one is given out."""


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
    return StepResult(answers=added, base=found)


def say(result: StepResult, places: Places, out: TextIO) -> None:
    """Print the result and leave its digest. Raises InfrastructureFault for one that no log holds."""
    content = result.canonical()
    line = base64.b64encode(zlib.compress(content, 9)).decode()
    if len(line) > MOST_BYTES:
        raise InfrastructureFault(f"the step's result takes {len(line)} bytes and a log holds {MOST_BYTES}")
    out.write(f"{MARK}{line}\n")
    out.flush()
    told = StepTold(
        digest=hashlib.sha256(content).hexdigest(), done=result.done, needs=result.needs, build=result.build
    )
    places.told.write_bytes(told.canonical())


def _record(one: LaidPass, checks: CheckCommand, places: Places) -> PassRecord:
    reading = read(one.order, checks, places.slot(one.slot) / "results", one.nonce)
    log.info("pass.read", label=one.order.label, ending=reading.suite.ending, results=len(reading.suite.results))
    return PassRecord(
        suite=reading.suite,
        seconds=sum(reading.timings.seconds.values()),
        durations=dict(reading.timings.seconds),
    )
