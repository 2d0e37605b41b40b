"""What a base's ``spec.mining`` asks of the miner, in the miner's own terms."""

from __future__ import annotations

from datetime import UTC, datetime, time

from change2task.api.modernbase import Mining
from change2task.api.taskcandidate import Family
from change2task.history.mining.selection import Wish
from change2task.history.mining.survey import Span


def wish_of(mining: Mining) -> tuple[Wish, Span]:
    """What a base's rules ask of the miner."""
    families = frozenset(Family(name) for name in mining.families)
    since = None if mining.since is None else datetime.combine(mining.since, time(), UTC)
    return Wish(limit=mining.limit, families=families, least=mining.minimum_score), Span(since=since)
