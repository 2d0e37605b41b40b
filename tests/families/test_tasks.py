"""Every family from a change to a graded task, on a real project in a real sandbox; and what cannot become a task."""

from __future__ import annotations

import pytest

from change2task.api.conditions import ConditionType, condition
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Family
from change2task.corpus.explain import explain
from tests.support.tasks import Vault, vault
from tests.support.vault import CHECKED, UNCHECKED

__all__ = ["vault"]


@pytest.mark.parametrize(
    ("name", "reason", "words"),
    [
        ("blind", Reason.TARGET_DID_NOT_FAIL, "each stated one must); still passing: blind"),
        ("unfit", Reason.STATED_CHECK_UNUSABLE, "script check 'unfit' does not pass on the healthy base"),
        ("mute", Reason.SCRIPT_WITHOUT_VERDICT, "exit code 3; 0 passes, 1 fails"),
        ("nowhere", Reason.STATED_CHECK_UNUSABLE, "no file of a known language matches src/**"),
        ("unheld", Reason.STATED_CHECK_UNUSABLE, "still used: vault/cli.py:3 argparse"),
        ("unknown", Reason.STATED_CHECK_UNUSABLE, "'tests/test_price.py::test_totals' is not known on the base"),
        ("guard", Reason.STATED_CHECK_UNUSABLE, "regression 'tests/test_gone.py::test_x' is not known"),
        ("namesake", Reason.STATED_CHECK_UNUSABLE, "has the name of a test"),
        ("no-oracle", Reason.FAMILY_NOT_APPLICABLE, "state them in spec.checks"),
        ("no-exploit", Reason.FAMILY_NOT_APPLICABLE, "state a script check"),
        ("unshowable", Reason.FAMILY_NOT_APPLICABLE, "cannot be shown by a test"),
        ("contrary", Reason.FAMILY_NOT_APPLICABLE, "wants optparse gone and optparse.OptionParser used"),
    ],
)
def test_what_cannot_become_a_task_says_why(vault: Vault, name: str, reason: Reason, words: str) -> None:
    status = vault.status(name)
    assert (status.accepted, status.reason) == (False, reason), status.message
    assert words in status.message


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("exploit", Family.SECURITY_REPAIR),
        ("advisory", Family.SECURITY_REPAIR),
        ("migration", Family.API_MIGRATION),
        ("stated", Family.API_MIGRATION),
        ("tests", Family.TEST_GENERATION),
    ],
)
def test_each_family_becomes_a_task(vault: Vault, name: str, family: Family) -> None:
    assert vault.variant(name).spec.family is family


@pytest.mark.parametrize("name", ["exploit", "stated"])
def test_checks_that_are_no_tests_replay_like_tests(vault: Vault, name: str) -> None:
    again = vault.replay(name)
    assert again.same, again.differences
    assert again.verdict.passed


@pytest.mark.parametrize("name", ["exploit", "advisory", "migration", "stated"])
def test_the_restoration_solves_and_nothing_does_not(vault: Vault, name: str) -> None:
    assert vault.grade(name, vault.restoration(name)).solved
    untouched = vault.grade(name, b"")
    assert not untouched.solved
    assert len(untouched.failed_targets) == untouched.targets == 1


def test_a_published_task_is_complete(vault: Vault) -> None:
    variant = vault.variant("exploit")
    conditions = variant.status.conditions
    for kind in (ConditionType.VERIFIED, ConditionType.PUBLISHED, ConditionType.READY):
        found = condition(conditions, kind)
        assert found is not None
        assert found.status == "True"
    counts = variant.status.checks
    assert counts is not None
    assert (counts.target, counts.regression) == (1, variant.spec.checks.regression_count)
    assert variant.spec.output.permitted == ("vault/**",)
    assert variant.spec.output.protected == ("tests/**",)


