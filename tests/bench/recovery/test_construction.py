"""Construction without test runs: how many changes of a seeded sample each strategy makes a whole, parsing tree of."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from change2task.api.taskcandidate import Profile
from change2task.construct.ladder import strategies
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.bench.recovery.construction import construct
from tests.bench.recovery.report import markdown
from tests.bench.recovery.sample import sample
from tests.bench.settings import NotGiven, Settings

YEARS, SEED = 5.0, 20261130


@pytest.mark.bench
@pytest.mark.timeout(0)
def test_construction(settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = settings.folder / "recovery"
    folder.mkdir(parents=True, exist_ok=True)
    if not settings.chosen:
        raise NotGiven("set BENCH_REPOS to the repositories (owner/name) to take samples of")
    youngest = int(os.environ.get("BENCH_YOUNGEST", "0"))
    ladder = strategies(Profile.FULL, (1, 2, 3))
    rows = {}
    for repo in settings.chosen:
        mirror = settings.mirror(repo)
        if mirror is None:
            raise NotGiven(f"BENCH_MIRRORS holds no mirror of {repo}")
        with Workbench(Repository.open(mirror), tmp_path / repo.replace("/", "+")) as repository:
            head = repository.resolve("HEAD")
            assert head is not None
            chosen = sample(repository, head, settings.limit or 40, years=YEARS, seed=SEED, youngest=youngest)
            rows[repo] = [construct(repository, one, ladder) for one in chosen]
        (folder / f"{repo.replace('/', '+')}.json").write_text(json.dumps(rows[repo], indent=1))
    page = markdown(rows)
    (folder / "construction.md").write_text(page)
    with capsys.disabled():
        sys.stdout.write(f"\n{page}\n{folder / 'construction.md'}\n")
