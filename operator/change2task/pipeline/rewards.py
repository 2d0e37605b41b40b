"""Answers graded in numbers: bases and tasks opened once and kept, answers side by side, rewards as they come.

A grade of one answer starts with a base that is found again and trees that are laid again; for a trainer that hands in
thousands this is done once a task here. A reward is 1 or 0; where nothing can be said of an answer (the machine failed,
the runs gave no verdict twice) it is none, which is never a 0. Where requests come from is left to whoever asks.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from change2task.api.model import Model
from change2task.api.taskvariant import TaskVariant, VariantBase
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.corpus.errors import StoreDamaged
from change2task.corpus.store import Store
from change2task.corpus.submission import PatchUnusable
from change2task.corpus.verdicts import Grade, NoGrade
from change2task.pipeline.grading import OpenTask, open_task
from change2task.pipeline.ports import BaseOnHand
from change2task.vcs.errors import VcsError

RewardFault = Literal["RequestUnusable", "TaskUnusable", "PatchUnusable", "NoGrade", "InfrastructureFault"]
_AHEAD = 2
"""Answers a worker that are read before they can be graded: enough that none is idle, few enough to hold in memory."""
_LOOK_SECONDS = 0.25


class Reward(Model):
    """What one answer earned: 1.0 solved, 0.0 not, None where ``fault`` says why nothing can be said.

    ``id`` is the asker's own word for the answer, ``task`` the task as asked for, ``variant`` its whole name; seconds
    are of wall time, waiting for a worker not counted. A patch that cannot be used is an answer, and earns 0.0.
    """

    id: str
    task: str
    variant: str | None = None
    reward: float | None = None
    message: str
    fault: RewardFault | None = None
    seconds: float = 0.0
    grade: Grade | None = None


@dataclass(frozen=True)
class Request:
    """An answer to a task: the task's or its candidate's name, and a patch; text is taken in UTF-8."""

    id: str
    task: str
    patch: bytes | str

    def content(self) -> bytes:
        """The patch's bytes; raises PatchUnusable for text that has none, such as half of a pair of surrogates."""
        if isinstance(self.patch, bytes):
            return self.patch
        try:
            return self.patch.encode()
        except UnicodeEncodeError as error:
            raise PatchUnusable(f"it is no text in UTF-8: {error.reason} at character {error.start}") from error


class TaskUnusable(Exception):
    """There is no such task, or it cannot be graded here; the message says the way out."""


class _Places:
    """Numbers for answers that are graded at the same time, so that their logs are apart and yet do not grow."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: set[int] = set()

    @contextmanager
    def taken(self) -> Iterator[int]:
        with self._lock:
            place = next(number for number in count() if number not in self._taken)
            self._taken.add(place)
        try:
            yield place
        finally:
            with self._lock:
                self._taken.discard(place)


@dataclass
class Rewards:
    """Grades answers to the tasks of one store; safe to use from several threads.

    ``find`` gives the task of a name and ``reopen`` the base it was made on; both raise TaskUnusable. ``cancel`` ends
    a stream that waits for requests.
    """

    store: Store
    find: Callable[[str], TaskVariant]
    reopen: Callable[[VariantBase], BaseOnHand]
    cancel: threading.Event
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _bases: dict[str, BaseOnHand] = field(default_factory=dict)
    _tasks: dict[str, OpenTask] = field(default_factory=dict)
    _places: _Places = field(default_factory=_Places)

    def reward(self, request: Request) -> Reward:
        """The reward of one answer; raises Cancelled, and nothing that an answer or a machine does."""
        began = time.monotonic()
        reward = self._reward(request)
        return reward.replacing(seconds=round(time.monotonic() - began, 3))

    def stream(self, requests: Iterable[Request | Reward], jobs: int) -> Iterator[Reward]:
        """Rewards as they are found, each as soon as it is; a Reward among the requests is passed on.

        Requests are read beside, so that who asks may wait for a reward before asking on. Raises Cancelled, and what
        reading raises.
        """
        stream = _Stream(self, jobs)
        reader = threading.Thread(target=stream.read, args=(requests,), name="requests", daemon=True)
        reader.start()
        try:
            yield from stream.rewards()
        finally:
            stream.close()

    def _reward(self, request: Request) -> Reward:
        told = Reward(id=request.id, task=request.task, message="")
        try:
            task = self._open(request.task)
            told = told.replacing(variant=task.variant.metadata.name)
            with self._places.taken() as place:
                grade = task.grade(request.content(), f"answer-{place}")
        except PatchUnusable as error:
            return told.replacing(reward=0.0, message=str(error), fault="PatchUnusable")
        except TaskUnusable as error:
            return told.replacing(message=str(error), fault="TaskUnusable")
        except NoGrade as error:
            return told.replacing(message=str(error), fault="NoGrade")
        except (InfrastructureFault, StoreDamaged, VcsError, OSError) as error:
            return told.replacing(message=str(error), fault="InfrastructureFault")
        return told.replacing(reward=1.0 if grade.solved else 0.0, message=grade.message, grade=grade)

    def _open(self, name: str) -> OpenTask:
        # One at a time: opening a base takes seconds and must not be done twice, and answers come by task.
        with self._opening:
            if name not in self._tasks:
                variant = self.find(name)
                base = self._bases.get(variant.spec.base.key)
                if base is None:
                    base = self._bases[variant.spec.base.key] = self.reopen(variant.spec.base)
                self._tasks[name] = open_task(self.store, base, variant)
            return self._tasks[name]


class _Stream:
    """Requests on their way to rewards: read by one thread, graded by several, given out by the caller's."""

    def __init__(self, of: Rewards, jobs: int) -> None:
        self._of = of
        self._pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="grade")
        self._room = threading.Semaphore(_AHEAD * jobs)
        self._closed = threading.Event()
        self._found: queue.SimpleQueue[Future[Reward]] = queue.SimpleQueue()
        self._read = 0
        self._end: Exception | bool = False

    def read(self, requests: Iterable[Request | Reward]) -> None:
        """Hand all requests to the workers; whatever ends this early is told to whoever takes the rewards."""
        try:
            for request in requests:
                self._room.acquire()
                if self._closed.is_set():
                    return
                self._hand_on(request)
            self._end = True
        except Exception as error:  # noqa: BLE001 - raised again by whoever takes the rewards
            self._end = error

    def rewards(self) -> Iterator[Reward]:
        """Until all that was read is told."""
        given = 0
        while not (self._end is True and given == self._read):
            try:
                future = self._found.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if self._of.cancel.is_set():
                    raise Cancelled("grading was stopped") from None
                if isinstance(self._end, Exception) and given == self._read:
                    raise self._end from None
                continue
            given += 1
            yield future.result()

    def close(self) -> None:
        """Start nothing new; what runs comes to its end."""
        self._closed.set()
        self._room.release()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _hand_on(self, request: Request | Reward) -> None:
        if isinstance(request, Reward):
            future: Future[Reward] = Future()
            future.set_result(request)
        else:
            future = self._pool.submit(self._of.reward, request)
        self._read += 1
        future.add_done_callback(self._over)

    def _over(self, future: Future[Reward]) -> None:
        self._room.release()
        if not future.cancelled():
            self._found.put(future)
