"""``change2task export`` as a user starts it, on the store of a finished run."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from change2task.api.modernbase import ModernBase
from change2task.api.progress import BaseProgress
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.corpus.from_cluster import bring
from change2task.corpus.store import Store
from tests.support.commands import Ended, at_once
from tests.support.kube import Api
from tests.support.world import World


def files(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def exported(form: str, *words: str | Path) -> Ended:
    ended = at_once("export", "--format", form, *words)
    assert ended.code == 0, ended
    return ended


@pytest.mark.parametrize("form", ["harbor", "swe-bench", "jsonl", "oci"])
def test_every_format_is_written_twice_the_same(store: Path, tmp_path: Path, form: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    told = exported(form, store, one).out
    exported(form, "--store", store, other)
    assert files(one) == files(other)
    assert told.splitlines()[0].endswith(f"tasks written to {one} as {form}, version 1")
    assert {"MANIFEST.json", "README.md", "splits.json"} <= files(one).keys()


def test_every_task_of_the_store_is_held_and_every_rejection_named(world: World, store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = exported("harbor", store, out).out
    held = {path.parent.name for path in out.glob("*/task.toml")}
    for name in set(Store.open(store, create=False).names(TaskVariant)) - held:
        assert f"left out {name}: nearly the same as " in told
    assert all(tomllib.loads((out / name / "task.toml").read_text())["schema_version"] == "1.4" for name in held)
    for row in world.document["candidates"]:
        assert (f"left out {row['name']}: " in told) is (row["accepted"] is not True)


def test_what_a_cluster_holds_is_exported_as_what_a_store_holds(world: World, store: Path, tmp_path: Path) -> None:
    there, held = Api(), Store.open(store, create=False)
    for name in held.names(ModernBase):
        base = held.base(name)
        assert base is not None
        progress = BaseProgress(key="k", outcome="all")
        there.put(_in_team(base.replacing(status=base.status.replacing(progress=progress))))
    for name in held.names(TaskCandidate):
        candidate = held.candidate(name)
        assert candidate is not None
        there.put(_in_team(candidate))
    for name in held.names(TaskVariant):
        variant = held.variant(name)
        assert variant is not None
        there.put(_in_team(variant))
    everything = {path.name: path.read_bytes() for path in (store / "evidence").iterdir()}
    pulled = Store.open(tmp_path / "pulled", create=True)
    bring(there, "team", (), lambda _: everything, pulled)  # type: ignore[arg-type]
    exported("harbor", store, tmp_path / "one")
    exported("harbor", pulled.path, *world.mirror, tmp_path / "other")
    assert files(tmp_path / "one") == files(tmp_path / "other")


def _in_team(resource: ModernBase | TaskCandidate | TaskVariant) -> dict[str, Any]:
    metadata = resource.metadata.replacing(namespace="team")
    return resource.replacing(metadata=metadata).document()


def test_names_and_selectors_choose(store: Path, tmp_path: Path) -> None:
    def held(*words: str | Path) -> list[str]:
        out = tmp_path / "out"
        exported("jsonl", "--store", store, *words, out)
        return [json.loads(line)["candidate"] for line in (out / "tasks.jsonl").read_text().splitlines()]

    assert held("feature") == ["feature"]
    assert held("-l", "output=tests") == ["tests"]
    assert "tests" not in held("--selector", "output!=tests", "-l", "base=toolbox")


def test_an_export_over_an_earlier_one_says_what_was_retired(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    exported("jsonl", "--store", store, "feature", "tests", out)
    task = at_once("show", "tests", "--store", store, "--part", "checks").out.split(",")[0].strip()
    told = exported("jsonl", "--store", store, "feature", out).out
    assert "version 2" in told
    assert f"retired {task}: it was not asked for this time" in told


def test_an_earlier_export_to_which_something_came_is_left_alone(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    exported("jsonl", "--store", store, "feature", out)
    (out / "notes.txt").write_text("precious")
    (out / "mine").mkdir()
    before = files(out)
    ended = at_once("export", "--format", "jsonl", "--store", store, "feature", out)
    assert ended.code == 2
    assert f"{out}: it holds what is not the earlier export's" in ended.err
    assert "mine/, notes.txt; move it elsewhere, or name another folder" in ended.err
    assert files(out) == before
    assert (out / "mine").is_dir()


def test_a_named_task_that_cannot_be_exported_is_told_with_its_own_reason(store: Path, tmp_path: Path) -> None:
    def refused(name: str) -> str:
        ended = at_once("export", "--format", "jsonl", "--store", store, name, tmp_path / "out")
        assert ended.code == 2
        return ended.err

    held = Store.open(store, create=False)
    candidate = held.candidate("feature")
    assert candidate is not None
    assert candidate.status.variant_ref is not None
    task = candidate.status.variant_ref.name
    path = store / "variants" / f"{task}.yaml"
    whole = path.read_text()
    path.unlink()
    path.write_text(whole.replace("regressionCount: ", "regressionCount: 1"))
    assert f"feature cannot be exported: {task}: it was changed since it was made" in refused("feature")
    (store / "candidates/feature.yaml").unlink()
    assert f"{task} is a task that no candidate of {store} has any more" in refused(task)


def test_overlap_with_ids_that_are_given_is_flagged(store: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("ada__toolbox-7\nada__toolbox-8\n")
    told = exported("swe-bench", "--store", store, "feature", "--known-ids", known, tmp_path / "out").out
    assert "overlaps with ada__toolbox-7\n" in told


def test_pushed_images_and_start_images_are_taken(store: Path, tmp_path: Path) -> None:
    (name,) = {
        line.split(",")[0] for line in [at_once("show", "feature", "--store", store, "--part", "checks").out.strip()]
    }
    images = tmp_path / "images.json"
    images.write_text(json.dumps({name: {"environment": "reg/x@sha256:1"}}))
    out = tmp_path / "out"
    exported("harbor", "--store", store, "--images", images, "feature", out)
    config = tomllib.loads((out / name / "task.toml").read_text())
    assert config["environment"]["docker_image"] == "reg/x@sha256:1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["featur", "out"], "there is no 'featur' in {store}; did you mean feature"),
        (
            ["-l", "famly=BugFix", "out"],
            "there is no task to export: no task has a label 'famly'; did you mean family?",
        ),
        (["-l", "family=BugFx", "out"], "no task has family=BugFx; did you mean BugFix? family of the tasks is "),
        (["-l", "zzz=1", "out"], "no task has a label 'zzz'; tasks have base, family, level, output, "),
        (["-l", "base!=toolbox", "-l", "base!=toolbox", "out"], "every task has base=toolbox"),
        (["-l", "output=tests", "-l", "output=patch", "out"], "no task has output=tests and output=patch at once"),
        (["feature", "-l", "output=tests", "out"], "feature is left out by --selector output=tests"),
        (["docs", "out"], "docs has no task"),
        (["-l", "output", "out"], "--selector output: write it as KEY=VALUE"),
        (["-l", "output=nothing", "out"], "there is no task to export"),
        (["--images", "gone.json", "out"], "--images gone.json: cannot be read"),
        (["--split-date", "soon", "out"], "--split-date soon: write it as YYYY-MM-DD"),
        (["taken"], "holds files and no MANIFEST.json"),
        (["--start-image", "x", "out"], "--start-image x: write it as NAME=IMAGE"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").write_text("")
    before = files(tmp_path / "taken")
    ended = at_once("export", "--format", "jsonl", "--store", store, *words)
    assert ended.code == 2
    assert said.format(store=store) in ended.err
    assert "rejected" not in ended.err
    assert not (tmp_path / "out").exists()
    assert files(tmp_path / "taken") == before


def test_the_schema_of_a_row_is_published_and_rows_keep_to_it(store: Path, tmp_path: Path) -> None:
    schema = json.loads(at_once("schema", "TaskRow").out)
    assert schema["title"] == "TaskRow"
    out = tmp_path / "out"
    exported("jsonl", store, out)
    for line in (out / "tasks.jsonl").read_text().splitlines():
        row = json.loads(line)
        assert row.keys() <= schema["properties"].keys()
        assert set(schema["required"]) <= row.keys()
    refused = at_once("schema", "TaskRow", "--form", "crd")
    assert refused.code == 2


def test_a_grade_is_written_as_a_log_too(world: World, store: Path, tmp_path: Path) -> None:
    log, empty = tmp_path / "log", tmp_path / "empty"
    empty.write_bytes(b"")
    done = world.run("grade", "feature", "--patch", empty, "--store", store, *world.mirror, "--swe-bench-log", log)
    assert done.code == 0, done
    assert "FAILED " in log.read_text()
