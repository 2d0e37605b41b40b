"""What is said to a person whose change no strategy could undo: what was tried, what stopped it, and the ways out."""

from __future__ import annotations

from collections.abc import Sequence

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Attempt
from change2task.construct.models import Assignment
from change2task.construct.obstacles import Obstacle, obstacles
from change2task.validate.verdict import Verdict, refused
from change2task.vcs.errors import MissingObject, NotAnAncestor
from change2task.vcs.repository import Repository

_SHOWN = 3
_LONGEST = 4000


def exhausted(repository: Repository, assignment: Assignment, attempts: Sequence[Attempt], paper: bool) -> Verdict:
    """The verdict on a change for which no strategy proposed anything; ``paper``: only the paper's were asked."""
    try:
        in_the_way = obstacles(repository, assignment)
    except (MissingObject, NotAnAncestor):
        in_the_way = ()
    return refused("construction", Reason.CONSTRUCTION_EXHAUSTED, told(attempts, in_the_way, paper=paper)[:_LONGEST])


def told(attempts: Sequence[Attempt], in_the_way: Sequence[Obstacle], *, paper: bool) -> str:
    """The message: what was tried, what came nearest, which later commits stand in the way, and what may be done."""
    refusals = [attempt for attempt in attempts if attempt.outcome != "duplicate"]
    strategies = tuple(dict.fromkeys(attempt.strategy for attempt in attempts))
    if not strategies:
        return (
            "no strategy of this profile counts under the levels that are permitted; name more of them in"
            " spec.construction.levels"
        )
    parts = [f"no strategy could undo the change on the base, so nothing was run ({_tried(strategies)})"]
    if refusals:
        # The ladder goes from the strictest to the most lenient.
        parts.append(f"the last to find a reason against it, {refusals[-1].strategy}: {refusals[-1].message}")
    else:
        parts.append("undoing it leaves the base as it is: later work has taken the change back already")
    for one in in_the_way[:_SHOWN]:
        when = one.commit.committer_time.date().isoformat()
        parts.append(
            f"in the way stands commit {one.commit.oid[:12]} of {when}, {one.commit.subject[:80]!r}, which"
            f" rewrote lines of the change in {one.path}"
        )
    if len(in_the_way) > _SHOWN:
        parts.append(f"and later commits in {len(in_the_way) - _SHOWN} more files")
    ways = ["take another change"]
    if in_the_way:
        ways.insert(0, "set the base's spec.revision to a healthy commit before what stands in the way")
    if paper:
        ways.insert(0, "let all strategies try (--profile full)")
    parts.append(f"what can be done: {'; or '.join(ways)}; what each strategy said is told by change2task explain")
    return "; ".join(parts)


def _tried(strategies: Sequence[str]) -> str:
    count = len(strategies)
    return f"{count} {'strategy' if count == 1 else 'strategies'} tried: {', '.join(strategies)}"
