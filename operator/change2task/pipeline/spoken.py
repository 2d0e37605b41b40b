"""A result as lines of a log, and back: short lines, each with its place and the digest of the whole.

It exists because a log is no pipe. Container runtimes keep lines of more than 16 KiB in pieces, and what is written to
the other stream meanwhile lands between them; so no line is long enough to be cut. Lines bear the digest, which nobody
knows before there is a result, so that nothing else in a log can be taken for one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Iterator

MARK = "c2t-result:"
MOST_BYTES = 8 << 20
"""Of a result's lines: kubelets begin another log file at 10 MiB, and only the last one is given out."""
_A_LINE = 8 << 10
_MOST_RESULT = 256 << 20
_LINE = re.compile(rb"c2t-result: ([0-9a-f]{16}) (\d{1,5})/(\d{1,5}) ([A-Za-z0-9+/=]*)")


class Unspoken(Exception):
    """A log does not hold the whole of the result that it should."""


class TooLong(Exception):
    """No log holds this result; the message tells how large it is."""


def digest_of(content: bytes) -> str:
    """SHA-256 of a result's canonical bytes."""
    return hashlib.sha256(content).hexdigest()


def lines_of(content: bytes) -> Iterator[str]:
    """The lines, without their ends. Raises TooLong."""
    text = base64.b64encode(zlib.compress(content, 9)).decode()
    if len(text) > MOST_BYTES:
        raise TooLong(f"the result takes {len(text)} bytes and a log holds {MOST_BYTES}")
    pieces = [text[start : start + _A_LINE] for start in range(0, len(text), _A_LINE)]
    tag = digest_of(content)[:16]
    for number, piece in enumerate(pieces, 1):
        yield f"{MARK} {tag} {number}/{len(pieces)} {piece}"


def content_of(log: bytes, digest: str) -> bytes:
    """The result of this digest, whatever else is in the log. Raises Unspoken."""
    pieces: dict[int, bytes] = {}
    total = 0
    for line in log.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None and found[1].decode() == digest[:16]:
            pieces[int(found[2])], total = found[4], int(found[3])
    if not pieces:
        raise Unspoken("its log holds no result")
    missing = [number for number in range(1, total + 1) if number not in pieces]
    if missing:
        raise Unspoken(f"of the {total} lines of the result in its log {len(missing)} are missing")
    try:
        text = base64.b64decode(b"".join(pieces[number] for number in range(1, total + 1)), validate=True)
        content = zlib.decompressobj().decompress(text, _MOST_RESULT)
    except (binascii.Error, zlib.error) as error:
        raise Unspoken(f"the result in its log is damaged: {error}") from error
    if digest_of(content) != digest:
        raise Unspoken("the result in its log is not the one that its message tells of")
    return content
