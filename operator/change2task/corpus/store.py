"""The store: a folder of plain YAML and evidence files in the resources' own shape, fit for version control.

Every file appears whole or not at all (written beside, synced, renamed), so that a run killed at any moment
leaves a store that the next run can go on from. What may be thrown away (mirrors, environments, logs, the
journal of unfinished work) lies under ``cache/``, which git ignores. Deciding what is written is left to the
pipeline.

Layout::

    store.yaml                    format version
    bases/NAME.yaml               ModernBase with status
    earlier/KEY.yaml              a ModernBase that another of its name has replaced, while tasks rest on it
    candidates/NAME.yaml          TaskCandidate with status
    variants/NAME.yaml            TaskVariant
    evidence/SHA256               content-addressed documents and patches
    cache/                        not kept under version control
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import yaml
from filelock import FileLock, Timeout

from change2task.api.manifests import Resource, load_stored, render
from change2task.api.modernbase import ModernBase
from change2task.api.patches import Patch
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.corpus.errors import (
    NoStoreThere,
    StoreBusy,
    StoreDamaged,
    StoreTooNew,
    StoreUnwritable,
    TakenFolder,
)
from change2task.corpus.files import write_whole

FORMAT = 1
MARKER = "store.yaml"
"""The file by which a folder is known as a store."""
_LONGEST_NAME = 253
_IN_NO_NAME = frozenset("\0/")
R = TypeVar("R", ModernBase, TaskCandidate, TaskVariant)
_FOLDERS = {ModernBase: "bases", TaskCandidate: "candidates", TaskVariant: "variants"}
_EARLIER = "earlier"
"""No part of the format's version: who does not know this folder leaves it alone, and misses nothing else."""
_IGNORE = "cache/\n.lock\n.lock.holder\n.tmp-*\n"


