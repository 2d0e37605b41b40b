"""Grading as a user starts it: one answer, a batch of them, and from Python."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from change2task.rewards import grade, open_grader
from tests.support.commands import at_once
from tests.support.world import World, changed


def test_grading_says_solved_or_not(world: World, store: Path, tmp_path: Path) -> None:
    patch = tmp_path / "answer.patch"
    patch.write_text(at_once("show", "fix", "--part", "G", "--store", store).out)
    name = world.variant("fix", store)["metadata"]["name"]
    solved = world.run("grade", "fix", "--patch", patch, *world.mirror, "--store", store)
    assert solved.out == f"{name}: solved\n  all 1 target checks and all regression checks pass\n"
    empty = world.run("grade", name, "--patch", "-", *world.mirror, "--store", store, "-o", "json", stdin=b"")
    graded = json.loads(empty.out)
    assert (graded["variant"], graded["solved"], graded["counted"]) == (name, False, [])


def test_a_batch_gives_a_reward_a_line_and_tells_lines_that_are_none(world: World, store: Path) -> None:
    right = at_once("show", "fix", "--part", "G", "--store", store).out
    coded = base64.b64encode(right.encode()).decode()
    lines = [
        json.dumps({"id": "right", "task": "fix", "patch": right}),
        json.dumps({"id": "coded", "task": "fix", "patchBase64": coded}),
        "",
        "{",
        json.dumps({"id": "short", "task": "fix"}),
        json.dumps({"id": "slip", "task": "fix", "pacth": right}),
        json.dumps({"id": "null", "task": "fix", "patch": None}),
        json.dumps({"id": "odd", "task": "a\0b", "patch": ""}),
        json.dumps({"id": "half", "task": "fix", "patch": "\udcff"}),
        json.dumps({"id": "stray", "task": "docs", "patch": ""}),
    ]
    batch = "\n".join(lines).encode()
    ended = world.run("grade", "--batch", "-", *world.mirror, "--store", store, stdin=batch, code=2)
    told = {one["id"]: one for one in map(json.loads, ended.out.splitlines())}
    assert {name: (one.get("reward"), one.get("fault")) for name, one in told.items()} == {
        "right": (1.0, None),
        "coded": (1.0, None),
        "line 4": (None, "RequestUnusable"),
        "short": (None, "RequestUnusable"),
        "slip": (None, "RequestUnusable"),
        "null": (None, "RequestUnusable"),
        "odd": (None, "TaskUnusable"),
        "half": (0.0, "PatchUnusable"),
        "stray": (None, "TaskUnusable"),
    }
    assert "line 5: give patch or patchBase64" in told["short"]["message"]
    assert "unknown field 'pacth'; did you mean patch?" in told["slip"]["message"]
    assert told["slip"]["task"] == "fix"
    assert "docs was rejected" in told["stray"]["message"]


def test_grading_from_python_gives_the_same(world: World, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    right = at_once("show", "fix", "--part", "G", "--store", store).out
    mirrors = [world.mirror[1]]
    with open_grader(store, mirrors=mirrors) as grader:
        assert [grader.grade("fix", patch).reward for patch in (right, right.encode(), "")] == [1.0, 1.0, 0.0]
    assert grade("fix", "", store=store, mirrors=mirrors).reward == 0.0


def test_a_patch_that_does_not_apply_is_bad_input(world: World, store: Path) -> None:
    patch = changed("toolbox/text.py", "not there\n", "whatever\n").encode()
    ended = world.run("grade", "fix", "--patch", "-", *world.mirror, "--store", store, stdin=patch, code=2)
    assert "error: --patch -: the patch does not apply to the task's tree:" in ended.err
