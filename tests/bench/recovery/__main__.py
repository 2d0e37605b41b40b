"""How many real changes become tasks, strategy by strategy and beside other programs, all under the product's gates.

    python -m tests.bench.recovery --mirrors FOLDER --out FOLDER [--repos owner/name …] [--count 6] [--name today]

Stopped and started again it goes on. One row a change is written to OUT/NAME/OWNER+NAME.jsonl as soon as it is decided,
and OUT/NAME/table.md of all of them. Another ``--name`` measures other code on the same sample and remembered passes.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from change2task.api.taskcandidate import Profile
from change2task.construct.ladder import strategies
from change2task.construct.strategy import Strategy
from change2task.vcs.repository import Repository
from tests.bench.histories.cases import base_alone
from tests.bench.recovery.baselines import absent, baselines
from tests.bench.recovery.drive import Asked, Drive, read_rows
from tests.bench.recovery.table import markdown
from tests.bench.settings import Settings

TUNING = (
    "marshmallow-code/marshmallow",
    "encode/httpx",
    "theskumar/python-dotenv",
    "twisted/towncrier",
    "go-chi/chi",
    "PyCQA/flake8",
    "bottlepy/bottle",
    "pallets/click",
    "pallets/jinja",
    "psf/black",
    "tornadoweb/tornado",
    "psf/requests",
)
"""Repositories that the ladder may be tuned on; others are kept for the end."""


def main() -> int:
    """Measure and print the table; 1 when a repository could not be measured."""
    given = _arguments()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    ladders: dict[str, tuple[Strategy, ...]] = {"ladder": strategies(Profile.FULL, (1, 2, 3))}
    missing = absent()
    if given.baselines:
        ladders |= {name: ladder for name, ladder in baselines().items() if name not in missing}
        for name, program in missing.items():
            _tell(f"BASELINE {name} IS NOT MEASURED: there is no {program} on this machine; install it")
    asked = Asked(given.count, given.years, given.seed, given.jobs, given.seconds, tuple(given.commits))
    mirrors = Settings(Path(), None, given.mirrors.absolute(), (), None)
    out: Path = given.out.absolute()
    rows: list[dict[str, Any]] = []
    failed: list[str] = []
    for repo in given.repos:
        file = out / given.name / f"{repo.replace('/', '+')}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        mirror = mirrors.mirror(repo)
        if given.only_table:
            rows += read_rows(file)
            continue
        if mirror is None:
            failed.append(f"{repo}: no mirror in {given.mirrors}")
            continue
        with Repository.open(mirror) as repository:
            head = repository.resolve("HEAD")
        drive = Drive(base_alone(repo, head), mirror, out / repo.replace("/", "+"), asked, ladders, given.name)
        try:
            rows += drive.rows(file)
        except AssertionError as unhealthy:
            failed.append(str(unhealthy))
        _tell(f"{datetime.now(UTC):%H:%M:%S} {repo}: {len(read_rows(file))} changes; load {os.getloadavg()[0]:.1f}")
    page = markdown(rows, [name for name in ladders if name != "ladder"], sorted(missing) if given.baselines else [])
    (out / given.name / "table.md").write_text(page)
    sys.stdout.write(page)
    for one in failed:
        _tell(f"NOT MEASURED: {one}")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recovery", description=__doc__.split("\n")[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="bare mirrors, OWNER+NAME or OWNER+NAME/repo each")
    parser.add_argument("--out", type=Path, default=Path(".bench/recovery"), help="bases, passes, rows and the table")
    parser.add_argument("--name", default="now", help="of the rows; bases and passes are shared between names")
    parser.add_argument("--repos", nargs="+", default=TUNING, metavar="OWNER/NAME")
    parser.add_argument("--count", type=int, default=6, help="changes of each repository")
    parser.add_argument("--commits", nargs="+", default=(), metavar="SHA", help="these alone, instead of a sample")
    parser.add_argument("--years", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="changes side by side")
    parser.add_argument("--seconds", type=float, default=300.0, help="after which no pass of a change is begun")
    parser.add_argument("--no-baselines", dest="baselines", action="store_false")
    parser.add_argument("--only-table", action="store_true", help="of the rows there are")
    return parser.parse_args()


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
