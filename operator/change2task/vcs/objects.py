"""Objects of a repository by their id: many read through few processes, and written without one.

A process a blob would be most of the pipeline's time. Reading goes through `cat-file --batch-command`, one process
a concurrent thread; writing makes loose objects directly, which is the part of git's format that never changed. An
object that is not there is `MissingObject`: nothing is ever fetched for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
import tempfile
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from change2task.vcs.errors import MissingObject, ObjectTooLarge
from change2task.vcs.process import Git, Running

OBJECT_BYTES = 1 << 29
CACHE_BYTES = 64 << 20
_CACHED_OBJECT_BYTES = 1 << 20
# The commands of one batch fit into the smallest pipe the kernel gives (one page), so that writing them never waits
# for reading.
_BATCH = 50
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_oid(text: str) -> bool:
    """Whether the text is a whole object id."""
    return _OID.fullmatch(text) is not None


class Object(NamedTuple):
    """An object as stored: `kind` is blob, tree, commit or tag."""

    kind: str
    data: bytes


class _Reader:
    """One `cat-file` process; used by one thread at a time."""

    def __init__(self, git: Git) -> None:
        self._process: Running = git.start("cat-file", "--batch-command", stdin=subprocess.PIPE)
        self.broken = False

    def contents(self, oids: Sequence[str]) -> Iterator[Object | None]:
        yield from self._ask("contents", oids, with_data=True)

    def kinds(self, oids: Sequence[str]) -> Iterator[Object | None]:
        yield from self._ask("info", oids, with_data=False)

    def _ask(self, command: str, oids: Sequence[str], *, with_data: bool) -> Iterator[Object | None]:
        # Answers left unread (the consumer stopped, or an error) would be taken for those of the next question.
        self.broken = True
        current = oids[0]
        try:
            self._process.stdin.write(b"".join(f"{command} {oid}\n".encode() for oid in oids))
            self._process.stdin.flush()
            for current in oids:
                yield self._answer(current, with_data=with_data)
        except (BrokenPipeError, EOFError) as error:
            raise MissingObject(current, self._process.complaint()) from error
        self.broken = False

    def _answer(self, oid: str, *, with_data: bool) -> Object | None:
        header = self._process.stdout.readline().split()
        if not header:
            raise EOFError
        if header[-1] in (b"missing", b"ambiguous"):
            return None
        kind, size = header[1].decode(), int(header[2])
        if not with_data:
            return Object(kind, b"")
        if size > OBJECT_BYTES:
            raise ObjectTooLarge(oid, size, OBJECT_BYTES)
        data = self._process.stdout.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return Object(kind, data[:-1])

    def close(self) -> None:
        self._process.close()


class ObjectStore:
    """The objects a git process sees, and a folder where new ones go."""

    def __init__(self, git: Git, folder: Path, algorithm: str) -> None:
        self._git = git
        self.folder = folder
        self._algorithm = algorithm
        self._lock = threading.Lock()
        self._idle: list[_Reader] = []
        self._cache: OrderedDict[str, Object] = OrderedDict()
        self._cached_bytes = 0

    @contextlib.contextmanager
    def _reader(self) -> Iterator[_Reader]:
        with self._lock:
            reader = self._idle.pop() if self._idle else None
        reader = reader or _Reader(self._git)
        try:
            yield reader
        finally:
            if reader.broken:
                reader.close()
            else:
                with self._lock:
                    self._idle.append(reader)

    def get(self, oid: str, kind: str) -> bytes:
        """The content of one object of that kind. Raises MissingObject, ObjectTooLarge."""
        return next(iter(self.many([oid], kind)))

    def many(self, oids: Iterable[str], kind: str) -> Iterator[bytes]:
        """The contents in the order asked for. Raises MissingObject, ObjectTooLarge."""
        remaining = iter(oids)
        while batch := list(islice(remaining, _BATCH)):
            for oid, found in zip(batch, self._batch(batch), strict=True):
                if found is None:
                    raise MissingObject(oid)
                if found.kind != kind:
                    raise MissingObject(oid, f"it is a {found.kind}, not a {kind}")
                yield found.data

    def find(self, oid: str) -> Object | None:
        """An object of whatever kind, None when it is not there."""
        return self._batch([oid])[0]

    def _batch(self, oids: Sequence[str]) -> list[Object | None]:
        found: dict[str, Object | None] = {}
        with self._lock:
            for oid in oids:
                if oid in self._cache:
                    self._cache.move_to_end(oid)
                    found[oid] = self._cache[oid]
        wanted = [oid for oid in dict.fromkeys(oids) if oid not in found]
        for oid in wanted:
            if not is_oid(oid):
                raise MissingObject(oid, "it is not a whole object id")
        if wanted:
            with self._reader() as reader:
                for oid, answer in zip(wanted, reader.contents(wanted), strict=True):
                    found[oid] = answer
                    if answer is not None:
                        self._remember(oid, answer)
        return [found[oid] for oid in oids]

    def _remember(self, oid: str, value: Object) -> None:
        if len(value.data) > _CACHED_OBJECT_BYTES:
            return
        with self._lock:
            if oid not in self._cache:
                self._cache[oid] = value
                self._cached_bytes += len(value.data)
            while self._cached_bytes > CACHE_BYTES:
                _, dropped = self._cache.popitem(last=False)
                self._cached_bytes -= len(dropped.data)

    def absent(self, oids: Iterable[str]) -> set[str]:
        """Those of the ids for which there is no object."""
        remaining = iter(dict.fromkeys(oids))
        result: set[str] = set()
        with self._reader() as reader:
            while batch := list(islice(remaining, _BATCH)):
                kinds = zip(batch, reader.kinds(batch), strict=True)
                result.update(oid for oid, known in kinds if known is None)
        return result

    def name(self, kind: str, data: bytes) -> str:
        """The id that an object has, stored or not."""
        digest = hashlib.new(self._algorithm, usedforsecurity=False)
        digest.update(f"{kind} {len(data)}\0".encode())
        digest.update(data)
        return digest.hexdigest()

    def write(self, kind: str, data: bytes) -> str:
        """Store one object, unless this folder already has it loose."""
        oid = self.name(kind, data)
        target = self.folder / oid[:2] / oid[2:]
        if target.exists():
            return oid
        target.parent.mkdir(exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix="tmp_obj_", dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(zlib.compress(f"{kind} {len(data)}\0".encode() + data, 1))
            Path(temporary).chmod(0o444)
            Path(temporary).rename(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        self._remember(oid, Object(kind, data))
        return oid

    def write_missing(self, kind: str, objects: Sequence[bytes]) -> None:
        """Store those objects that are nowhere to be found yet."""
        named = {self.name(kind, data): data for data in objects}
        for oid in self.absent(named):
            self.write(kind, named[oid])

    def close(self) -> None:
        """End the processes; the store may be used again afterwards."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.close()
