"""How large a patch's binary data becomes when it is applied, known before anything is unpacked.

A few bytes of a patch can stand for gigabytes, and who applies it would hold them all. Applying is left to git.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable

from change2task.patch.model import FilePatch

_HEAD = re.compile(rb"(?P<kind>literal|delta) (?P<size>\d{1,12})\n")
_SIZES_BYTES = 64
"""More than the two lengths that a delta begins with can take."""


def unpacked_bytes(files: Iterable[FilePatch]) -> int:
    """The sum of the sizes of all files that the patch gives as binary data; data that cannot be read counts as 0."""
    return sum(_unpacked(file.binary_body) for file in files if file.binary_body)


def _unpacked(body: bytes) -> int:
    # The second block leads back and is not looked at when a patch is applied.
    match = _HEAD.search(body)
    if match is None:
        return 0
    if match["kind"] == b"literal":
        return int(match["size"])
    # A delta announces its own size, and how large its result is in its first bytes.
    return max(int(match["size"]), _result_of_delta(body[match.end() :]))


def _result_of_delta(lines: bytes) -> int:
    packed = b""
    for line in lines.split(b"\n")[:2]:
        if not line:
            break
        try:
            packed += base64.b85decode(line[1:])
        except ValueError:
            return 0
    try:
        start = zlib.decompressobj().decompress(packed, _SIZES_BYTES)
    except zlib.error:
        return 0
    _, rest = _number(start)
    return _number(rest)[0]


def _number(data: bytes) -> tuple[int, bytes]:
    """A number of seven bits a byte, the lowest first, and what follows it."""
    value = 0
    for place, byte in enumerate(data):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, data[place + 1 :]
    return value, b""
