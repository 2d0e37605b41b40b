"""How far each candidate came, from its stored status and gates alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from change2task.api.taskcandidate import Attempt, TaskCandidate
from change2task.corpus.store import Store

STAGES = ("candidates", "evidence", "aligned", "constructed", "footprint", "lifecycle", "accepted")


def reached(store: Store, candidate: TaskCandidate) -> str:
    """The last stage that let the candidate through."""
    status = candidate.status
    if status.accepted:
        return "accepted"
    if "evidence" not in status.evidence:
        return "candidates"
    if "alignment" not in status.evidence:
        return "evidence"
    gates = [_gates(store, attempt) for attempt in status.attempts if attempt.tree is not None]
    if not gates:
        return "aligned"
    furthest = max(gates, key=len)
    if not any(gate["gate"] == "lifecycle" for gate in furthest):
        return "constructed"
    return "footprint" if furthest[-1]["gate"] == "lifecycle" else "lifecycle"


def _gates(store: Store, attempt: Attempt) -> list[dict[str, Any]]:
    gates: list[dict[str, Any]] = json.loads(store.evidence(attempt.evidence["gates"]))["gates"]
    return gates


def funnel(last_stages: Iterable[str]) -> dict[str, int]:
    """How many candidates each stage let through."""
    counts = Counter(last_stages)
    return {stage: sum(counts[later] for later in STAGES[place:]) for place, stage in enumerate(STAGES)}
