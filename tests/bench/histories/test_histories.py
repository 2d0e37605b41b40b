"""Real histories: how many candidates each stage lets through, against git alone under the same gates."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.bench.histories.cases import read_histories
from tests.bench.histories.compare import Comparison
from tests.bench.histories.report import markdown
from tests.bench.settings import NotGiven, Settings


@pytest.mark.bench
@pytest.mark.timeout(0)
def test_histories(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    folder = settings.folder / "histories"
    reports = []
    for history in read_histories(settings.cases, settings.chosen, settings.limit):
        mirror = settings.mirror(history.repo)
        if mirror is None:
            continue
        place = folder / history.repo.replace("/", "+")
        reports.append(Comparison(history, mirror, place, jobs=os.cpu_count() or 1).run())
        (place / "report.json").write_text(json.dumps(reports[-1], indent=1))
    if not reports:
        raise NotGiven("no repository has cases in BENCH_CASES, a mirror in BENCH_MIRRORS and a base in bases.toml")
    page = markdown(reports)
    (folder / "histories.md").write_text(page)
    with capsys.disabled():
        sys.stdout.write(f"\n{page}\n{folder / 'histories.md'}\n")