class Store:
    """One store folder; create it with :meth:`open` and hold :meth:`exclusive` while writing."""

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        self.path = path
        self.cache = cache or path / "cache"

    @classmethod
    def open(cls, path: Path, *, create: bool) -> Store:
        """The store at ``path``; with ``create`` a missing or empty folder becomes one.

        Raises NoStoreThere, TakenFolder, StoreTooNew, StoreDamaged, StoreUnwritable.
        """
        store = cls(path.absolute())
        marker = store.path / MARKER
        if marker.is_file():
            store._check_format(marker)
            return store
        if not create:
            raise NoStoreThere(path)
        if store.path.exists() and (not store.path.is_dir() or _foreign_content(store.path)):
            raise TakenFolder(path)
        store._make_folders()
        store.write(store.path / ".gitignore", _IGNORE.encode())
        store.write(marker, f"formatVersion: {FORMAT}\n".encode())
        return store

    def with_cache(self, cache: Path) -> Store:
        """The same store with its cache elsewhere."""
        return Store(self.path, cache)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the store alone; raises StoreBusy naming who holds it, StoreUnwritable on a read-only store."""
        lock_path = self.path / ".lock"
        holder_path = self.path / ".lock.holder"
        lock = FileLock(lock_path, blocking=False)
        try:
            lock.acquire()
        except Timeout:
            raise StoreBusy(self.path, _holder(holder_path)) from None
        except OSError as error:
            raise StoreUnwritable(lock_path, error) from error
        try:
            self.write(holder_path, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
            self._make_folders()
            self._sweep()
            yield
        finally:
            holder_path.unlink(missing_ok=True)
            lock.release()

    def put(self, resource: Resource) -> Path:
        """Write a resource under its kind and name; unchanged bytes are not written again.

        A base with another key than the one it replaces leaves that one beside it, as long as tasks rest on it.
        """
        path = self.path_of(resource)
        if isinstance(resource, ModernBase):
            self._keep_earlier(resource)
        content = render(resource).encode()
        if not (path.is_file() and path.read_bytes() == content):
            self.write(path, content)
        return path

    def base(self, name: str) -> ModernBase | None:
        """The stored base of this name, or None; raises StoreDamaged."""
        return self._get(ModernBase, name)

    def base_with_key(self, name: str, key: str) -> ModernBase | None:
        """The base of this name with this key, the stored one or one that it has replaced; raises StoreDamaged."""
        now = self.base(name)
        if now is not None and now.status.base_key == key:
            return now
        return self._read(ModernBase, self._earlier(key), name)

    def drop_earlier(self) -> None:
        """Remove the replaced bases on which no task rests any more."""
        kept = list((self.path / _EARLIER).glob("*.yaml"))
        needed = self._rested_on() if kept else frozenset()
        for path in kept:
            if path.stem not in needed:
                path.unlink(missing_ok=True)

    def _keep_earlier(self, coming: ModernBase) -> None:
        stored = self.base(coming.metadata.name)
        key = None if stored is None else stored.status.base_key
        if stored is None or key is None or key == coming.status.base_key or key not in self._rested_on():
            return
        _make_folder(self.path / _EARLIER)
        self.write(self._earlier(key), render(stored).encode())

    def _rested_on(self) -> frozenset[str]:
        """Keys of the bases of all stored tasks."""
        variants = (self.variant(name) for name in self.names(TaskVariant))
        return frozenset(variant.spec.base.key for variant in variants if variant is not None)

    def _earlier(self, key: str) -> Path:
        return self.path / _EARLIER / f"{key}.yaml"

    def candidate(self, name: str) -> TaskCandidate | None:
        """The stored candidate of this name, or None; raises StoreDamaged."""
        return self._get(TaskCandidate, name)

    def variant(self, name: str) -> TaskVariant | None:
        """The stored variant of this name, or None; raises StoreDamaged."""
        return self._get(TaskVariant, name)

    def names(self, kind: type[Resource]) -> tuple[str, ...]:
        """Sorted names of the stored resources of this kind."""
        return tuple(sorted(p.stem for p in (self.path / _FOLDERS[kind]).glob("*.yaml")))

    def remove_variant(self, name: str) -> None:
        """Delete a variant whose candidate no longer stands for it."""
        self._path(TaskVariant, name).unlink(missing_ok=True)

    def put_evidence(self, content: bytes) -> str:
        """File ``content`` under its SHA-256 and return that."""
        digest = hashlib.sha256(content).hexdigest()
        path = self.path / "evidence" / digest
        if not path.is_file():
            self.write(path, content)
        return digest

    def evidence(self, digest: str) -> bytes:
        """The evidence with this digest; raises StoreDamaged when it is absent or altered."""
        path = self.path / "evidence" / digest
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise StoreDamaged(path, "the file is missing") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise StoreDamaged(path, "its content does not have the digest of its name")
        return content

    def patch(self, patch: Patch) -> bytes:
        """A patch's bytes, wherever they lie; raises StoreDamaged."""
        inline = patch.inline()
        return self.evidence(patch.digest) if inline is None else inline

    def path_of(self, resource: Resource) -> Path:
        """The file of a resource."""
        return self._path(type(resource), resource.metadata.name)

    def write(self, path: Path, content: bytes) -> None:
        """Write a file so that it appears whole or not at all; raises StoreUnwritable."""
        try:
            write_whole(path, content)
        except OSError as error:
            raise StoreUnwritable(path, error) from error

    def _get(self, kind: type[R], name: str) -> R | None:
        if not 0 < len(name) <= _LONGEST_NAME or set(name) & _IN_NO_NAME:
            return None
        return self._read(kind, self._path(kind, name), name)

    def _read(self, kind: type[R], path: Path, name: str) -> R | None:
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreDamaged(path, f"it cannot be read ({error.strerror})") from error
        try:
            resource = load_stored(text, str(path))
        except ValueError as error:
            raise StoreDamaged(path, str(error)) from error
        if not isinstance(resource, kind) or resource.metadata.name != name:
            raise StoreDamaged(path, f"it is not the {kind.__name__} {name}")
        return resource

    def _path(self, kind: type[Resource], name: str) -> Path:
        return self.path / _FOLDERS[kind] / f"{name}.yaml"

    def _check_format(self, marker: Path) -> None:
        try:
            document = yaml.safe_load(marker.read_bytes())
        except yaml.YAMLError as error:
            raise StoreDamaged(marker, "it is not YAML") from error
        found = document.get("formatVersion") if isinstance(document, dict) else None
        if not isinstance(found, int):
            raise StoreDamaged(marker, "it has no formatVersion")
        if found > FORMAT:
            raise StoreTooNew(self.path, found, FORMAT)

    def _make_folders(self) -> None:
        """All that version control, which knows no empty folders, may have left out."""
        for folder in (*_FOLDERS.values(), "evidence", "cache"):
            _make_folder(self.path / folder)

    def _sweep(self) -> None:
        for folder in (".", *_FOLDERS.values(), _EARLIER, "evidence"):
            for left in (self.path / folder).glob(".tmp-*"):
                left.unlink(missing_ok=True)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(path, error) from error


def _foreign_content(path: Path) -> bool:
    ours = {*_FOLDERS.values(), _EARLIER, "evidence", "cache", ".gitignore", ".git", ".lock", ".lock.holder"}
    return any(entry.name not in ours and not entry.name.startswith(".tmp-") for entry in path.iterdir())


def _holder(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip() or "another process"
    except OSError:
        return "another process"
