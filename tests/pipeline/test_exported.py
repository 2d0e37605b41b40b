"""The verifier of an exported task grades as ``change2task grade`` does, from nothing but the exported files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from change2task.corpus.exports.harbor import harbor_task
from change2task.corpus.exports.task import ExportTask
from change2task.pipeline.exported import NoAnswer, Places, grade_there
from change2task.pipeline.exporting import gathered
from change2task.pipeline.grading import regression_of
from change2task.runtime.choose import choose
from change2task.runtime.plain import PlainSandbox
from change2task.runtime.sandbox import Sandbox
from tests.support.repos import git
from tests.support.tasks import Vault, vault

__all__ = ["vault"]


class Verifier:
    """An exported task's verifier without its container: its files laid out, and the vault's own environment."""

    def __init__(self, vault: Vault, name: str, folder: Path) -> None:
        with gathered(vault.store, lambda candidate, _: candidate.metadata.name == name, {}, {}) as found:
            (self.task,) = found.tasks
            files = harbor_task(self.task, {})
        for path, file in files.items():
            place = folder / "task" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
        bare = folder / "healthy.git"
        git(folder, "init", "-q", "--bare", str(bare))
        stream = files["tests/build/tree.fast-import"].content
        subprocess.run(["git", "-C", str(bare), "fast-import", "--quiet"], input=stream, check=True)
        self.sandbox = self._sandbox(vault)
        environment = self.task.base.status.environment
        assert environment is not None
        root = vault.store.cache / "environments" / environment.key
        for part in ("answer", "state", "told"):
            (folder / part).mkdir()
        self.places = Places(
            root=root if self.sandbox.isolation.fixed_paths else Path(self.sandbox.layout.env).parent,
            bare=bare,
            store=folder / "task/tests/store",
            state=folder / "state",
            answer=folder / "answer",
            told=folder / "told",
        )

    @staticmethod
    def _sandbox(vault: Vault) -> Sandbox:
        plain = vault.store.cache / "plain" / "vault"
        found = choose(plain).sandbox
        return found if found.isolation.fixed_paths else PlainSandbox(plain)

    def reward(self, patch: bytes) -> float:
        """The reward that is written for a patch."""
        (self.places.answer / "answer.patch").write_bytes(patch)
        told = grade_there(self.task.id, self.places, self.sandbox)
        assert json.loads((self.places.told / "reward.json").read_text()) == told
        return told["reward"]

    def details(self) -> dict[str, object]:
        """What is written beside the reward."""
        found: dict[str, object] = json.loads((self.places.told / "reward-details.json").read_text())
        return found


def test_a_script_check_gets_the_grade_of_the_command(vault: Vault, tmp_path: Path) -> None:
    verifier = Verifier(vault, "exploit", tmp_path)
    assert verifier.reward(verifier.task.solution) == 1.0
    assert verifier.details() == vault.grade("exploit", verifier.task.solution).document()


def test_an_empty_answer_gets_the_grade_of_the_command(vault: Vault, tmp_path: Path) -> None:
    verifier = Verifier(vault, "stated", tmp_path)
    assert verifier.reward(b"") == 0.0
    assert verifier.details() == vault.grade("stated", b"").document()


def test_an_answer_that_is_tests_is_run_on_both_states(vault: Vault, tmp_path: Path) -> None:
    verifier = Verifier(vault, "tests", tmp_path)
    assert verifier.reward(verifier.task.solution) == 1.0
    assert verifier.details()["witnesses"]


def test_an_answer_that_is_none_gets_nothing_and_the_reason(vault: Vault, tmp_path: Path) -> None:
    verifier = Verifier(vault, "stated", tmp_path)
    assert verifier.reward(b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n") == 0.0
    assert "does not apply" in str(verifier.details()["message"])
    (verifier.places.answer / "answer.patch").unlink()
    (verifier.places.answer / "answer.failed").write_text("git cannot tell")
    assert grade_there(verifier.task.id, verifier.places, verifier.sandbox) == {"reward": 0.0}
    assert verifier.details()["message"] == "git cannot tell"


def test_where_nobody_looked_for_an_answer_there_is_no_verdict(vault: Vault, tmp_path: Path) -> None:
    verifier = Verifier(vault, "stated", tmp_path)
    with pytest.raises(NoAnswer, match="collect step"):
        grade_there(verifier.task.id, verifier.places, verifier.sandbox)
    assert not (verifier.places.told / "reward.json").exists()


def test_what_lies_where_the_reward_belongs_is_replaced(vault: Vault, tmp_path: Path) -> None:
    verifier = Verifier(vault, "stated", tmp_path)
    (verifier.places.told / "reward.json").mkdir()
    (verifier.places.told / "reward.json/x").write_text("1")
    (verifier.places.told / "reward-details.json").symlink_to(tmp_path / "elsewhere")
    assert verifier.reward(b"not a patch") == 0.0
    assert not (tmp_path / "elsewhere").exists()


def test_tasks_are_read_whole_and_those_that_are_not_there_are_named(vault: Vault) -> None:
    with gathered(vault.store, lambda candidate, _: candidate.metadata.name == "tests", {}, {}) as found:
        (task,) = found.tasks
        assert isinstance(task, ExportTask)
        assert task.regression == regression_of(vault.store, task.variant)
        assert task.solution == vault.hidden_tests("tests")
    assert found.left_out["blind"] == "its candidate was rejected (TargetDidNotFail)"
    assert set(found.unasked.values()) == {"it was not asked for this time"}
