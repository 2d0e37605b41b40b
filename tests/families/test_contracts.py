from __future__ import annotations

import pytest

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import CheckSpec, Family, Script, StaticOracle
from change2task.api.taskvariant import Statement
from change2task.families.choose import ADAPTERS
from change2task.families.contract import FamilyContract, Surface
from tests.families.conftest import MakeEvidence, MakeSpec

SURFACE = Surface(
    source=("pkg/core.go", "src/pkg/core.py"),
    tests=("pkg/util_test.go", "tests/data/x.json", "tests/test_core.py"),
    protected=("pyproject.toml",),
    others=("README.md",),
)
STATIC = CheckSpec(id="api", kind="static", static=StaticOracle(gone=("six",), used=("io",)))
SCRIPT = CheckSpec(id="exploit", kind="script", script=Script(command=("sh", "x.sh")))


@pytest.fixture
def contract(evidence: MakeEvidence, spec: MakeSpec) -> dict[Family, FamilyContract]:
    """The contract of every family for one change whose checks are all stated."""
    checks = {Family.API_MIGRATION: (STATIC,), Family.SECURITY_REPAIR: (SCRIPT,)}
    return {
        family: adapter.contract(
            evidence(), spec(family, *checks.get(family, ())), Scope(protected=("pkg/_*.py",)), SURFACE
        )
        for family, adapter in ADAPTERS.items()
    }


def test_a_patch_puts_tests_and_protected_files_back(contract: dict[Family, FamilyContract]) -> None:
    for family in set(contract) - {Family.TEST_GENERATION}:
        output = contract[family].output
        assert (output.output, output.permitted) == ("patch", ("pkg/**", "src/**"))
        assert output.protected == ("**/*_test.go", "pyproject.toml", "tests/**", "pkg/_*.py")


def test_the_source_globs_of_the_base_bound_the_patch(evidence: MakeEvidence, spec: MakeSpec) -> None:
    scope = Scope(source=("src/**",))
    output = ADAPTERS[Family.BUG_FIX].contract(evidence(), spec(Family.BUG_FIX), scope, SURFACE).output
    assert output.permitted == ("src/**",)


def test_test_generation_takes_tests_and_grades_them_on_both_states(contract: dict[Family, FamilyContract]) -> None:
    made = contract[Family.TEST_GENERATION]
    assert made.output.output == "tests"
    assert made.output.permitted == ("**/*_test.go", "tests/**")
    assert made.output.protected == ("pyproject.toml", "pkg/_*.py")
    assert made.oracle.grading == "addedTests"


def test_a_migration_is_judged_by_reading_and_changes_no_behaviour(contract: dict[Family, FamilyContract]) -> None:
    oracle = contract[Family.API_MIGRATION].oracle
    [check] = oracle.beside
    places = ("pkg/core.py", "pkg/gone.py", "src/pkg/core.py")
    assert (check.id, check.static) == ("api", StaticOracle(gone=("six",), used=("io",), paths=places))
    assert not oracle.behaviour_must_fail
    assert "`io` instead of `six`" in contract[Family.API_MIGRATION].goal


def test_an_oracle_that_the_change_shows_is_a_check_of_its_own(evidence: MakeEvidence, spec: MakeSpec) -> None:
    known = evidence(migration=StaticOracle(gone=("six",), used=("io",)))
    made = ADAPTERS[Family.API_MIGRATION].contract(known, spec(Family.API_MIGRATION, SCRIPT), Scope(), SURFACE)
    assert [check.id for check in made.oracle.beside] == ["exploit", "static:api-migration"]


def test_names_that_would_fill_a_goal_are_counted(evidence: MakeEvidence, spec: MakeSpec) -> None:
    oracle = StaticOracle(gone=tuple(f"package.module.name{n}" for n in range(200)))
    made = ADAPTERS[Family.API_MIGRATION].contract(
        evidence(migration=oracle), spec(Family.API_MIGRATION), Scope(), SURFACE
    )
    assert "more" in made.goal
    assert len(made.goal) < 4096


def test_a_migration_without_an_oracle_has_no_contract(evidence: MakeEvidence, spec: MakeSpec) -> None:
    with pytest.raises(ValueError, match=r"spec\.checks"):
        ADAPTERS[Family.API_MIGRATION].contract(evidence(), spec(Family.API_MIGRATION), Scope(), SURFACE)


def test_an_exploit_script_is_the_target_of_a_security_repair(contract: dict[Family, FamilyContract]) -> None:
    assert contract[Family.SECURITY_REPAIR].oracle.beside == (SCRIPT,)


@pytest.mark.parametrize("family", [Family.BUG_FIX, Family.SECURITY_REPAIR])
def test_words_of_a_repair_are_not_put_forward_as_the_fault(
    evidence: MakeEvidence, spec: MakeSpec, family: Family
) -> None:
    own = evidence(title="Hints are not removed")
    stated = own.replacing(statement=Statement(title="Hints are removed", body="", provenance="intent"))
    said = ADAPTERS[family].contract(own, spec(family), Scope(), SURFACE).goal
    assert "said of its repair: it tells what is wrong, or how it is once that is put right" in said
    assert "described below. " in ADAPTERS[family].contract(stated, spec(family), Scope(), SURFACE).goal


def test_no_goal_names_an_advisory(evidence: MakeEvidence, spec: MakeSpec) -> None:
    known = evidence(advisories=("CVE-2024-1234",))
    made = ADAPTERS[Family.SECURITY_REPAIR].contract(known, spec(Family.SECURITY_REPAIR), Scope(), SURFACE)
    assert "CVE" not in made.model_dump_json()


def test_contracts_survive_their_wire_form(contract: dict[Family, FamilyContract]) -> None:
    for made in contract.values():
        assert FamilyContract.model_validate(made.document()) == made
