"""The folders of a run: fresh ones for every run, none left over, also after the program was killed.

It exists because a state must never see what another has written. Runs in sandboxes with paths of their own get
folders of their own and go on side by side. Without (plain), the folders of a base lie at one real path, so runs of
one base wait for each other, across processes too.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from filelock import FileLock, Timeout

from change2task.api.model import Model
from change2task.runtime import trees
from change2task.runtime.errors import Cancelled, SandboxError
from change2task.runtime.models import Layout, Mount
from change2task.runtime.sandbox import Sandbox

_NAMES = ("work", "home", "results", "plan", "tmp")
_TURN = 0.25
_OWNER = "owner.lock"

log = structlog.get_logger(__name__)


class Workspace(Model):
    """The host folders of one run; all exist and are empty at first."""

    work: Path
    home: Path
    results: Path
    plan: Path
    tmp: Path

    def mounts(self, layout: Layout) -> tuple[Mount, ...]:
        """The folders as a command sees them: `plan` read-only, and `tmp` only where /tmp is not the sandbox's own."""
        mounts = [
            Mount(source=self.work, target=layout.work, writable=True),
            Mount(source=self.home, target=layout.home, writable=True),
            Mount(source=self.results, target=layout.results, writable=True),
            Mount(source=self.plan, target=layout.plan),
        ]
        if layout.tmp == str(self.tmp):
            mounts.append(Mount(source=self.tmp, target=layout.tmp, writable=True))
        return tuple(mounts)


class Workspaces:
    """Hands out workspaces below the folder `cache` for one sandbox; a context manager.

    Opening it removes what killed runs have left there. Folders are told apart by a lock their owner holds, which
    the system gives up for it when it dies.
    """

    def __init__(self, cache: Path, sandbox: Sandbox) -> None:
        self._runs = cache.absolute() / "runs"
        self._sandbox = sandbox
        self._own = self._runs / secrets.token_hex(8)
        self._held = FileLock(self._own / _OWNER, thread_local=False)

    def __enter__(self) -> Self:
        self._runs.mkdir(parents=True, exist_ok=True)
        with FileLock(self._runs / "lock"):
            self._sweep()
            self._own.mkdir()
            self._held.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with FileLock(self._runs / "lock"):
            self._held.release()
            _remove(self._own)

    @contextmanager
    def fresh(self, cancel: threading.Event | None = None) -> Iterator[Workspace]:
        """A workspace for one run; gone afterwards, whatever a command did to it.

        Raises Cancelled if `cancel` is set while another run holds the same real path, SandboxError if a folder
        there cannot be made empty.
        """
        with ExitStack() as stack:
            if self._sandbox.isolation.fixed_paths:
                yield stack.enter_context(self._apart())
            else:
                yield stack.enter_context(self._in_place(cancel))

    @contextmanager
    def _apart(self) -> Iterator[Workspace]:
        folder = self._own / secrets.token_hex(8)
        workspace = Workspace(**{name: folder / name for name in _NAMES})
        try:
            for name in _NAMES:
                (folder / name).mkdir(parents=True)
            yield workspace
        finally:
            _remove(folder)

    @contextmanager
    def _in_place(self, cancel: threading.Event | None) -> Iterator[Workspace]:
        layout = self._sandbox.layout
        workspace = Workspace(**{name: Path(getattr(layout, name)) for name in _NAMES})
        root = workspace.work.parent
        root.mkdir(parents=True, exist_ok=True)
        with _turn(root / "run.lock", cancel):
            try:
                self._make_empty(workspace)
                yield workspace
            finally:
                for name in _NAMES:
                    _remove(getattr(workspace, name))

    @staticmethod
    def _make_empty(workspace: Workspace) -> None:
        for name in _NAMES:
            folder: Path = getattr(workspace, name)
            stubborn = trees.remove(folder)
            if stubborn:
                raise SandboxError(
                    f"{folder} still holds {stubborn[0].path} of an earlier run, which cannot be removed "
                    f"({stubborn[0].reason}); remove it by hand"
                )
            folder.mkdir()

    def _sweep(self) -> None:
        for folder in self._runs.iterdir():
            if not folder.is_dir():
                continue
            owner = FileLock(folder / _OWNER)
            try:
                owner.acquire(blocking=False)
            except Timeout:
                continue
            owner.release()
            _remove(folder)


@contextmanager
def _turn(path: Path, cancel: threading.Event | None) -> Iterator[None]:
    lock = FileLock(path, thread_local=False)
    while True:
        if cancel is not None and cancel.is_set():
            raise Cancelled(f"cancelled while waiting for {path}")
        try:
            lock.acquire(timeout=_TURN)
            break
        except Timeout:
            continue
    with lock:
        lock.release()
        yield


def _remove(folder: Path) -> None:
    stubborn = trees.remove(folder)
    if stubborn:
        log.warning("folder.not_removed", folder=str(folder), entries=[entry._asdict() for entry in stubborn])
