"""The product's whole run, in this process where it is watched, and as the command a user types where it is timed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from change2task.api.manifests import render
from change2task.base.build import Builder
from change2task.base.models import PreparedBase
from change2task.base.prepare import prepare_base
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.run import Run, RunOutcome
from change2task.runtime.choose import choose
from tests.bench.histories.cases import History
from tests.bench.overhead.bare import Cost
from tests.bench.sessions import opened
from tests.support.silent import Silent


@dataclass(frozen=True)
class Watched:
    """What a run in this process gave: its wall seconds and outcome, and its base with what runs passes of it."""

    seconds: float
    outcome: RunOutcome
    base: PreparedBase
    on_hand: BaseOnHand


@contextmanager
def watched(history: History, mirror: Path, folder: Path, jobs: int) -> Iterator[Watched]:
    """A whole run on a new store in ``folder``; the base can be used while the context lasts."""
    started = time.monotonic()
    with opened(history, mirror, folder) as session:
        run = Run(
            bases=session.bases,
            candidates=session.candidates,
            reporter=Silent(),
            jobs=jobs,
            cancel=threading.Event(),
        )
        outcome = run.run([history.base], [case.candidate for case in history.cases])
        seconds = time.monotonic() - started
        again = session.bases.drive(history.base)
        on_hand = again.on_hand
        assert on_hand is not None, f"{history.repo} has no healthy base"
        builder = Builder.on_this_machine(choose(folder / "cache" / "plain").sandbox, folder / "cache")
        prepared = prepare_base(
            history.base.spec,
            on_hand.repository,
            builder,
            lambda *_: on_hand.runner,
            time.monotonic,
            frozen=on_hand.commit,
        )
        assert isinstance(prepared, PreparedBase)
        yield Watched(seconds, outcome, prepared, on_hand)


def timed(history: History, mirror: Path, folder: Path, jobs: int, *, base_only: bool = False) -> Cost:
    """``change2task run`` as a process of its own on the store in ``folder``."""
    manifest = folder.with_suffix(".yaml")
    resources = [history.base, *(() if base_only else (case.candidate for case in history.cases))]
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text("---\n".join(render(one) for one in resources))
    words = [sys.executable, "-c", "from change2task.cli.main import main; main()", "run", str(manifest)]
    words += ["--mirror", f"{history.url}={mirror}", "--store", str(folder), "--jobs", str(jobs), "-o", "json"]
    started = time.monotonic()
    with folder.with_suffix(".json").open("wb") as out, folder.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=log)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{' '.join(words)} ended with {process.returncode}; see {log.name}"
    return Cost(wall=time.monotonic() - started, cpu=used.ru_utime + used.ru_stime)


def stages(run: Watched) -> dict[str, float]:
    """Seconds by stage, of the base and of all candidates together, as their own status tells them."""
    found: dict[str, float] = {}
    told = [*((f"base {name}", value) for base in run.outcome.bases for name, value in base.status.seconds.items())]
    told += [(name, value) for one in run.outcome.candidates for name, value in one.status.seconds.items()]
    for name, value in told:
        found[name] = found.get(name, 0.0) + value
    return found
