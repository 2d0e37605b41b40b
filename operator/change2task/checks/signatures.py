"""Failure signatures that are equal when the failure is: addresses, temporary paths and times are taken out.

They are compared between states (does C fail like the historical parent did?), so what changes from run to run must
go and what tells one failure from another must stay.
"""

from __future__ import annotations

import re

LIMIT_BYTES = 300

_CHANGING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x…"),
    (re.compile(r"/(?:tmp|var/tmp|dev/shm)/[^\s'\":,)\]}>]*"), "<tmp>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\s+"), " "),
)


def normalise(text: str) -> str:
    """One line, at most 300 bytes of UTF-8, no control characters, nothing that changes from run to run."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
    for pattern, replacement in _CHANGING:
        clean = pattern.sub(replacement, clean)
    clean = "".join(sign if sign.isprintable() else "�" for sign in clean).strip()
    return clean.encode("utf-8")[:LIMIT_BYTES].decode("utf-8", "ignore")