class TestScripts:
    """Exploit scripts as checks."""

    def test_a_script_is_published_with_its_files_and_hidden_from_the_agent(self, vault: Vault) -> None:
        variant = vault.variant("exploit")
        [target] = variant.spec.checks.targets
        assert (target.id, target.kind, target.hidden) == ("exploit", "script", True)
        assert target.script is not None
        assert set(target.script.files) == {"check.py"}
        large = target.script.artifacts["data/large.txt"]
        assert vault.store.evidence(large).startswith(b"line\n")
        paths = vault.base.repository.tree(variant.spec.trees.agent)
        assert not [path for path in paths if path.endswith((b"check.py", b"large.txt"))]

    def test_a_script_that_guards_is_published_and_graded_too(self, vault: Vault) -> None:
        [guard] = vault.variant("exploit").spec.checks.regression
        assert (guard.id, guard.role) == ("help", "regression")
        renamed = vault.source("exploit", "vault/store.py").replace(UNCHECKED, CHECKED).replace("a vault", "a box")
        graded = vault.grade("exploit", {"vault/store.py": renamed})
        assert (graded.solved, graded.failed_regression) == (False, ("help",))

    def test_another_repair_than_the_projects_own_solves(self, vault: Vault) -> None:
        other = vault.source("exploit", "vault/store.py").replace(
            UNCHECKED,
            "    if os.sep in name:\n        raise ValueError(name)\n" + UNCHECKED,
        )
        assert vault.grade("exploit", {"vault/store.py": other}).solved

    def test_a_repair_that_refuses_everything_breaks_regression(self, vault: Vault) -> None:
        refusing = vault.source("exploit", "vault/store.py").replace(UNCHECKED, "    raise ValueError\n" + UNCHECKED)
        graded = vault.grade("exploit", {"vault/store.py": refusing})
        assert graded.failed_targets == ()
        assert graded.failed_regression == ("tests/test_store.py::test_read",)

    def test_ending_the_process_well_does_not_convince_a_script_that_looks_from_outside(self, vault: Vault) -> None:
        leaving = vault.source("exploit", "vault/store.py").replace(
            UNCHECKED, "    if '..' in name:\n        os._exit(0)\n" + UNCHECKED
        )
        graded = vault.grade("exploit", {"vault/store.py": leaving})
        assert (graded.solved, graded.failed_targets) == (False, ("exploit",))
        assert "not refused" in graded.message

    def test_a_script_is_explained_by_its_last_words(self, vault: Vault) -> None:
        found = vault.store.candidate("exploit")
        assert found is not None
        told = "\n".join(explain(vault.store, found))
        assert "exploit (script, target)" in told
        assert "failed exploit: not refused: the secret" in told


class TestAdvisories:
    """Security changes that are known by an id."""

    def test_the_id_is_kept_as_provenance_and_never_told(self, vault: Vault) -> None:
        spec = vault.variant("advisory").spec
        assert spec.source_change.advisories == ("CVE-2021-12345",)
        assert "CVE" not in spec.statement.model_dump_json() + spec.goal
        assert [check.id for check in spec.checks.targets] == [
            "tests/test_label.py::test_a_long_text_is_answered_at_once"
        ]


class TestMigrations:
    """Migrations, judged by reading."""

    def test_the_derived_oracle_is_published_with_the_files_it_reads(self, vault: Vault) -> None:
        [target] = vault.variant("migration").spec.checks.targets
        assert (target.kind, target.hidden) == ("static", False)
        assert target.static is not None
        assert (target.static.gone, target.static.used, target.static.paths) == (
            ("optparse",),
            ("argparse",),
            ("vault/cli.py",),
        )

    def test_a_stated_oracle_keeps_its_name_and_gets_the_files_of_the_change(self, vault: Vault) -> None:
        [target] = vault.variant("stated").spec.checks.targets
        assert target.id == "api"
        assert target.static is not None
        assert target.static.paths == ("vault/cli.py",)

    def test_an_import_that_is_not_used_is_no_migration(self, vault: Vault) -> None:
        text = vault.source("migration", "vault/cli.py").replace(
            "import optparse\n", "import argparse\nimport optparse\n"
        )
        graded = vault.grade("migration", {"vault/cli.py": text})
        assert not graded.solved
        assert "still used: vault/cli.py" in graded.message

    def test_the_old_api_moved_into_another_file_is_no_migration(self, vault: Vault) -> None:
        old = vault.source("migration", "vault/cli.py")
        new = "import argparse\n\nfrom vault._old import parse\n\nargparse.ArgumentParser(prog='vault')\n"
        graded = vault.grade("migration", {"vault/cli.py": new, "vault/_old.py": old})
        assert not graded.solved
        assert "moved aside: vault/_old.py" in graded.message

    def test_sources_that_make_every_test_pass_are_seen(self, vault: Vault) -> None:
        text = (
            "import argparse\n\nimport _pytest.runner\n\n"
            "_pytest.runner.pytest_runtest_call = lambda item: None\n"
            "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
            "import sys\nfor module in list(sys.modules.values()):\n"
            "    if type(module).__name__ == 'module' and hasattr(module, '_Canary'):\n"
            "        module._Canary.runtest = lambda self: None\n\n\n"
            "def parse(words):\n    return argparse.ArgumentParser().parse_args([]) is None\n"
        )
        graded = vault.grade("migration", {"vault/cli.py": text})
        assert not graded.solved
        assert "results were forged" in graded.message

    def test_behaviour_is_the_regression(self, vault: Vault) -> None:
        text = "import argparse\n\n\ndef parse(words):\n    return argparse.ArgumentParser().parse_args([]) is None\n"
        graded = vault.grade("migration", {"vault/cli.py": text})
        assert (graded.failed_targets, graded.failed_regression) == ((), ("tests/test_cli.py::test_quiet",))


