"""Which candidates of a base's history are made on a cluster: the pure decision, as a list of what to create.

Once a base is healthy, what was mined of it is compared with what is there. Never more than the cap is made, over the
whole life of a base: a candidate that somebody deleted is not made again, and one that a person wrote for the same
change is not made twice. All carry one label, by which they are selected and deleted as a set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, time

from change2task.api.mining import MINED_FROM, mined_from
from change2task.api.model import Model
from change2task.api.modernbase import Mining, ModernBase
from change2task.api.taskcandidate import Family, TaskCandidate
from change2task.history.mining.selection import Wish
from change2task.history.mining.survey import Span
from change2task.pipeline import status


class MiningDecision(Model):
    """Candidates to create, in their order, and why there are no others."""

    create: tuple[TaskCandidate, ...] = ()
    message: str


def wish_of(mining: Mining) -> tuple[Wish, Span]:
    """What a base's rules ask of the miner."""
    families = frozenset(Family(name) for name in mining.families)
    since = None if mining.since is None else datetime.combine(mining.since, time(), UTC)
    return Wish(limit=mining.limit, families=families, least=mining.minimum_score), Span(since=since)


def decide_mining(
    base: ModernBase,
    mined: Sequence[TaskCandidate] | None,
    there: Sequence[TaskCandidate],
    made: Collection[str],
) -> MiningDecision:
    """What is to be created now.

    ``mined``: what the miner found, best first; None while it is not known. ``there``: all candidates of the namespace.
    ``made``: names of candidates that mining has made for this base before, deleted ones included.
    """
    rules = base.spec.mining
    if rules is None:
        return MiningDecision(message="mining is off: spec.mining is absent")
    if not status.is_ready(base):
        return MiningDecision(message="mining waits for the base to be healthy")
    if mined is None:
        return MiningDecision(message="mining waits for what its history gives")
    label = mined_from(base.metadata.name)
    own = [one for one in there if one.spec.base_ref.name == base.metadata.name]
    before = {*made, *(one.metadata.name for one in own if one.metadata.labels.get(MINED_FROM) == label)}
    room = rules.limit - len(before)
    taken = {one.metadata.name for one in there} | before
    changes = {one.spec.change.label() for one in own}
    new = [one for one in mined if one.metadata.name not in taken and one.spec.change.label() not in changes]
    create = tuple(_labelled(one, base, label) for one in new[: max(room, 0)])
    left = len(new) - len(create)
    beyond = f"; {left} more are beyond the limit of {rules.limit}" if left else ""
    return MiningDecision(create=create, message=f"{len(before) + len(create)} candidates mined{beyond}")


def _labelled(candidate: TaskCandidate, base: ModernBase, label: str) -> TaskCandidate:
    """As mined, in the base's namespace and with its label, whatever a miner's answer held."""
    meta = candidate.metadata
    return candidate.replacing(
        metadata=meta.replacing(namespace=base.metadata.namespace, labels={**meta.labels, MINED_FROM: label}),
        spec=candidate.spec.replacing(base_ref=candidate.spec.base_ref.replacing(name=base.metadata.name)),
    )
