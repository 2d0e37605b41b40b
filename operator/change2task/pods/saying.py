"""How a trusted container says its result: the whole of it in one line of the log, its digest as the last word.

It exists so that the operator knows whether it has read the whole of what was said: logs are cut and lost, and a
termination message is not, but holds little.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import TextIO

from change2task.checks.passes import InfrastructureFault
from change2task.pipeline.wire import BuildResult, FetchResult, StepResult, StepTold
from change2task.pods.places import Places

MARK = "c2t-result: "
MOST_BYTES = 8 << 20
"""Of a result's line: kubelets begin another log file at 10 MiB, and only the last one is given out."""

Result = StepResult | FetchResult | BuildResult


def say(result: Result, places: Places, out: TextIO) -> None:
    """Print the result and leave its digest. Raises InfrastructureFault for one that no log holds."""
    content = result.canonical()
    line = base64.b64encode(zlib.compress(content, 9)).decode()
    if len(line) > MOST_BYTES:
        raise InfrastructureFault(f"the result takes {len(line)} bytes and a log holds {MOST_BYTES}")
    out.write(f"{MARK}{line}\n")
    out.flush()
    places.told.write_bytes(_told(result, hashlib.sha256(content).hexdigest()).canonical())


def _told(result: Result, digest: str) -> StepTold:
    if isinstance(result, StepResult):
        return StepTold(digest=digest, done=result.done, needs=result.needs, build=result.build)
    return StepTold(digest=digest, done=result.base is not None)
