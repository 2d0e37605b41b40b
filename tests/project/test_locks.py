from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))


def pins(lock: str) -> dict[str, str]:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return {canonicalize_name(n): v for n, v in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, flags=re.MULTILINE)}


def unmet(requirements: list[str], lock: str) -> list[str]:
    locked = pins(lock)
    parsed = [Requirement(r) for r in requirements]
    return [
        str(r)
        for r in parsed
        if canonicalize_name(r.name) not in locked
        or not r.specifier.contains(locked[canonicalize_name(r.name)], prereleases=True)
    ]


def test_every_runtime_range_is_met_by_the_runtime_lock() -> None:
    assert unmet(PROJECT["project"]["dependencies"], "runtime.lock") == []


def test_the_grader_of_exports_is_locked_at_the_runtime_s_own_versions() -> None:
    grader = "../operator/change2task/corpus/exports/grader.lock"
    assert unmet(PROJECT["project"]["optional-dependencies"]["grader"], grader) == []
    runtime = pins("runtime.lock")
    assert pins(grader).items() <= runtime.items()


def test_every_development_range_is_met_by_the_development_lock() -> None:
    extras = PROJECT["project"]["optional-dependencies"]["dev"]
    build = PROJECT["build-system"]["requires"]
    assert unmet([*PROJECT["project"]["dependencies"], *extras, *build], "dev.lock") == []


def test_tests_run_on_the_versions_that_users_get() -> None:
    runtime, dev = pins("runtime.lock"), pins("dev.lock")
    assert {n: dev.get(n) for n in runtime} == runtime
    assert pins("bootstrap.lock") == {"uv": runtime["uv"]}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda p: p.name)
def test_a_lock_names_hashes_and_no_index(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    assert "index" not in text
    entries = re.findall(r"^[\w.-]+==.*?(?=^[\w.-]+==|\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert entries
    assert [e for e in entries if "--hash=sha256:" not in e] == []
