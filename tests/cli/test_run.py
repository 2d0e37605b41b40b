"""``change2task run``: every kind of change in one real history, from a manifest to verdicts, files and a document."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest
import yaml

from tests.support.world import URL, World

ACCEPTED = {
    "fix": ("BugFix", 1, "exact-reversal"),
    "feature": ("FeatureAddition", 1, "exact-reversal"),
    "tests": ("TestGeneration", 1, "exact-reversal"),
    "migration": ("APIMigration", 1, "exact-reversal"),
    "security": ("SecurityRepair", 1, "exact-reversal"),
    "range": ("BugFix", 2, "unique-block"),
}
REJECTED = {
    "superseded": ("ConstructionExhausted", "ExhaustedConstruction", "'Write spans in one line', which rewrote lines"),
    "entangled": ("RegressionBroke", "Lifecycle", "test_total"),
    "untested": ("TargetDidNotFail", "Lifecycle", "tests/test_lone.py::test_four"),
    "forgotten": ("NoTargetChecks", "BehaviourAlignment", "test_words_of_half"),
    "docs": ("NoSourceChange", "BehaviourAlignment", "README.md"),
    "tests-only": ("NoSourceChange", "BehaviourAlignment", "tests/test_clock.py"),
    "binary": ("BinaryOnly", "BehaviourAlignment", "toolbox/pixels.bin"),
    "empty": ("EmptyChange", "BehaviourAlignment", "alters no file"),
    "reverted": ("ChangeReverted", "BehaviourAlignment", "Revert"),
    "bundle": ("BranchMerge", "BehaviourAlignment", "merges branch"),
    "aside": ("ChangeNotInAncestry", "BehaviourAlignment", "is not an ancestor"),
    "absent": ("ChangeNotFound", "BehaviourAlignment", "0123456789abcdef"),
}
ROW = ["name", "base", "change", "family", "accepted", "level", "strategy", "reason", "message", "fidelity", "checks",
       "seconds", "attempts"]  # fmt: skip


def conditions(resource: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in resource["status"]["conditions"]}


def test_a_complete_run_ends_with_0_whatever_the_verdicts(world: World) -> None:
    assert world.ended.code == 0, world.ended


def test_every_candidate_of_the_manifest_has_its_row_in_the_order_written(world: World) -> None:
    written = [d["metadata"]["name"] for d in yaml.safe_load_all(world.manifest.read_text())]
    assert [row["name"] for row in world.document["candidates"]] == written[1:]


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_change_that_can_be_undone_becomes_a_task(world: World, name: str) -> None:
    row = world.row(name)
    assert (row["accepted"], row["reason"]) == (True, "Accepted"), row["message"]
    assert (row["family"], row["level"], row["strategy"]) == ACCEPTED[name]


@pytest.mark.parametrize("name", REJECTED)
def test_any_other_is_refused_with_its_reason_and_what_happened(world: World, name: str) -> None:
    row, status = world.row(name), world.stored("candidates", name)["status"]
    reason, kind, words = REJECTED[name]
    assert (row["accepted"], row["reason"]) == (False, reason), row["message"]
    assert words in row["message"]
    assert (status["accepted"], status["reason"], status["rejection"]) == (False, reason, kind)
    assert "variantRef" not in status


def test_the_document_has_exactly_the_keys_that_are_promised(world: World) -> None:
    assert list(world.document) == ["bases", "candidates", "accepted", "rejected", "undecided"]
    assert all(list(row) == ROW for row in world.document["candidates"])
    accepted = world.row("fix")
    assert list(accepted["fidelity"]) == [
        "files", "hunks", "lines", "symbols", "targetChecks", "regressionChecks", "score"
    ]  # fmt: skip
    assert accepted["checks"] == {"target": 1, "regression": 20}
    assert list(accepted["seconds"]) == ["evidence", "alignment", "construction", "validation"]
    assert world.row("docs")["fidelity"] is None
    assert world.row("docs")["checks"] is None


def test_what_was_counted_is_what_is_listed(world: World) -> None:
    document = world.document
    assert (document["accepted"], document["rejected"], document["undecided"]) == (len(ACCEPTED), len(REJECTED), 1)


def test_every_attempt_is_told_with_its_reason(world: World) -> None:
    attempts = world.row("superseded")["attempts"]
    assert [(a["strategy"], a["outcome"]) for a in attempts] == [
        ("exact-reversal", "notApplicable"),
        ("unique-block", "notApplicable"),
    ]
    assert all(a["message"] for a in attempts)
    first, *rest = world.row("entangled")["attempts"]
    assert (first["outcome"], first["reason"]) == ("rejected", "RegressionBroke")
    assert (rest[0]["outcome"], rest[0]["message"]) == ("duplicate", "same tree as exact-reversal")


def test_the_base_is_frozen_and_its_checks_are_sorted(world: World) -> None:
    [row] = world.document["bases"]
    head = world.stored("bases", "toolbox")["status"]["commit"]
    assert (row["name"], row["ready"], row["dated"], row["commit"]) == ("toolbox", True, True, head)
    assert row["checks"] == {"healthy": 21, "failing": 1, "unstable": 1, "notRun": 0}


def test_what_fails_or_flickers_on_the_base_is_listed_and_carries_no_task(world: World) -> None:
    inventory = world.stored("bases", "toolbox")["status"]["inventory"]
    assert inventory["failingIds"] == ["tests/test_odd.py::test_never"]
    assert inventory["unstableIds"] == ["tests/test_odd.py::test_zone"]
    for path in (world.store / "variants").iterdir():
        digest = yaml.safe_load(path.read_text())["spec"]["checks"]["regressionDigest"]
        assert "test_odd" not in (world.store / "evidence" / digest).read_text()


def test_conditions_say_of_an_accepted_candidate_that_all_went_well(world: World) -> None:
    assert conditions(world.stored("candidates", "fix")) == {
        "Aligned": ("True", "Aligned"),
        "Constructed": ("True", "Constructed"),
        "Validated": ("True", "Validated"),
        "Accepted": ("True", "Accepted"),
        "Ready": ("True", "Complete"),
        "Reconciling": ("False", "Complete"),
        "Stalled": ("False", "Complete"),
    }


@pytest.mark.parametrize(
    ("name", "aligned", "constructed", "validated"),
    [
        ("docs", "False", "Unknown", "Unknown"),
        ("superseded", "True", "False", "Unknown"),
        ("entangled", "True", "True", "False"),
    ],
)
def test_a_rejection_is_a_verdict_and_says_where_it_fell(
    world: World, name: str, aligned: str, constructed: str, validated: str
) -> None:
    found = conditions(world.stored("candidates", name))
    assert [found[kind][0] for kind in ("Aligned", "Constructed", "Validated")] == [aligned, constructed, validated]
    assert found["Accepted"] == ("False", REJECTED[name][0])
    assert found["Ready"] == ("True", "Complete")
    assert found["Stalled"] == ("False", "Complete")


def test_a_suspended_candidate_waits(world: World) -> None:
    assert world.row("waiting")["accepted"] is None
    assert world.row("waiting")["reason"] == "Suspended"
    assert conditions(world.stored("candidates", "waiting"))["Ready"] == ("False", "Suspended")


def test_the_change_is_told_as_it_was_found(world: World) -> None:
    change = world.stored("candidates", "feature")["status"]["change"]
    assert (change["pullRequest"], change["kind"]) == (7, "merge")
    assert world.stored("candidates", "fix")["status"]["change"]["title"].startswith("Fix shortened text")


def test_families_are_chosen_by_the_evidence_with_a_reason(world: World) -> None:
    assert "CVE-2020-0001" in world.stored("candidates", "security")["status"]["familyReason"]
    assert "migrate" in world.stored("candidates", "migration")["status"]["familyReason"]


def test_all_evidence_that_is_named_is_there_and_unaltered(world: World) -> None:
    named: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            named.update(value.get("evidence", {}).values() if isinstance(value.get("evidence"), dict) else ())
            named.update(value[key] for key in ("taskPatch", "patchDigest", "regressionDigest") if _digest(value, key))
            for one in value.values():
                collect(one)
        elif isinstance(value, list):
            for one in value:
                collect(one)

    for folder in ("bases", "candidates", "variants"):
        for path in (world.store / folder).iterdir():
            collect(yaml.safe_load(path.read_text()))
    found = {path.name: path.read_bytes() for path in (world.store / "evidence").iterdir()}
    assert named
    assert named <= set(found)
    assert all(hashlib.sha256(content).hexdigest() == name for name, content in found.items())


def _digest(value: dict[str, Any], key: str) -> bool:
    return isinstance(value.get(key), str)


def test_a_task_is_named_by_what_it_is_and_holds_no_time(world: World) -> None:
    name = world.stored("candidates", "fix")["status"]["variantRef"]["name"]
    variant = world.stored("variants", name)
    assert variant["metadata"] == {"name": name}
    assert {kind: told[0] for kind, told in conditions(variant).items()} == {
        "Verified": "True", "Published": "True", "Ready": "True", "Reconciling": "False", "Stalled": "False"
    }  # fmt: skip
    spec = variant["spec"]
    assert (spec["base"]["repository"], spec["family"], spec["strategy"]) == (URL, "BugFix", "exact-reversal")
    assert [check["id"] for check in spec["checks"]["targets"]] == [
        "tests/test_text.py::test_a_mark_stands_for_what_was_left_out"
    ]
    assert spec["restorationPatch"]["data"].count("\n+") == 4
    assert not {"seconds", "lastTransitionTime"} & set(re.findall(r'"(\w+)":', json.dumps(spec)))


def test_equal_changes_under_two_names_are_one_task_each(world: World) -> None:
    fix, span = (world.stored("candidates", name)["status"]["variantRef"]["name"] for name in ("fix", "range"))
    assert fix != span, "another strategy made it, so it is another task"
    assert len(list((world.store / "variants").iterdir())) == len(ACCEPTED)


def test_the_agent_does_not_see_the_tests_that_would_tell_nor_what_only_they_import(world: World) -> None:
    name = world.stored("candidates", "feature")["status"]["variantRef"]["name"]
    hiding = world.stored("variants", name)["spec"]["hidingPatch"]["data"]
    assert "-from toolbox.text import shorten, slugify, title, words" in hiding
    assert "+from toolbox.text import shorten, title, words" in hiding
    assert "-def test_slug():" in hiding
    assert "-def test_words():" not in hiding


def test_a_migration_is_judged_by_reading_and_behaviour_stays(world: World) -> None:
    name = world.stored("candidates", "migration")["status"]["variantRef"]["name"]
    [target] = world.stored("variants", name)["spec"]["checks"]["targets"]
    assert (target["kind"], "hidden" in target) == ("static", False)
    assert target["static"] == {"gone": ["pickle"], "used": ["json"], "paths": ["toolbox/stored.py"]}


def test_a_task_of_test_generation_asks_for_tests(world: World) -> None:
    name = world.stored("candidates", "tests")["status"]["variantRef"]["name"]
    output = world.stored("variants", name)["spec"]["output"]
    assert (output["output"], output["permitted"]) == ("tests", ["tests/**"])


def test_nothing_is_left_of_unfinished_work(world: World) -> None:
    cache = world.store / "cache"
    assert list((cache / "journal").iterdir()) == []
    assert [path.name for path in (cache / "runs").iterdir()] == ["lock"]
    assert not list(world.store.rglob(".tmp-*"))
    assert sorted(path.name for path in world.store.iterdir()) == [
        ".gitignore", ".lock", "bases", "cache", "candidates", "evidence", "store.yaml", "variants"
    ]  # fmt: skip
