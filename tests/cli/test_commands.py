"""Every command as a user starts it, on the store of a finished run: what it prints and the code it ends with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from change2task import __name__ as package
from change2task.api.taskvariant import Check, TaskVariant, variant_name
from change2task.corpus.store import Store
from tests.support.commands import at_once
from tests.support.world import URL, World, base, candidate, documents


def contents(store: Path) -> dict[str, bytes]:
    """Everything of a store that version control would keep."""
    kept = [path for path in store.rglob("*") if path.is_file() and "cache" not in path.relative_to(store).parts]
    return {str(path.relative_to(store)): path.read_bytes() for path in kept}


def test_running_again_redoes_nothing_and_says_the_same(world: World, store: Path) -> None:
    before = contents(store)
    again = world.run("run", world.manifest, *world.mirror, "--store", store, "-o", "json", "-v")
    assert json.loads(again.out) == world.document
    assert contents(store) == before
    assert "command" not in [line.split()[2] for line in again.err.splitlines() if len(line.split()) > 2]


def test_the_table_says_what_a_person_asks_first(world: World, store: Path) -> None:
    out = world.run("run", world.manifest, *world.mirror, "--store", store).out.splitlines()
    assert out[0].split()[:2] == ["base", "toolbox"]
    assert out[0].endswith("ready  21 healthy, 1 failing, 1 unstable")
    assert out[1].split() == ["CANDIDATE", "CHANGE", "FAMILY", "LEVEL", "STRATEGY", "VERDICT", "REASON", "SECONDS"]
    rows = {line.split()[0]: line.split() for line in out[2:-1]}
    assert rows["feature"][1:7] == ["#7", "FeatureAddition", "1", "exact-reversal", "accepted", "Accepted"]
    assert rows["docs"][2:-1] == ["Auto", "rejected", "NoSourceChange"]
    assert rows["waiting"][2:-1] == ["Auto", "none", "Suspended"]
    assert out[-1] == "6 accepted, 12 rejected, 1 without a verdict"


def test_yaml_is_the_same_document(world: World, store: Path) -> None:
    printed = world.run("run", world.manifest, *world.mirror, "--store", store, "-o", "yaml").out
    assert yaml.safe_load(printed) == world.document


def test_folders_standard_input_and_several_sources_are_read(world: World, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "manifests"
    (folder / "deep").mkdir(parents=True)
    (folder / "base.yaml").write_text(documents(base()))
    (folder / "deep/docs.yml").write_text(documents(candidate("docs", world.change("docs"))))
    more = documents(candidate("empty", world.change("empty"))).encode()
    ended = world.run("run", folder, "-", *world.mirror, "--store", store, "-o", "json", "--jobs", "1", stdin=more)
    assert [row["name"] for row in json.loads(ended.out)["candidates"]] == ["docs", "empty"]


def test_the_papers_profile_tries_the_papers_strategies(world: World, store: Path) -> None:
    manifest = documents(base(), candidate("superseded", world.change("superseded"))).encode()
    words = ("run", "-", *world.mirror, "--store", store, "--profile", "paper", "-o", "json")
    [row] = json.loads(world.run(*words, stdin=manifest).out)["candidates"]
    assert [attempt["strategy"] for attempt in row["attempts"]] == ["exact-reversal", "unique-block"]
    assert world.stored("candidates", "superseded", store)["status"]["profile"] == "paper"


def test_a_change_of_mind_makes_another_task_and_the_old_one_goes(world: World, store: Path) -> None:
    before = world.stored("candidates", "migration", store)["status"]["variantRef"]["name"]
    meant = candidate("migration", world.change("migration"), intent={"title": "Keep values as json"})
    world.run("run", "-", *world.mirror, "--store", store, stdin=documents(base(), meant).encode())
    after = world.stored("candidates", "migration", store)["status"]["variantRef"]["name"]
    assert after != before
    assert not (store / "variants" / f"{before}.yaml").exists()
    assert world.stored("variants", after, store)["spec"]["statement"]["title"] == "Keep values as json"


def test_lifting_a_suspension_and_new_labels_redo_nothing(world: World, store: Path) -> None:
    waiting = candidate("docs", world.change("docs"), suspend=True)
    words = ("run", "-", *world.mirror, "--store", store, "-o", "json")
    [row] = json.loads(world.run(*words, stdin=documents(base(), waiting).encode()).out)["candidates"]
    assert row["accepted"] is False, "what was found stays known"
    before = world.stored("candidates", "docs", store)["status"]
    again = candidate("docs", world.change("docs"))
    again["metadata"]["labels"] = {"team": "one"}
    world.run(*words, stdin=documents(base(), again).encode())
    stored = world.stored("candidates", "docs", store)
    assert stored["metadata"]["labels"] == {"team": "one"}
    assert "suspend" not in stored["spec"]
    assert {c["type"]: c["reason"] for c in stored["status"]["conditions"]}["Ready"] == "Complete"
    assert stored["status"]["seconds"] == before["seconds"]


EXPLAINED = {
    "fix": ["verdict     accepted", "exact-reversal: accepted", "task      repeat 1: 20 pass, 1 do not",
            "AssertionError: assert 'abcd' == 'abc~'", "fidelity 1.000"],
    "superseded": ["rejected, ExhaustedConstruction", "attempt 2   level 2 unique-block: notApplicable"],
    "entangled": ["RegressionBroke: Checks older than the change fail", "lifecycle   REFUSED",
                  "test_total: regression (its version at the change's parent fails too)"],
    "docs": ["rejected, BehaviourAlignment", "touches only docs (1 file): README.md"],
    "waiting": ["no verdict yet: Nothing new is started while spec.suspend is true."],
    "toolbox": ["state       ready", "revision    default main: taken", "excluded: 1 failing, 1 unstable",
                "unstable tests/test_odd.py::test_zone: passed with hash seed 0"],
}  # fmt: skip


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_verdict_is_explained_from_the_stored_evidence_alone(world: World, tmp_path: Path, name: str) -> None:
    store = tmp_path / "store"
    shutil.copytree(world.store, store, ignore=shutil.ignore_patterns("cache", ".lock*"))
    before = contents(store)
    ended = at_once("explain", name, "--store", store)
    assert ended.code == 0
    assert all(part in ended.out for part in EXPLAINED[name]), ended
    assert contents(store) == before
    assert not (store / "cache").exists()


def test_a_task_is_explained_by_its_own_name_too(world: World) -> None:
    name = world.variant("fix")["metadata"]["name"]
    assert at_once("explain", name, "--store", world.store).out == at_once("explain", "fix", "--store", world.store).out


def test_the_agent_is_shown_the_statement_and_nothing_that_solves_it(world: World) -> None:
    shown = at_once("show", "fix", "--part", "agent", "--store", world.store).out
    assert shown.startswith("# Fix shortened text that does not show what was left out\n")
    assert "A mark stands at its end now." in shown
    assert "may change  toolbox/**" in shown
    assert "test_a_mark" not in shown
    assert MARKED not in shown


MARKED = 'text[: width - 1] + "~"'


def test_each_part_is_shown_alone_and_all_together(world: World) -> None:
    def shown(*words: str) -> str:
        return at_once("show", "fix", *words, "--store", world.store).out

    parts = {part: shown("--part", part) for part in ("D", "T", "G", "checks", "agent")}
    assert f"-        return {MARKED}" in parts["D"]
    assert f"+        return {MARKED}" in parts["G"]
    assert "-def test_a_mark_stands_for_what_was_left_out():" in parts["T"]
    assert "1 target check, hidden from the agent:\n  tests/test_text.py::test_a_mark" in parts["checks"]
    whole = shown()
    assert all(part in whole for part in parts.values())


def test_a_check_by_reading_is_shown_as_what_it_is(world: World) -> None:
    shown = at_once("show", "migration", "--part", "checks", "--store", world.store).out
    assert "1 target check, read in the code and known to the agent:" in shown
    assert "static:api-migration: pickle gone, json used in toolbox/stored.py" in shown
    assert "labels:\n  static-oracle: A target is decided by reading code, not by running it" in shown
    told = at_once("explain", "migration", "--store", world.store).out
    assert "\nwarning     A target is decided by reading code, not by running it" in told
    assert "\nlabels      static-oracle" in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("explain", "fxi"), "there is no 'fxi' in {store}; did you mean fix?"),
        (("show", "zzz"), "there is no 'zzz' in {store}; it holds absent, aside, binary, bundle, docs and"),
        (
            ("show", "docs"),
            "docs was rejected (NoSourceChange), so there is no task; change2task explain docs says why",
        ),
        (("show", "waiting"), "waiting has no verdict yet, so there is no task"),
        (("replay", "toolbox"), "toolbox is a base and no task; change2task explain toolbox tells of it"),
        (("show", "toolbox"), "toolbox is a base and no task"),
        (("grade", "docs", "--patch", "-"), "docs was rejected"),
        (("grade", "fix", "--patch", "/not/there"), "--patch /not/there: cannot be read: No such file or directory"),
        (("grade", "fix", "--patch", "/"), "--patch /: cannot be read: Is a directory"),
        (("grade", "fix"), "say NAME and --patch FILE for one answer, or --batch FILE for many"),
        (("grade", "fix", "--batch", "-"), "--batch says task and patch of each answer itself"),
        (("grade", "--batch", "/not/there"), "--batch /not/there: cannot be read: No such file or directory"),
    ],
)
def test_what_a_store_does_not_hold_is_bad_input(world: World, words: tuple[str, ...], message: str) -> None:
    ended = at_once(*words, "--store", world.store)
    assert (ended.code, ended.out) == (2, "")
    assert message.format(store=world.store) in ended.err


@pytest.mark.parametrize("words", [("explain", "x"), ("show", "x"), ("replay", "x"), ("grade", "x", "--patch", "-")])
def test_reading_needs_a_store_and_makes_none(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = at_once(*words, "--store", tmp_path / "none")
    assert ended.code == 2
    assert "name the folder of a run with --store" in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_replay_runs_the_three_states_again_and_finds_them_the_same(world: World, store: Path) -> None:
    before = contents(store)
    table = world.run("replay", "fix", *world.mirror, "--store", store, "-v")
    assert table.out == (
        "replay 1: same, 21 checks over three states; 1 of 1 targets pass, fail, pass;"
        " 20 regression checks pass throughout\n"
    )
    passes = [line for line in table.err.splitlines() if " pass " in line and "label=grades/" in line]
    assert len(passes) == 6, "each state with and without its hidden checks, nothing taken from anywhere"
    assert contents(store) == before


def test_a_difference_is_reported_test_by_test_and_ends_with_1(world: World, store: Path) -> None:
    opened = Store.open(store, create=False)
    made = opened.variant(world.variant("fix", store)["metadata"]["name"])
    assert made is not None
    checks, words = made.spec.checks, "tests/test_text.py::test_words"
    targets = (*checks.targets, Check(id=words, role="target", hidden=True))
    spec = made.spec.replacing(checks=checks.replacing(targets=targets))
    name = variant_name(spec)
    opened.put(TaskVariant(metadata=made.metadata.replacing(name=name), spec=spec))
    table = world.run("replay", name, *world.mirror, "--store", store, code=1)
    assert table.out.startswith("replay 1: DIFFERENT, 22 checks over three states")
    assert "error" not in table.err, "it is a finding, and no fault"
    ended = world.run("replay", name, *world.mirror, "--store", store, "-o", "json", code=1)
    [replay] = json.loads(ended.out)["replays"]
    assert replay["same"] is False
    assert replay["differences"] == ["task: tests/test_text.py::test_words: passed, expected to fail"]


def edited(world: World, store: Path) -> Path:
    """The file of a task to which somebody has added a target."""
    path = store / "variants" / f"{world.variant('fix', store)['metadata']['name']}.yaml"
    path.write_text(path.read_text().replace("title: Fix shortened", "title: Fix shortest", 1))
    return path


@pytest.mark.parametrize("words", [("show",), ("replay",), ("grade", "--patch", "-")])
def test_a_task_that_was_changed_since_it_was_made_is_refused(
    world: World, store: Path, words: tuple[str, ...]
) -> None:
    path = edited(world, store)
    ended = at_once(words[0], "fix", *words[1:], "--store", store)
    assert (ended.code, ended.out) == (2, "")
    assert f"{path}: the task was changed since it was made: its name is the hash of its spec" in ended.err
    assert "bring the file back from version control, or delete it and run its candidate again" in ended.err


def test_a_change_of_layout_is_no_change_of_the_task(world: World, store: Path) -> None:
    path = store / "variants" / f"{world.variant('fix', store)['metadata']['name']}.yaml"
    before = at_once("show", "fix", "--store", store).out
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()), width=1000))
    assert at_once("show", "fix", "--store", store).out == before


def test_the_beginning_of_a_tasks_name_is_enough_where_no_other_begins_so(world: World, store: Path) -> None:
    name = world.variant("fix", store)["metadata"]["name"]
    assert at_once("show", name[:12], "--store", store).out == at_once("show", name, "--store", store).out
    assert at_once("explain", name[:12], "--store", store).code == 0
    shutil.copy(store / "variants" / f"{name}.yaml", store / "variants" / f"{name}0.yaml")
    ended = at_once("show", name[:12], "--store", store)
    assert ended.code == 2
    assert f"2 tasks begin with {name[:12]}: {name}, {name}0; give more of the name" in ended.err


def test_candidates_of_one_task_are_counted_as_one(world: World, store: Path) -> None:
    again = documents(base(), *(candidate(name, world.change("migration")) for name in ("migration", "again"))).encode()
    out = world.run("run", "-", *world.mirror, "--store", store, stdin=again).out.splitlines()
    assert out[-1] == "2 accepted (1 task), 0 rejected"


def test_a_store_from_version_control_is_enough_to_replay(world: World, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(world.store, store, ignore=shutil.ignore_patterns("cache", ".lock*"))
    ended = world.run("replay", "migration", *world.mirror, "--store", store)
    assert ended.out.startswith("replay 1: same, 22 checks over three states"), ended


def test_a_lock_is_written_into_the_manifest_and_holds(world: World, store: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "toolbox.yaml"
    text = "# ours\n" + documents(base(), candidate("docs", world.change("docs")))
    manifest.write_text(text)
    said = world.run("lock", manifest, *world.mirror, "--store", store)
    assert said.out == f"{manifest}: spec.environment.lock holds the dependencies of toolbox\n"
    assert "warning: a lock makes another base of toolbox; " in said.err
    assert "the next run builds the base again and judges its candidates anew" in said.err
    locked = manifest.read_text()
    assert locked.startswith("# ours\n")
    lock = next(yaml.safe_load_all(locked))["spec"]["environment"]["lock"]
    assert "pytest==" in lock
    assert "--hash=sha256:" in lock
    again = json.loads(world.run("run", manifest, *world.mirror, "--store", store, "-o", "json").out)
    [row] = again["bases"]
    assert (row["ready"], row["key"] == world.document["bases"][0]["key"]) == (True, False)
    assert world.stored("bases", "toolbox", store)["spec"]["environment"]["lock"] == lock


@pytest.mark.parametrize("kind", ["ModernBase", "taskcandidate"])
def test_the_schema_of_a_kind_and_its_definition_are_printed(kind: str) -> None:
    schema = json.loads(at_once("schema", kind).out)
    assert "spec" in schema["properties"]
    definition = yaml.safe_load(at_once("schema", kind, "--form", "crd").out)
    assert definition["kind"] == "CustomResourceDefinition"
    assert definition["spec"]["names"]["kind"].lower() == kind.lower()


def test_all_schemas_are_printed_and_no_other() -> None:
    assert list(json.loads(at_once("schema").out)) == ["ModernBase", "TaskCandidate", "TaskVariant"]
    assert len(list(yaml.safe_load_all(at_once("schema", "--form", "crd").out))) == 3
    ended = at_once("schema", "Base")
    assert ended.code == 2
    assert "there is no kind 'Base'; the kinds are ModernBase, TaskCandidate, TaskVariant" in ended.err


def test_the_list_of_commands_tells_each_in_a_whole_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, _, commands = at_once("--help").out.partition("Commands:\n")
    told = commands.splitlines()
    assert len(told) == 13
    assert all(line.endswith(".") and not line.endswith("...") and len(line) <= 80 for line in told)


def test_the_version_is_told() -> None:
    assert at_once("--version").out.startswith(f"{package} ")


def test_the_world_reads_its_repository_elsewhere(world: World) -> None:
    assert world.stored("bases", "toolbox")["spec"]["repository"]["url"] == URL
    assert str(world.repository) not in (world.store / "bases/toolbox.yaml").read_text()