EVERY_KIND = """
import os
from pathlib import Path

import pytest

from vault.price import total


def test_witness():
    assert total([1, 2]) == 3


def test_right_on_both():
    assert total([1]) == 1


@pytest.fixture
def right():
    assert total([1, 2]) == 3


def test_set_up_fails(right):
    pass


def test_import_fails():
    if total([1, 2]) != 3:
        from vault.price import no_such_name


def test_reads_the_source():
    assert hash_of(Path("vault/price.py")) != "{}"


def test_ends_the_process():
    if total([1, 2]) != 3:
        os._exit(0)


def hash_of(path):
    return path.read_text()
"""

WITNESS = """import os

from vault.price import total


def test_witness():
    assert total([1, 2]) == 3
"""


class TestTests:
    """Tests as the answer."""

    def test_the_hidden_tests_solve_and_nothing_does_not(self, vault: Vault) -> None:
        assert vault.grade("tests", vault.hidden_tests("tests")).solved
        nothing = vault.grade("tests", b"")
        assert (nothing.solved, nothing.message) == (False, "the patch adds no test")

    def test_only_a_failure_of_its_own_code_on_every_repeat_makes_a_witness(self, vault: Vault) -> None:
        read = repr(vault.source("tests", "vault/price.py"))
        text = EVERY_KIND.replace('"{}"', read)
        graded = vault.grade("tests", {"tests/test_every_kind.py": text})
        scope = "tests/test_every_kind.py::"
        assert [check.removeprefix(scope) for check in graded.witnesses] == ["test_ends_the_process", "test_witness"]
        assert graded.solved

    @pytest.mark.parametrize(
        ("claim", "told"),
        [
            ("total([1, 2]) == 4", "task state: failed in call; restored state: failed in call"),
            ('os.environ["TZ"] == "UTC"', "task state: passed, failed in call; restored state: passed, failed in call"),
        ],
        ids=["wrong on both", "flickers"],
    )
    def test_one_that_fails_on_any_repeat_of_the_restored_state_spoils_the_witness(
        self, vault: Vault, claim: str, told: str
    ) -> None:
        text = f"{WITNESS}\n\ndef test_beside():\n    assert {claim}\n"
        graded = vault.grade("tests", {"tests/test_beside.py": text})
        assert (graded.solved, graded.failed_regression) == (False, ("tests/test_beside.py::test_beside",))
        assert graded.outcomes["tests/test_beside.py::test_beside"] == told

    def test_what_lies_beside_the_tests_counts_and_what_does_not_is_put_back(self, vault: Vault) -> None:
        price = vault.source("tests", "vault/price.py")
        existing = vault.source("tests", "tests/test_price.py")
        weakened = existing.replace("assert total([5]) == 5", "assert True")
        addition = (
            "\n\ndef test_sum(prices):\n    assert total(prices) == 11\n\n\n"
            "def test_more_than_one_price():\n    assert total([5, 6]) == 11\n"
        )
        graded = vault.grade(
            "tests",
            {
                "vault/price.py": price.replace("result = price", "result += price"),
                "tests/test_price.py": weakened + addition,
                "tests/conftest.py": "import json, pathlib, pytest\n\n\n@pytest.fixture\ndef prices():\n"
                "    return json.loads((pathlib.Path(__file__).parent / 'data/prices.json').read_text())\n",
                "tests/data/prices.json": "[5, 6]\n",
                "pytest.ini": "[pytest]\naddopts = -k nothing\n",
            },
        )
        assert graded.solved, graded.message
        assert len(graded.witnesses) == 2
        assert graded.counted == ("tests/conftest.py", "tests/data/prices.json", "tests/test_price.py")
        assert graded.put_back == ("pytest.ini", "tests/test_price.py", "vault/price.py")
        assert graded.why_put_back["tests/test_price.py"] == "tests that exist already stay: test_one_price"

    def test_a_file_that_does_not_import_shows_nothing(self, vault: Vault) -> None:
        text = "from vault.price import sum_of\n\n\ndef test_sum():\n    assert sum_of([1, 2]) == 3\n"
        graded = vault.grade("tests", {"tests/test_new.py": text})
        assert not graded.solved
        assert "the patch adds no test that" in graded.message
        assert "tests/test_new.py: ImportError: cannot import name 'sum_of'" in graded.message
