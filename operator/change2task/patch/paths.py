r"""Paths of a repository as text and back, without loss.

Git's paths are bytes; manifests, evidence and reports are text. This is the one place where they meet: a plain
UTF-8 name is itself, a name with control characters, `"`, `\` or bytes that are not UTF-8 is wrapped in double
quotes with C escapes, as git prints it with core.quotePath=false. Reading also takes the fully escaped form git
prints by default.
"""

from __future__ import annotations

import re

_SPECIAL = re.compile(rb'[\x00-\x1f\x7f"\\]')
_ESCAPES = {
    0x07: "\\a",
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0B: "\\v",
    0x0C: "\\f",
    0x0D: "\\r",
    0x22: '\\"',
    0x5C: "\\\\",
}
_MEANINGS = {text[1].encode(): bytes([value]) for value, text in _ESCAPES.items()}
_ESCAPED = re.compile(rb"\\(?:([0-3][0-7]{2})|(.?))", re.DOTALL)


class MalformedPath(ValueError):
    """A quoted path that git would not have printed."""


def quote(path: bytes) -> str:
    """The path as text; `unquote` gives the same bytes back."""
    if not _SPECIAL.search(path):
        try:
            return path.decode()
        except UnicodeDecodeError:
            pass
    text = path.decode(errors="surrogateescape")
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    point = ord(character)
    if point in _ESCAPES:
        return _ESCAPES[point]
    if point < 0x20 or point == 0x7F:
        return f"\\{point:03o}"
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\{point - 0xDC00:03o}"
    return character


def unquote(text: str) -> bytes:
    """The bytes of a path written by `quote` or by git. Raises MalformedPath."""
    try:
        return unquote_bytes(text.encode())
    except UnicodeEncodeError as error:
        raise MalformedPath(f"{text!a} is not a quoted path: it holds half a surrogate pair") from error


def unquote_bytes(raw: bytes) -> bytes:
    """`unquote` for text that is still bytes, as in the header of a patch. Raises MalformedPath."""
    if not raw.startswith(b'"'):
        return raw
    if len(raw) < 2 or not raw.endswith(b'"'):
        raise MalformedPath(f"{raw[:200]!r} opens a quote and does not close it")
    inner = raw[1:-1]

    def meaning(match: re.Match[bytes]) -> bytes:
        octal, letter = match.groups()
        if octal:
            return bytes([int(octal, 8)])
        if letter in _MEANINGS:
            return _MEANINGS[letter]
        raise MalformedPath(f"{raw[:200]!r} holds an escape that git does not know: \\{letter.decode('latin-1')}")

    without_escapes = _ESCAPED.sub(b"", inner)
    if b'"' in without_escapes:
        raise MalformedPath(f"{raw[:200]!r} holds a quote that is not escaped")
    return _ESCAPED.sub(meaning, inner)
