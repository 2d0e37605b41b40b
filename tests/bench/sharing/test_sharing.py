"""One base for many candidates against one environment each: set-up time and storage saved.

*Shared*: the product's run of all candidates on one base. Set-up is the base's build and preflight; storage is the
environment and everything the store keeps of the base, the candidates and the tasks.

*Each its own*: the same product prepares a base at each change's own commit, dated at its own day, as a collection of
historical snapshots would. Downloaded packages are kept between builds, which favours this side. Set-up is again build
and preflight. Storage is counted twice: each environment by itself, as images without common layers or checkouts on
several machines, and all together as this file system counts them, with equal files linked between environments, which
the product does for the bases of one store.

*Copies*: the shared base's revision built again and again, each in a store of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from change2task.api.taskcandidate import TaskCandidate
from change2task.base.disk import taken
from change2task.pipeline.run import Run
from tests.bench.histories.cases import History, read_histories
from tests.bench.sessions import opened
from tests.bench.settings import Settings
from tests.bench.sharing.pool import candidates, own_base
from tests.support.silent import Silent

REPOS = ("twisted/towncrier",)
LEAST = 20
TIME_TARGET, STORAGE_TARGET = 0.80, 0.95


@pytest.mark.bench
@pytest.mark.timeout(0)
def test_sharing(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    folder = settings.folder / "sharing"
    count = int(os.environ.get("BENCH_CANDIDATES", "24"))
    assert count >= LEAST, f"BENCH_CANDIDATES: {count}; the claim is about {LEAST} or more"
    reports = []
    for history in read_histories(settings.cases, settings.chosen or REPOS):
        mirror = settings.mirror(history.repo)
        assert mirror is not None, f"no mirror of {history.repo} in BENCH_MIRRORS"
        place = folder / history.repo.replace("/", "+")
        assert not place.exists(), f"{place} is of an earlier start; remove it, a resumed set-up would measure nothing"
        found = candidates(history, mirror, count)
        reports.append(
            {
                "repo": history.repo,
                "candidates": len(found),
                "shared": _shared(history, mirror, place / "shared", found),
                "own": _own(history, mirror, place / "own", found),
                "copies": _copies(history, mirror, place, count),
                "load": os.getloadavg(),
            }
        )
        (place / "report.json").write_text(json.dumps(reports[-1], indent=1))
    page = "\n".join(_page(reports))
    (folder / "sharing.md").write_text(page)
    with capsys.disabled():
        sys.stdout.write(f"\n{page}\n{folder / 'sharing.md'}\n")


def _shared(history: History, mirror: Path, place: Path, found: Sequence[TaskCandidate]) -> dict[str, Any]:
    with opened(history, mirror, place) as session:
        started = time.monotonic()
        outcome = session.bases.drive(history.base)
        setup = time.monotonic() - started
        assert outcome.on_hand is not None
        jobs = os.cpu_count() or 1
        run = Run(
            bases=session.bases,
            candidates=session.candidates,
            reporter=Silent(),
            jobs=jobs,
            cancel=threading.Event(),
        )
        done = run.run([history.base], found)
    kept = [path for path in place.iterdir() if path.name != "cache"]
    return {
        "seconds": setup,
        "build": outcome.base.status.seconds["build"],
        "environment": _environments(place),
        "kept": taken(*(path for path in kept if path.is_dir())),
        "accepted": sum(bool(one.status.accepted) for one in done.candidates),
    }


def _own(history: History, mirror: Path, place: Path, found: Sequence[TaskCandidate]) -> dict[str, Any]:
    seconds, build, failed = [], [], []
    with opened(history, mirror, place) as session:
        for candidate in found:
            started = time.monotonic()
            outcome = session.bases.drive(own_base(history, candidate))
            seconds.append(time.monotonic() - started)
            build.append(outcome.base.status.seconds.get("build", 0.0))
            if outcome.on_hand is None:
                failed.append(candidate.metadata.name)
    each = [taken(path) for path in _folders(place)]
    return {
        "seconds": sum(seconds), "build": sum(build), "failed": failed, "each": sum(each), "built": len(each),
        "linked": _environments(place),
    }  # fmt: skip


def _copies(history: History, mirror: Path, place: Path, count: int) -> dict[str, Any]:
    downloads = place / "copies" / "downloads"
    downloads.mkdir(parents=True)
    build, each = [], []
    for number in range(count):
        store = place / "copies" / str(number)
        with opened(history, mirror, store) as session:
            # Its health is known from the shared base, so that only building is repeated.
            shutil.copytree(place / "shared" / "cache" / "inventories", store / "cache" / "inventories")
            (store / "cache" / "uv").symlink_to(downloads)
            outcome = session.bases.drive(history.base)
            build.append(outcome.base.status.seconds["build"])
        each.append(_environments(store))
    return {"build": sum(build), "each": sum(each)}


def _folders(place: Path) -> list[Path]:
    return [path for path in (place / "cache" / "environments").iterdir() if path.is_dir()]


def _environments(place: Path) -> int:
    """Bytes of all environments of a store, files linked between them once; the pool's links add nothing."""
    return taken(*_folders(place))


def _page(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"Targets: set-up time at least {TIME_TARGET:.0%} less, storage at least {STORAGE_TARGET:.0%} less.\n"
    yield "| repository | | one base | one each | saved |"
    yield "|---|---|---:|---:|---:|"
    for report in reports:
        shared, own, copies = report["shared"], report["own"], report["copies"]
        storage = shared["environment"] + shared["kept"]
        name = f"{report['repo']}, {report['candidates']} candidates"
        rows: tuple[tuple[str, float, float, str], ...] = (
            ("set-up, build and preflight", shared["seconds"], own["seconds"], "s"),
            ("set-up, build alone", shared["build"], own["build"], "s"),
            ("set-up, build alone, copies of H", shared["build"], copies["build"], "s"),
            ("storage, each environment by itself", storage, own["each"], "MiB"),
            ("storage, copies of H", storage, copies["each"], "MiB"),
            ("storage, files linked between environments", storage, own["linked"], "MiB"),
        )
        for what, ours, theirs, unit in rows:
            yield f"| {name} | {what} | {_told(ours, unit)} | {_told(theirs, unit)} | {1 - ours / theirs:.1%} |"
        yield (
            f"\n{shared['accepted']} of {report['candidates']} candidates became tasks on the shared base, what is kept"
            f" of all takes {_told(shared['kept'], 'MiB')}; {len(own['failed'])} of the own bases are not healthy"
            f" ({own['built']} environments stand). Load {report['load'][1]:.1f}.\n"
        )


def _told(value: float, unit: str) -> str:
    return f"{value / 2**20:.1f} MiB" if unit == "MiB" else f"{value:.1f} s"
