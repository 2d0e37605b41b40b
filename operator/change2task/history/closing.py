"""The issues that a change closes: a change log may name those and not the request.

Told by the words with which a forge closes an issue, and by names of news fragments, which are the issue's number. An
issue that is only mentioned is not closed, nor is one of another project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_CLOSED = re.compile(
    r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+((?:issue\s+)?(?:#|GH-|https?://\S{1,200}/issues/)\d{1,9}\b"
    r"(?:\s*(?:,|and|&)\s*(?:#|GH-)\d{1,9}\b)*)"
)
_NUMBER = re.compile(r"\d+\Z|\d+(?=\s*(?:,|and|&))")
_FRAGMENT = re.compile(r"(\d{1,9})\.\w")
_MOST = 20
_READ = 100_000


def closed_issues(messages: Iterable[str], fragments: Iterable[str] = ()) -> tuple[int, ...]:
    """Numbers of issues that ``messages`` close or ``fragments``, names of files, are called after; at most twenty."""
    said = (
        number[0]
        for text in messages
        for found in _CLOSED.finditer(text[:_READ])
        for number in _NUMBER.finditer(found[1])
    )
    called = (found[1] for name in fragments if (found := _FRAGMENT.match(name)))
    return tuple(dict.fromkeys(int(number) for number in (*said, *called)))[:_MOST]
