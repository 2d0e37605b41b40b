"""What a repository, a setup or a suite does wrong is the outcome of its own base, and the others go on."""

from __future__ import annotations

import json

import pytest

from tests.support.commands import at_once
from tests.support.troubles import row
from tests.support.world import World

TROUBLES = {
    "no-repository": ("RepositoryUnreachable", "is not a git repository that can be read"),
    "empty": ("EmptyRepository", "has no commit"),
    "bare": ("RecipeUnknown", "say in spec.environment.setup how dependencies are installed"),
    "missing-revision": ("NoEligibleRevision", "v9.9.9"),
    "setup-fails": ("SetupFailed", "ended with exit code 3; its last lines:\nit does not work"),
    "setup-hangs": ("SetupStopped", "was stopped: it ran longer than 1 s"),
    "setup-asks": ("SetupFailed", "ended with exit code 1; its last lines:\nyour name?"),
    "no-tests": ("NoChecks", "Look at checks.command"),
    "no-end": ("Unhealthy", "the suite was not over after 5 s"),
}


def test_a_run_with_troubles_is_complete(troubles: World) -> None:
    assert troubles.ended.code == 0, troubles.ended


@pytest.mark.parametrize("name", TROUBLES)
def test_each_base_says_what_is_wrong_with_it(troubles: World, name: str) -> None:
    reason, message = TROUBLES[name]
    found = row(troubles, "bases", name)
    assert (found["ready"], found["reason"]) == (False, reason), found["message"]
    assert message in found["message"]
    assert found["message"] in "\n".join(
        line.removeprefix("because     ").removeprefix(" " * 12)
        for line in at_once("explain", name, "--store", troubles.store).out.splitlines()
    )


@pytest.mark.parametrize("name", TROUBLES)
def test_each_candidate_is_refused_with_its_bases_reason(troubles: World, name: str) -> None:
    reason, message = TROUBLES[name]
    found = row(troubles, "candidates", f"of-{name}")
    assert (found["accepted"], found["reason"]) == (False, "BaseNotReady")
    assert f"base {name} is not healthy: {reason}: " in found["message"]
    assert message in found["message"]


def test_a_hostile_suite_is_sorted_test_by_test(troubles: World) -> None:
    found = row(troubles, "bases", "hostile")
    assert found["ready"], found["message"]
    digest = troubles.stored("bases", "hostile")["status"]["evidence"]["inventory"]
    inventory = json.loads((troubles.store / "evidence" / digest).read_text())
    other = {check.partition("::test_")[2]: told["reason"] for check, told in inventory["other"].items()}
    # Whether a gigabyte fits into its time is this machine's affair.
    other.pop("prints_a_gigabyte", None)
    assert other == {
        "kills_its_parent": "ended or left the test process",
        "leaves_as_if_all_were_well": "ended or left the test process",
        "never_ends": "did not end in its time",
    }
    healthy = {check.partition("::test_")[2] for check in inventory["healthy"]}
    assert healthy >= {"goes_elsewhere", "cannot_write_outside", "asks", "at_the_end", "type", "answer"}


def test_a_task_is_made_beside_all_that(troubles: World) -> None:
    found = row(troubles, "candidates", "of-hostile")
    assert found["accepted"], found["message"]
    assert found["checks"]["target"] == 1


def test_logs_stay_small_whatever_is_printed(troubles: World) -> None:
    files = [path for path in (troubles.store / "cache/logs").rglob("*") if path.is_file()]
    assert files
    assert max(path.stat().st_size for path in files) < 8 << 20
