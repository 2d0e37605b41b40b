"""How long it takes to look at a whole history, beside git's own walk over it in the same minute.

*Git*: ``git log --numstat -M`` over the same commits, before and after; the mean of both counts, since other work on a
machine comes and goes. *Survey*: every commit in one change, every change with its reason or its first score. *Mine*:
that, and as many closer looks as fifty candidates take; these cost the same on a short history as on a long one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Revision, Scope
from change2task.history.mining.selection import Wish
from change2task.history.mining.survey import Span, survey
from change2task.pipeline.mining import head_of, mine
from change2task.vcs.repository import Repository
from tests.bench.settings import Settings

REPOS = ("pytest-dev/pytest", "psf/requests", "pallets/click", "go-chi/chi")
AT_MOST = 3.0
LONG = 10_000
"""Commits from which on the bound is asked for: on shorter ones a closer look weighs more than all the rest."""


@pytest.mark.bench
@pytest.mark.timeout(0)
def test_mining(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    measured = [_measured(repo, mirror) for repo in settings.chosen or REPOS if (mirror := settings.mirror(repo))]
    assert measured, "none of the repositories has a mirror in BENCH_MIRRORS"
    settings.folder.mkdir(parents=True, exist_ok=True)
    (settings.folder / "mining.json").write_text(json.dumps(measured, indent=1))
    with capsys.disabled():
        sys.stdout.write(f"\n{_page(measured)}\n")
    for row in measured:
        if row["commits"] >= LONG:
            assert row["mine"] <= AT_MOST * row["git"], row


def _measured(repo: str, mirror: Path) -> dict[str, Any]:
    base = ModernBase(
        metadata=ObjectMeta(name="bench"),
        spec=ModernBaseSpec.model_validate({"repository": {"url": f"https://github.com/{repo}"}}),
    )
    before = _seconds(lambda: _git(mirror))
    with Repository.open(mirror) as repository:
        head, _ = head_of(repository, Revision())
        surveyed = _seconds(lambda: survey(repository, head, Scope(), Span()))
    # Opened again, and so read again: nothing that the survey learnt is kept.
    with Repository.open(mirror) as repository:
        found: list[Any] = []
        mined = _seconds(lambda: found.append(mine(repository, base, head, Wish(limit=50), Span())))
    after = _seconds(lambda: _git(mirror))
    funnel = found[0].funnel
    return {
        "repo": repo,
        "commits": funnel.commits,
        "git": (before + after) / 2,
        "survey": surveyed,
        "mine": mined,
        "funnel": funnel.document(),
        "load": os.getloadavg()[0],
    }


def _git(mirror: Path) -> None:
    subprocess.run(["git", "-C", mirror, "log", "--numstat", "-M", "HEAD"], stdout=subprocess.DEVNULL, check=False)


def _seconds(work: Callable[[], Any]) -> float:
    started = time.monotonic()
    work()
    return time.monotonic() - started


def _page(measured: list[dict[str, Any]]) -> str:
    lines = ["| repository | commits | `git log` s | survey s | mine s | survey ÷ git | mine ÷ git | load |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in measured:
        git, surveyed, mined = row["git"], row["survey"], row["mine"]
        seconds = f"{git:.1f} | {surveyed:.1f} | {mined:.1f}"
        shares = f"{surveyed / git:.2f} | {mined / git:.2f} | {row['load']:.0f}"
        lines.append(f"| {row['repo']} | {row['commits']} | {seconds} | {shares} |")
    return "\n".join(lines)
