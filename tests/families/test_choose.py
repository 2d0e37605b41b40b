from __future__ import annotations

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import CheckSpec, Family, Script, StaticOracle
from change2task.families.choose import ADAPTERS, choose_family
from change2task.history.models import ChangeUnusable
from change2task.history.words import BUG, FEATURE, MIGRATION, SECURITY, conventional_kind, found
from tests.families.conftest import MakeEvidence, MakeSpec

ORACLE = StaticOracle(gone=("six",), used=("io",))
SCRIPT = CheckSpec(id="exploit", kind="script", script=Script(command=("sh", "x.sh")))


@pytest.mark.parametrize(
    ("title", "family"),
    [
        ("Fix the sign of f", Family.BUG_FIX),
        ("fix: unhandled OSError", Family.BUG_FIX),
        ("Handle empty names", Family.BUG_FIX),
        ("Don't drop handlers", Family.BUG_FIX),
        ("Add an --app= flag", Family.FEATURE_ADDITION),
        ("feat(mux): support patterns", Family.FEATURE_ADDITION),
        ("Allow plugins to register characters", Family.FEATURE_ADDITION),
        ("Implement URL validation", Family.FEATURE_ADDITION),
        ("Add a missing error", Family.FEATURE_ADDITION),
    ],
)
def test_titles_tell_bugs_from_features(evidence: MakeEvidence, spec: MakeSpec, title: str, family: Family) -> None:
    known = evidence(
        title=title,
        bugWords=found(BUG, title),
        featureWords=found(FEATURE, title),
        conventional=conventional_kind(title),
    )
    assert choose_family(known, spec())[0] is family


def test_labels_weigh_more_than_words(evidence: MakeEvidence, spec: MakeSpec) -> None:
    known = evidence(title="Add a check", featureWords=("add",), labels=("type: bug", "bug"))
    family, why = choose_family(known, spec())
    assert family is Family.BUG_FIX
    assert "labelled" in why


def test_a_change_log_decides_where_the_title_is_silent(evidence: MakeEvidence, spec: MakeSpec) -> None:
    family, why = choose_family(evidence(title="Orphans in categories", newsKinds=("bugfix",)), spec())
    assert (family, why) == (Family.BUG_FIX, "its change log files it under fixes")


def test_without_any_sign_new_public_names_speak_for_a_feature(evidence: MakeEvidence, spec: MakeSpec) -> None:
    assert choose_family(evidence(), spec())[0] is Family.BUG_FIX
    assert choose_family(evidence(newPublicSymbols=("wrap",)), spec())[0] is Family.FEATURE_ADDITION


@pytest.mark.parametrize(
    "signals",
    [
        {"advisories": ("CVE-2024-1234",)},
        {"mergedFromPrivateFork": True},
        {"labels": ("security",)},
        {"newsKinds": ("security",)},
        {"securityWords": ("path traversal",)},
    ],
)
def test_every_sign_of_a_vulnerability_makes_a_security_repair(
    evidence: MakeEvidence, spec: MakeSpec, signals: dict[str, object]
) -> None:
    family, why = choose_family(evidence(title="Fix it", bugWords=("fix",), **signals), spec())
    assert family is Family.SECURITY_REPAIR
    assert why


@pytest.mark.parametrize("title", ["Harden the redirect handler", "Prevent path traversal", "Fix an open redirect"])
def test_titles_tell_repairs_of_vulnerabilities(evidence: MakeEvidence, spec: MakeSpec, title: str) -> None:
    known = evidence(title=title, securityWords=found(SECURITY, title))
    assert choose_family(known, spec())[0] is Family.SECURITY_REPAIR


def test_a_vulnerability_that_nothing_shows_is_left_to_behaviour(evidence: MakeEvidence, spec: MakeSpec) -> None:
    known = evidence(title="Fix it", tests=False, bugWords=("fix",), advisories=("CVE-2024-1234",))
    assert choose_family(known, spec())[0] is Family.BUG_FIX
    assert choose_family(known, spec(Family.AUTO, SCRIPT))[0] is Family.SECURITY_REPAIR


def test_a_migration_needs_both_an_oracle_and_words(evidence: MakeEvidence, spec: MakeSpec) -> None:
    title = "Use io instead of six"
    words = found(MIGRATION, title)
    detail = "the change imports io where it imported six"
    with_both = evidence(title=title, migrationWords=words, migration=ORACLE, migrationDetail=detail)
    assert choose_family(with_both, spec())[0] is Family.API_MIGRATION
    assert choose_family(evidence(title=title, migrationWords=words), spec())[0] is not Family.API_MIGRATION
    assert choose_family(evidence(migration=ORACLE), spec())[0] is not Family.API_MIGRATION


def test_a_static_check_of_the_user_makes_a_migration(evidence: MakeEvidence, spec: MakeSpec) -> None:
    check = CheckSpec(id="api", kind="static", static=ORACLE)
    assert choose_family(evidence(), spec(Family.AUTO, check))[0] is Family.API_MIGRATION


def test_auto_never_picks_test_generation(evidence: MakeEvidence, spec: MakeSpec) -> None:
    known = evidence(title="Add more tests and coverage", testWords=("tests", "coverage"))
    assert choose_family(known, spec())[0] is not Family.TEST_GENERATION


@pytest.mark.parametrize("family", [f for f in Family if f is not Family.AUTO and f is not Family.API_MIGRATION])
def test_a_family_asked_for_is_taken_with_its_reason(evidence: MakeEvidence, spec: MakeSpec, family: Family) -> None:
    chosen, why = choose_family(evidence(), spec(family))
    assert chosen is family
    assert why.startswith("asked for; ")


@pytest.mark.parametrize(
    ("family", "words"), [(Family.API_MIGRATION, "spec.checks"), (Family.SECURITY_REPAIR, "script check")]
)
def test_a_family_asked_for_in_vain_says_what_is_lacking(
    evidence: MakeEvidence, spec: MakeSpec, family: Family, words: str
) -> None:
    with pytest.raises(ChangeUnusable, match=words) as caught:
        choose_family(evidence(tests=False), spec(family))
    assert caught.value.reason is Reason.FAMILY_NOT_APPLICABLE


@pytest.mark.parametrize("used", ["six", "six.moves.urllib"])
def test_a_name_cannot_be_gone_and_used_at_once(evidence: MakeEvidence, spec: MakeSpec, used: str) -> None:
    check = CheckSpec(id="api", kind="static", static=StaticOracle(gone=("six",), used=(used,)))
    with pytest.raises(ChangeUnusable, match="at once") as caught:
        choose_family(evidence(), spec(Family.API_MIGRATION, check))
    assert caught.value.reason is Reason.FAMILY_NOT_APPLICABLE


def test_every_family_but_auto_has_an_adapter() -> None:
    assert set(ADAPTERS) == set(Family) - {Family.AUTO}
