"""What an agent is given tells nothing of the change: its change-log entries, its documents, its tests that pass."""

from __future__ import annotations

import json

import pytest

from change2task.corpus.labelled import traces_left
from change2task.pipeline.footprints import is_prose, is_setting
from tests.support.commands import at_once
from tests.support.tasks import Vault, vault

__all__ = ["vault"]


@pytest.mark.parametrize(
    ("path", "prose", "setting"),
    [
        ("CHANGELOG", True, False),
        ("docs/use.rst", True, False),
        (".changes/603.md", True, False),
        ("examples/names.py", False, False),
        (".github/workflows/release.yml", False, True),
        ("docs/changes.json", False, False),
    ],
)
def test_only_prose_loses_lines_and_what_belongs_to_a_forge_is_left(path: str, prose: bool, setting: bool) -> None:
    assert (is_prose(path), is_setting(path)) == (prose, setting)


LOG, MORE, DATA = "CHANGES.md", "tests/test_label_more.py", "tests/attacks.txt"
PASSING = f"{MORE}::test_nothing_is_no_label"


def test_the_agents_tree_is_without_what_the_change_wrote_beside_its_sources(vault: Vault) -> None:
    trees = vault.variant("advisory").spec.trees
    files = {path.decode() for path in vault.base.repository.tree(trees.agent)}
    assert {MORE, DATA}.isdisjoint(files)
    assert vault.source("advisory", LOG) == "# Changes\n\n- Totals count every price.\n"
    assert vault.source("advisory", "tests/test_label.py").count("def test_") == 1


def test_what_was_taken_is_told_by_the_task_and_by_its_evidence(vault: Vault) -> None:
    spec = vault.variant("advisory").spec
    assert spec.traces == {LOG: "1 lines of the change removed", DATA: "removed: the change brought it"}
    assert spec.checks.hidden_regression == (PASSING,)
    assert {MORE, "tests/test_label.py"} == set(spec.checks.hidden_files)
    accepted = next(one for one in vault.status("advisory").attempts if one.outcome == "accepted")
    assert json.loads(vault.store.evidence(accepted.evidence["gates"]))["traces"] == {
        "removed": spec.traces,
        "left": {},
    }


def test_what_stays_is_said_in_plain_words_with_its_reason(vault: Vault) -> None:
    spec = vault.variant("advisory").spec
    left = {"README.md": "tests/test_label.py names it", "*": "checks or the build need some of it"}
    assert list(traces_left(spec.replacing(traces_left=left))) == [
        "README.md is left in the agent's tree because tests/test_label.py names it",
        "all that names the change, its own passing tests too, is left in the agent's tree because checks or the build"
        " need some of it",
    ]
    assert (spec.traces_left, list(traces_left(spec))) == ({}, [])


def test_its_states_still_lead_to_the_base_byte_for_byte(vault: Vault) -> None:
    spec, repository = vault.variant("advisory").spec, vault.base.repository
    task = repository.apply(spec.trees.agent, vault.store.patch(spec.hiding_patch), reverse=True)
    assert repository.apply(task, vault.store.patch(spec.restoration_patch)) == spec.trees.healthy


def test_the_changes_own_passing_test_still_guards_the_answer(vault: Vault) -> None:
    assert vault.grade("advisory", vault.restoration("advisory")).solved
    seen = vault.source("advisory", "vault/label.py")
    wrong = seen.replace('r"([a-z]+)+$"', 'r"[a-z]*$"')
    assert wrong != seen
    graded = vault.grade("advisory", {"vault/label.py": wrong})
    assert not graded.solved
    assert PASSING in graded.failed_regression


def test_it_replays_as_it_was(vault: Vault) -> None:
    assert vault.replay("advisory").same


def test_a_reader_of_the_store_is_shown_what_went_and_who_explains_it(vault: Vault) -> None:
    shown = at_once("show", "advisory", "--part", "checks", "--store", vault.store.path).out
    assert "names the change and is not in the agent's tree:\n  CHANGES.md: 1 lines of the change removed\n" in shown
    assert "1 of them the change's own and hidden from the agent" in shown
    told = at_once("explain", "advisory", "--store", vault.store.path).out
    assert "taken from the agent's tree: tests/attacks.txt: removed: the change brought it" in told
    assert "solution    pass     no code block of the statement is the answer's" in told
