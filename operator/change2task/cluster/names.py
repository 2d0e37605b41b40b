"""Names, labels and annotations of everything the operator makes, so that it finds its own again and nothing else.

Names come from content: what is made twice for the same reason has the same name, and the second is found to be there.
"""

from __future__ import annotations

import hashlib
import re

GROUP = "change2task.dev"
MANAGED = "app.kubernetes.io/managed-by"
MANAGER = "change2task"
SUBJECT_UID = f"{GROUP}/uid"
"""Label: uid of the resource that a Job or pod works for; names are too long for a label's value."""
SUBJECT_KIND = f"{GROUP}/kind"
BASE = f"{GROUP}/base-uid"
"""Label: uid of the base that it rests on, by which work on one base is counted."""
STEP = f"{GROUP}/step"
ATTEMPT = f"{GROUP}/attempt"
NETWORK = f"{GROUP}/network"
"""Label by which policies know a pod: none, or fetch."""
KEY = f"{GROUP}/key"
"""Annotation: what the work is identified by; a Job of another key is of an earlier spec or base."""
SUBJECT_NAME = f"{GROUP}/name"
"""Annotation: the resource's name, for people."""
SUBJECT_NAMESPACE = f"{GROUP}/namespace"
"""Annotation: the resource's namespace, on what works for it in another one."""
ENDED = f"{GROUP}/ended"
"""Annotation: why a Job of ours was ended before its time, as JSON."""

_MOST = 52
"""Of a Job's name: pods add to it, and their names become host names of 63."""


def job_name(kind: str, name: str, *identity: object) -> str:
    """A Job's name: the resource's for people, and a digest over ``identity`` that makes it the only one."""
    digest = hashlib.sha256("\0".join(str(part) for part in (kind, *identity)).encode()).hexdigest()[:12]
    plain = re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")
    return f"{plain[: _MOST - len(digest) - 1].rstrip('-') or kind}-{digest}"
