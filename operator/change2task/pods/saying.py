"""How a trusted container says its result: the whole of it in lines of the log, its digest as the last word.

It exists so that the operator knows whether it has read the whole of what was said: logs are cut and lost, and a
termination message is not, but holds little. What the lines look like is ``pipeline.spoken``'s.
"""

from __future__ import annotations

from typing import TextIO

from change2task.checks.passes import InfrastructureFault
from change2task.pipeline.spoken import TooLong, digest_of, lines_of
from change2task.pipeline.wire import BuildResult, FetchResult, MineResult, StepResult, StepTold
from change2task.pods.places import Places

Result = StepResult | FetchResult | BuildResult | MineResult


def say(result: Result, places: Places, out: TextIO) -> None:
    """Print the result and leave its digest. Raises InfrastructureFault for one that no log holds."""
    content = result.canonical()
    try:
        out.writelines(f"{line}\n" for line in lines_of(content))
    except TooLong as error:
        raise InfrastructureFault(str(error)) from error
    out.flush()
    places.told.write_bytes(_told(result, digest_of(content)).canonical())


def _told(result: Result, digest: str) -> StepTold:
    if isinstance(result, StepResult):
        return StepTold(digest=digest, done=result.done, needs=result.needs, build=result.build)
    return StepTold(digest=digest, done=isinstance(result, MineResult) or result.base is not None)
