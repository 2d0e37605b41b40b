"""A whole export: manifest, card, splits, duplicates, overlaps, and what a later version says of an earlier one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from change2task.corpus.exports.corpus import Export, Format, Wishes, export
from change2task.corpus.exports.licences import licences
from change2task.corpus.exports.manifest import EarlierUnreadable, read_earlier
from change2task.corpus.exports.selection import known_ids, overlaps, splits, without_duplicates
from change2task.corpus.exports.task import File, Leaf
from change2task.corpus.exports.writing import TakenOut, earlier_manifest, writing
from change2task.vcs.trees import FILE
from tests.support.exporting import AGENT, RIGHT, of_another_day, task

OTHER = RIGHT.replace(b"the healthy way", b"quite another way").replace(b"return 2", b"return 3")


def made(*tasks: Any, form: Format = "jsonl", **kwargs: Any) -> Export:
    return export(tasks, Wishes(format=form, tool="1"), **kwargs)


def predicate(one: Export) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(one.files["MANIFEST.json"].content)["predicate"]
    return found


@pytest.mark.parametrize("form", ["harbor", "swe-bench", "jsonl", "oci"])
def test_the_same_tasks_in_any_order_give_the_same_bytes(form: Format) -> None:
    one, other = task(), task("other", solution=OTHER)
    assert made(one, other, form=form).files == made(other, one, form=form).files


@pytest.mark.parametrize("form", ["harbor", "swe-bench", "jsonl", "oci"])
def test_the_manifest_is_a_statement_over_every_other_file(form: Format) -> None:
    files = dict(made(task(), form=form).files)
    statement = json.loads(files.pop("MANIFEST.json").content)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    told = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    assert told == {name: hashlib.sha256(file.content).hexdigest() for name, file in files.items()}


def test_the_manifest_says_what_each_task_rests_on() -> None:
    one = task()
    (told,) = predicate(made(one))["tasks"]
    assert told["sourceChange"]["commit"] == one.variant.spec.source_change.commit
    assert told["base"]["commit"] == one.variant.spec.base.commit
    assert told["gates"] == {"base/inventory": "1" * 64}
    assert told["licences"] == {"LICENSE": "MIT"}


def test_near_duplicates_go_and_the_one_that_stays_is_named() -> None:
    lower, higher = task("a"), task("b", level=2)
    found = made(higher, lower)
    assert found.held == (lower.id,)
    assert [(one.task, one.like, one.likeness) for one in found.duplicates] == [(higher.id, lower.id, 1.0)]
    assert higher.id in found.files["README.md"].content.decode()


def test_other_repositories_and_other_answers_are_no_duplicates() -> None:
    tasks = [task("a"), task("b", repository="https://example.org/ada/fork"), task("c", solution=OTHER)]
    assert len(without_duplicates(tasks)[0]) == 3


def test_a_repository_is_in_one_split_and_dates_part_the_tasks() -> None:
    tasks = [of_another_day(task(str(n), solution=b"x%d" % n), 1_600_000_000 + n * 86_400) for n in range(10)]
    found = splits(tasks)
    assert sorted(len(part) for part in found["byRepository"].values()) == [0, 0, 10]
    assert (len(found["byDate"]["earlier"]), len(found["byDate"]["later"])) == (8, 2)
    assert splits(tasks, "2020-09-14")["byDate"]["later"] == [one.id for one in tasks if one.changed >= 1_600_041_600]


def test_overlap_is_by_request_commit_or_parent_and_never_by_likeness_of_names() -> None:
    one = task(source_change=task().variant.spec.source_change.replacing(pull_request=42))
    commit = one.variant.spec.source_change.commit
    known = known_ids(
        f'# ids\nada__pkg-42\nada/pkg#42\nada__pkg-43\n{{"instance_id": "x__y-1", "base_commit": "{commit}"}}\n'
    )
    assert known == {"ada__pkg-42", "ada/pkg#42", "ada__pkg-43", "x__y-1", commit}
    assert overlaps(one, known) == tuple(sorted(("ada__pkg-42", "ada/pkg#42", commit)))


def test_the_next_version_says_what_came_and_what_was_retired_and_why() -> None:
    first = made(task("a"), task("b", solution=OTHER), task("c", solution=b"c"))
    a, b, c = task("a"), task("b", solution=OTHER, strategy="three-way"), task("c", solution=b"c")
    new = task("d", solution=b"d")
    second = made(a, b, new, earlier=predicate(first), left_out={"c": "its candidate was rejected (Unstable)"})
    told = second.version
    assert told["version"] == 2
    assert told["came"] == sorted([b.id, new.id])
    assert {one["candidate"]: one["why"] for one in told["retired"]} == {
        "b": f"its candidate has the task {b.id} now",
        "c": "its candidate was rejected (Unstable)",
    }
    assert c.id in {one["task"] for one in told["retired"]}


def test_the_same_once_more_is_no_new_version_and_the_same_bytes() -> None:
    first = made(task())
    assert made(task(), earlier=predicate(first)).files == first.files


def test_an_export_of_another_kind_is_not_gone_on_from() -> None:
    content = made(task()).files["MANIFEST.json"].content
    with pytest.raises(EarlierUnreadable, match="format jsonl, not harbor"):
        read_earlier(content, "harbor")
    with pytest.raises(EarlierUnreadable, match="cannot be read"):
        read_earlier(b"{}", "harbor")


def test_a_task_that_the_format_cannot_hold_is_left_out_by_name() -> None:
    recipe = task().recipe.replacing(env={"A": "b\nc"})
    one = task()
    object.__setattr__(one, "recipe", recipe)
    found = made(one, form="harbor")
    assert found.held == ()
    assert "several lines" in found.left_out[one.id]
    assert "several lines" in predicate(found)["leftOut"][one.id]


def test_the_card_counts_and_names_licences_and_limits() -> None:
    card = made(task()).files["README.md"].content.decode()
    assert "| https://example.org/ada/pkg.git | LICENSE | MIT |" in card
    assert "## Known limits" in card
    assert "| BugFix | 1 |" in card


def test_licences_are_recognised_by_their_words_and_unknown_ones_told() -> None:
    tree = {**AGENT, b"COPYING.rst": Leaf(FILE, b"Do as you like."), b"src/LICENSE": Leaf(FILE, b"")}
    assert licences(tree) == {"COPYING.rst": "", "LICENSE": "MIT"}


def written(out: Path, *tasks: Any) -> None:
    with writing(out) as take:
        take(made(*tasks, form="harbor").files)


def listing(folder: Path) -> dict[str, bytes | None]:
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() and not one.is_symlink() else None
        for one in folder.rglob("*")
    }


def test_an_export_replaces_an_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    out, one, other = tmp_path / "out", task(), task("other", solution=OTHER)
    assert earlier_manifest(out) is None
    written(out, one)
    before = listing(out)
    assert earlier_manifest(out) == before["MANIFEST.json"]
    assert (out / one.id / "tests/test.sh").stat().st_mode & 0o111
    with pytest.raises(FileExistsError), writing(out) as take:
        take({"b": File(b"2"), "b/c": File(b"in a file")})
    assert listing(out) == before
    written(out, other)
    assert {path.name for path in out.iterdir() if path.is_dir()} == {other.id}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_holds_no_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TakenOut, match="holds files"):
        earlier_manifest(tmp_path)
    with pytest.raises(TakenOut, match="no folder"):
        earlier_manifest(tmp_path / "file")


STRANGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file": (lambda out: (out / "notes.txt").write_text("precious"), "lost: notes.txt; move"),
    "a file in a task": (lambda out: (out / task().id / "x").write_text("precious"), f"lost: {task().id}/x; move"),
    "an empty folder": (lambda out: (out / "mine").mkdir(), "lost: mine/; move"),
    "an edited file": (lambda out: (out / "README.md").write_text("mine"), "lost: README.md; move"),
    "a link": (lambda out: (out / "here").symlink_to(out.parent), "lost: here/; move"),
    "many": (lambda out: [(out / f"n{n}").mkdir() for n in range(7)], "n0/, n1/, n2/, n3/, n4/ and 2 more; move"),
}


@pytest.mark.parametrize("case", STRANGE)
def test_what_came_to_an_earlier_export_is_named_and_nothing_is_touched(tmp_path: Path, case: str) -> None:
    out = tmp_path / "out"
    written(out, task())
    change, said = STRANGE[case]
    change(out)
    before = listing(out)
    with pytest.raises(TakenOut, match=said):
        earlier_manifest(out)
    with pytest.raises(TakenOut, match=said):  # as where it came while the export was made
        written(out, task())
    assert listing(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_export_of_which_files_are_missing_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    written(out, task())
    before = listing(out)
    (out / "README.md").unlink()
    written(out, task())
    assert listing(out) == before


def test_folders_beside_it_are_nobody_elses_to_remove(tmp_path: Path) -> None:
    for name in (".out.part", ".out.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine").write_text("")
    written(tmp_path / "out", task())
    written(tmp_path / "out", task())
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.old", ".out.part", "out"]
    assert (tmp_path / ".out.old/mine").exists()
