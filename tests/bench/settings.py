"""What a benchmark is given from outside: where it may write, which cases, which mirrors; all by environment variables.

BENCH_FOLDER    results, environments and everything remembered between two starts (default: .bench)
BENCH_CASES     a JSON-lines file of merged changes, with `repo` (owner/name), `sha`, `title`, `family` a row
BENCH_MIRRORS   a folder of bare mirrors, OWNER+NAME or OWNER+NAME/repo each
BENCH_REPOS     owner/name, with blanks between; absent: every repository with cases, a mirror and a known base
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class NotGiven(Exception):
    """A benchmark lacks something only the person who starts it can give; the message names the variable."""


@dataclass(frozen=True)
class Settings:
    """The environment's word, unchecked until asked for."""

    folder: Path
    cases_file: Path | None
    mirrors_folder: Path | None
    chosen: tuple[str, ...]
    limit: int | None

    @classmethod
    def from_environment(cls) -> Settings:
        return cls(
            folder=Path(os.environ.get("BENCH_FOLDER") or ROOT / ".bench").absolute(),
            cases_file=_path("BENCH_CASES"),
            mirrors_folder=_path("BENCH_MIRRORS"),
            chosen=tuple(os.environ.get("BENCH_REPOS", "").split()),
            limit=int(os.environ["BENCH_LIMIT"]) if os.environ.get("BENCH_LIMIT") else None,
        )

    @property
    def cases(self) -> Path:
        return _given(self.cases_file, "BENCH_CASES")

    def mirror(self, repo: str) -> Path | None:
        """The bare mirror of owner/name, or None."""
        place = _given(self.mirrors_folder, "BENCH_MIRRORS") / repo.replace("/", "+")
        return next(
            (path for path in (place / "repo" / ".git", place / "repo", place) if (path / "HEAD").is_file()), None
        )


def _path(name: str) -> Path | None:
    return Path(os.environ[name]).absolute() if os.environ.get(name) else None


def _given(path: Path | None, name: str) -> Path:
    if path is None:
        raise NotGiven(f"set {name}; tests/bench/settings.py says what it holds")
    if not path.exists():
        raise NotGiven(f"{name}: there is nothing at {path}")
    return path
