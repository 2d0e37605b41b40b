"""Stage keys: the hash of a stage's inputs, profile and version, so that finished work is never redone.

A key changes exactly when the result could (design, "Identity"). What is remembered under a key is left to the
store.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from change2task.api.modernbase import ModernBase, Scope
from change2task.api.taskcandidate import Profile, TaskCandidate

VERDICT = "verdict"
"""The stage under which a candidate's status keeps the key of its verdict."""

VERDICT_VERSION = 12
"""Raised whenever alignment, construction or validation may decide differently on the same inputs."""

RETRY_ANNOTATION = "change2task.dev/retry"
REPLAY_ANNOTATION = "change2task.dev/replay"
"""Of a task on a cluster: another word asks for another replay."""
REPLAY_TIMES_ANNOTATION = "change2task.dev/replay-times"
MOST_REPLAYS = 20
"""Replays in one request on a cluster: each is a Job, and the results of all travel with the next."""
OUTCOME_ANNOTATION = "change2task.dev/outcome"
"""Of a task on a cluster: where its candidate's outcome lies, with all evidence."""
PARCEL_ANNOTATION = "change2task.dev/base"
"""Of a task on a cluster: where what is known of its base lies; it outlives the base."""


def verdict_key(
    candidate: TaskCandidate, base_key: str, inventory_digest: str, scope: Scope, profile: Profile, forge: str
) -> str:
    """The key of a candidate's verdict; ``forge`` is the digest of what the forge export could say, or empty."""
    spec = candidate.spec.document()
    spec.pop("suspend", None)
    return digest(
        VERDICT,
        VERDICT_VERSION,
        spec,
        base_key,
        inventory_digest,
        scope.document(),
        profile.value,
        forge,
        candidate.metadata.annotations.get(RETRY_ANNOTATION, ""),
    )


def base_work_key(base: ModernBase, stages: Mapping[str, str]) -> str:
    """What preparing a base is identified by: its spec, the versions of the stages that make it, a retry's token."""
    spec = base.spec.document()
    for name in ("mining", "retention"):
        spec.pop(name, None)
    return digest("base", dict(stages), spec, base.metadata.annotations.get(RETRY_ANNOTATION, ""))


def digest(*parts: object) -> str:
    """SHA-256 over the canonical JSON of ``parts``."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
