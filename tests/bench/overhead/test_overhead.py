"""What a whole run costs beyond the bare check commands it must run.

Three measurements a repository, each guarding the others:

1. *Direct*: `change2task run` as a process, then the same number of the same bare commands at the same parallelism, in
   turn, as often as BENCH_ROUNDS says. From an empty store, and again with the base standing already.
2. *Pass by pass*: every pass of the run and its bare command one right after the other, so that whatever else the
   machine does meets both alike.
3. *Parts*: where the time goes, with one candidate at a time, so that parts add up.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from change2task.checks.passes import PassOrder
from tests.bench.histories.cases import History, read_histories
from tests.bench.overhead.bare import BareChecks
from tests.bench.overhead.report import markdown
from tests.bench.overhead.stopwatch import Stopwatch
from tests.bench.overhead.whole import Watched, stages, timed, watched
from tests.bench.settings import Settings

REPOS = ("executablebooks/markdown-it-py", "twisted/towncrier")
"""A fast suite and a slower one."""


@pytest.mark.bench
@pytest.mark.timeout(0)
def test_overhead(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = settings.folder / "overhead"
    reports = []
    for history in read_histories(settings.cases, settings.chosen or REPOS, settings.limit):
        mirror = settings.mirror(history.repo)
        assert mirror is not None, f"no mirror of {history.repo} in BENCH_MIRRORS"
        place = folder / history.repo.replace("/", "+")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        reports.append(_measured(history, mirror, place, monkeypatch))
        (place / "report.json").write_text(json.dumps(reports[-1], indent=1))
    page = markdown(reports)
    (folder / "overhead.md").write_text(page)
    with capsys.disabled():
        sys.stdout.write(f"\n{page}\n{folder / 'overhead.md'}\n")


def _measured(history: History, mirror: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    jobs = os.cpu_count() or 1
    watch = Stopwatch()
    with ExitStack() as stack:
        with monkeypatch.context() as patch:
            watch.attach(patch)
            run = stack.enter_context(watched(history, mirror, place / "watched", jobs=1))
        orders = [order for order, _ in watch.orders]
        bare = BareChecks(run.base, run.on_hand.repository, place / "bare")
        pairs = [_pair(run, bare, order) for order in orders]
        direct = [_direct(history, mirror, place, bare, orders, number, jobs) for number in range(_rounds())]
    return {
        "repo": history.repo,
        "load": os.getloadavg(),
        "jobs": jobs,
        "candidates": len(run.outcome.candidates),
        "accepted": sum(bool(one.status.accepted) for one in run.outcome.candidates),
        "passes": len(orders),
        "watched": run.seconds,
        "parts": dict(watch.seconds),
        "calls": dict(watch.calls),
        "stages": stages(run),
        "pairs": pairs,
        "direct": direct,
    }


def _pair(run: Watched, bare: BareChecks, order: PassOrder) -> dict[str, Any]:
    ours = run.on_hand.runner.run(order)
    checkout = bare.checkout(order, "pair")
    return {"label": order.label, "ids": len(order.ids or ()), "ours": ours.seconds, "bare": bare.run(order, checkout)}


def _direct(
    history: History, mirror: Path, place: Path, bare: BareChecks, orders: Sequence[PassOrder], number: int, jobs: int
) -> dict[str, Any]:
    store = place / f"store-{number}"
    preflight = [order for order in orders if order.ids is None]
    others = [order for order in orders if order.ids is not None]
    costs = {
        "base": timed(history, mirror, store, jobs, base_only=True),
        "bare preflight": bare.run_all(preflight, 1),
        "candidates": timed(history, mirror, store, jobs),
        "bare candidates": bare.run_all(others, jobs),
        "whole": timed(history, mirror, place / f"whole-{number}", jobs),
    }
    return {name: {"wall": cost.wall, "cpu": cost.cpu} for name, cost in costs.items()}


def _rounds() -> int:
    return int(os.environ.get("BENCH_ROUNDS", "1"))
