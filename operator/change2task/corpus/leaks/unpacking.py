"""What is inside of a file: members of archives, what is compressed, objects of packs, as deep as it is worth.

Everything here is hostile: sizes are counted as they are unpacked and not as they are promised, and depth is bounded.
What could be unpacked and was not is told, since it might hold anything. Judging contents is left to ``scanning``.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from change2task.vcs.errors import VcsError
from change2task.vcs.packs import packed_objects

DEPTH = 4
MEMBER_BYTES = 64 << 20
TOTAL_BYTES = 4 << 30
_ZIP, _GZIP, _BZIP2, _XZ, _PACK = b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"PACK\x00\x00\x00"
_ZSTD = b"\x28\xb5\x2f\xfd"
_TAR_MARK, _TAR_AT = b"ustar", 257
_BROKEN = (
    OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, tarfile.TarError, zlib.error,
    lzma.LZMAError, VcsError,
)  # fmt: skip


_Opener = Callable[[bytes, "Unpacker"], Iterator[tuple[str, bytes]]]


class TooMuch(Exception):
    """More was to be unpacked than may be."""


@dataclass
class Unpacker:
    """Unpacks one file after the other; ``unread`` says what was not looked into, and why."""

    left: int = TOTAL_BYTES
    unread: list[str] = field(default_factory=list)

    def within(self, place: str, data: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
        """The content itself and all that is inside of it, each with its place; ``!`` leads into an archive."""
        yield place, data
        if depth >= DEPTH:
            if _inside(data) is not None:
                self.unread.append(f"{place}: nested deeper than {DEPTH} times")
            return
        opened = _inside(data)
        if opened is None:
            return
        try:
            for name, content in opened(data, self):
                yield from self.within(f"{place}!{name}", content, depth + 1)
        except TooMuch as error:
            self.unread.append(f"{place}: {error}")
        except _BROKEN as error:
            # Test data are full of broken archives; it is told, for what is cut off can be mended by who reads it.
            self.unread.append(f"{place}: cannot be unpacked ({type(error).__name__})")

    def take(self, stream: IO[bytes] | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile) -> bytes:
        """What a stream holds, counted; raises TooMuch."""
        data = stream.read(min(MEMBER_BYTES, self.left) + 1)
        if len(data) > min(MEMBER_BYTES, self.left):
            raise TooMuch(f"unpacks to more than {MEMBER_BYTES >> 20} MiB a part or {TOTAL_BYTES >> 30} GiB in all")
        self.left -= len(data)
        return data


def _inside(data: bytes) -> _Opener | None:
    """How this content is opened, by its first bytes; None where it holds nothing else."""
    for start, opener in _BY_START.items():
        if data.startswith(start):
            return opener
    if data[_TAR_AT : _TAR_AT + len(_TAR_MARK)] == _TAR_MARK:
        return _tar
    # The two bytes of a zlib stream are a multiple of 31 (RFC 1950); git's loose objects begin so.
    if len(data) > 8 and data[0] == 0x78 and int.from_bytes(data[:2]) % 31 == 0:
        return _deflated
    return None


def _zip(data: bytes, unpacker: Unpacker) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                with archive.open(info) as member:
                    yield info.filename, unpacker.take(member)


def _tar(data: bytes, unpacker: Unpacker) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if member.issym() or member.islnk():
                yield member.name, member.linkname.encode("utf-8", "surrogateescape")
            elif (file := archive.extractfile(member)) is not None:
                yield member.name, unpacker.take(file)


def _compressed(open_: Callable[[IO[bytes]], gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]) -> _Opener:
    def opener(data: bytes, unpacker: Unpacker) -> Iterator[tuple[str, bytes]]:
        with open_(io.BytesIO(data)) as stream:
            yield "content", unpacker.take(stream)

    return opener


def _deflated(data: bytes, unpacker: Unpacker) -> Iterator[tuple[str, bytes]]:
    bound = min(MEMBER_BYTES, unpacker.left)
    content = zlib.decompressobj().decompress(data, bound + 1)
    kind, _, rest = content.partition(b"\0")
    is_object = kind.split(b" ")[0] in {b"blob", b"tree", b"commit", b"tag"} and len(kind) < 30
    yield "object" if is_object else "content", unpacker.take(io.BytesIO(rest if is_object else content))


def _packed(data: bytes, unpacker: Unpacker) -> Iterator[tuple[str, bytes]]:
    with tempfile.NamedTemporaryFile(suffix=".pack") as file:
        file.write(data)
        file.flush()
        for one in packed_objects(Path(file.name)):
            if one.kind != "tree":
                yield one.oid, unpacker.take(io.BytesIO(one.data))


def _unreadable(_data: bytes, _unpacker: Unpacker) -> Iterator[tuple[str, bytes]]:
    raise TooMuch("zstandard, which is not unpacked here")


_BY_START: dict[bytes, _Opener] = {
    _ZIP: _zip,
    _GZIP: _compressed(lambda file: gzip.GzipFile(fileobj=file)),
    _BZIP2: _compressed(bz2.BZ2File),
    _XZ: _compressed(lzma.LZMAFile),
    _PACK: _packed,
    _ZSTD: _unreadable,
}
