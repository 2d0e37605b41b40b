"""Dangling gate: what the task patch takes away must not be missed by code that stays.

Undoing a change on later code can remove a definition that later code has come to use. The task state is then
broken code of another feature, whose tests fail with the target's and would pass for observers of the change.
What counts as missed stands in ``construct.missed``; what is compiled is left to its compiler (``builds``).
"""

from __future__ import annotations

from collections.abc import Mapping

from change2task.api.reasons import Reason
from change2task.construct.missed import Stood, missed
from change2task.patch.paths import quote
from change2task.validate.verdict import Verdict, passed, refused

GATE = "dangling"


def judge(
    before: Mapping[bytes, bytes], after: Mapping[bytes, bytes], others: Mapping[bytes, bytes], stood: Stood
) -> Verdict:
    """Refuse when a definition of ``before`` that is gone in ``after`` is still used in the task state's source.

    ``before`` and ``after`` are the changed files by path on the healthy base and on the task state; ``others`` the
    source files that the task patch leaves alone.
    """
    found = [
        f"{quote(m.path)} takes away {m.name}, which {quote(m.user)} uses" for m in missed(before, after, others, stood)
    ]
    found = list(dict.fromkeys(found))
    if found:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return refused(GATE, Reason.DANGLING_REFERENCE, "; ".join(found[:3]) + more, missed=found[:20])
    return passed(GATE, Reason.VALIDATED, "nothing taken away is missed")
