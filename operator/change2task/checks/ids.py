"""Test ids between a runner, JSON and our models, without losing a byte.

Runners on POSIX give names with undecodable bytes as lone surrogates, which neither UTF-8 nor a model can hold. On
our side such an id is written like git writes odd paths: in double quotes with C escapes. All other ids stand as
they are, also those with spaces, newlines or quotes inside.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb'\\(?:([0-7]{3})|(["\\]))')


def to_model(identity: str) -> str:
    """The form models hold: the id itself, or its quoted bytes when it is not UTF-8 or itself starts quoted."""
    if not identity.startswith('"') and _is_utf8(identity):
        return identity
    try:
        data = identity.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = identity.encode("utf-8", "surrogatepass")
    text = "".join(
        f"\\{chr(byte)}" if byte in b'"\\' else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in data
    )
    return f'"{text}"'


def to_runner(identity: str) -> str:
    """The form the runner knows, with lone surrogates for undecodable bytes; inverse of `to_model`."""
    if not identity.startswith('"'):
        return identity
    if len(identity) < 2 or not identity.endswith('"'):
        raise ValueError(f"the id {identity!r} starts with a double quote but does not end with one")
    data = _ESCAPE.sub(
        lambda found: bytes([int(found[1], 8) & 255]) if found[1] else found[2], identity[1:-1].encode("utf-8")
    )
    return data.decode("utf-8", "surrogateescape")


def _is_utf8(identity: str) -> bool:
    try:
        identity.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
