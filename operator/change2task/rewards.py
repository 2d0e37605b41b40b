"""Grading from Python: a patch in, a reward out, for trainers and pipelines that would not start a program for each.

This is the package's own interface to others; what it gives is ``change2task grade --batch``'s answer. Tasks and bases
stay open between answers, so one ``Grader`` is to be kept as long as there are answers::

    with open_grader("tasks") as grader:
        reward = grader.grade("humanize-4.12.1", patch)
        reward.reward      # 1.0 solved, 0.0 not solved, None: nothing can be said, reward.fault says why
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from change2task.cli.choices import Runtime
from change2task.cli.sessions import open_rewards
from change2task.corpus.scratch import readable
from change2task.corpus.store import Store
from change2task.pipeline.progress import Silent
from change2task.pipeline.rewards import Request, Reward, Rewards

__all__ = ["Grader", "Request", "Reward", "grade", "open_grader"]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Grader:
    """Grades answers to the tasks of one store; may be used by several threads."""

    _rewards: Rewards

    def grade(self, task: str, patch: str | bytes, *, answer: str = "") -> Reward:
        """The reward of one answer to the task of this name, told by ``answer``; raises Cancelled alone."""
        return self._rewards.reward(Request(answer, task, patch))

    def stream(self, requests: Iterable[Request], jobs: int = 1) -> Iterator[Reward]:
        """The rewards of many answers, ``jobs`` at a time, each as soon as it is known; raises Cancelled alone."""
        return self._rewards.stream(requests, max(1, jobs))


@contextmanager
def open_grader(
    store: str | Path,
    *,
    runtime: str = "process",
    mirrors: Sequence[str] = (),
    cancel: threading.Event | None = None,
) -> Iterator[Grader]:
    """A grader for a store's tasks; ``mirrors`` are URL=PATH, as of ``--mirror``; ``cancel`` ends what runs in seconds.

    Raises StoreError where ``store`` is none, InputError for mirrors, InfrastructureError for a runtime not to be had.
    """
    opened = readable(Store.open(Path(store), create=False))
    with open_rewards(
        opened,
        Runtime(runtime),
        mirrors,
        reporter=Silent(),
        cancel=cancel or threading.Event(),
        notice=lambda text: _log.warning("note", text=text),
    ) as rewards:
        yield Grader(rewards)


def grade(task: str, patch: str | bytes, *, store: str | Path, mirrors: Sequence[str] = ()) -> Reward:
    """The reward of a single answer; whoever has more of them opens a grader once. Raises as ``open_grader``."""
    with open_grader(store, mirrors=mirrors) as grader:
        return grader.grade(task, patch)
