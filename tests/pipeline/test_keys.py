"""What enters a key: everything that may change a verdict, and nothing else, or work is redone in vain or never."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import (
    Change,
    CheckSpec,
    Construction,
    Family,
    Intent,
    Profile,
    Script,
    TaskCandidate,
    TaskCandidateSpec,
    Validation,
)
from change2task.pipeline import keys, status
from change2task.pipeline.keys import RETRY_ANNOTATION, digest, verdict_key

SPEC = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=7))
CANDIDATE = TaskCandidate(metadata=ObjectMeta(name="one"), spec=SPEC)
GIVEN: dict[str, Any] = {
    "base_key": "b", "inventory_digest": "i", "scope": Scope(), "profile": Profile.FULL, "forge": ""
}  # fmt: skip


def key(candidate: TaskCandidate = CANDIDATE, **other: Any) -> str:
    return verdict_key(candidate, **{**GIVEN, **other})


def named(**metadata: Any) -> TaskCandidate:
    return CANDIDATE.replacing(metadata=ObjectMeta(**{"name": "one", **metadata}))


def script(**of: Any) -> tuple[CheckSpec, ...]:
    return (
        CheckSpec(id="exploit", kind="script", script=Script(**{"command": ("sh", "x"), "files": {"x": "1"}, **of})),
    )


SPECS: dict[str, list[Any]] = {
    "base_ref": [Reference(name="other")],
    "change": [Change(pull_request=8), Change(commit="7"), Change(range="a..b")],
    "family": [Family.BUG_FIX, Family.TEST_GENERATION],
    "intent": [Intent(title="A"), Intent(title="A", body="b")],
    "checks": [(), (CheckSpec(id="a"),), (CheckSpec(id="a", role="regression"),), script(), script(files={"x": "2"})],
    "construction": [Construction(profile=Profile.PAPER), Construction(levels=(1,)), Construction(attempts=1)],
    "validation": [Validation(task_repeats=5), Validation(healthy_repeats=5)],
}
INPUTS: dict[str, list[Any]] = {
    "base_key": ["c"],
    "inventory_digest": ["j"],
    "scope": [Scope(**{part: ("a/**",)}) for part in ("source", "tests", "docs", "generated", "protected")],
    "profile": [Profile.PAPER],
    "forge": ["f"],
}
DECIDING = [
    *(
        (f"spec.{name}", CANDIDATE.replacing(spec=SPEC.replacing(**{name: v})), {})
        for name in SPECS
        for v in SPECS[name]
    ),
    *((name, CANDIDATE, {name: value}) for name in INPUTS for value in INPUTS[name]),
    ("a wish to try again", named(annotations={RETRY_ANNOTATION: "1"}), {}),
    ("another wish to try again", named(annotations={RETRY_ANNOTATION: "2"}), {}),
]
AT = datetime(2024, 1, 31, tzinfo=UTC)
DONE = CANDIDATE.status.replacing(accepted=True, reason=Reason.ACCEPTED, stages={"verdict": "k"})
BESIDE = {
    "name": named(name="two"),
    "namespace": named(namespace="team"),
    "labels": named(labels={"a": "b"}),
    "other annotations": named(annotations={"note": "x"}),
    "generation": named(generation=9),
    "suspension": CANDIDATE.replacing(spec=SPEC.replacing(suspend=True)),
    "a verdict": CANDIDATE.replacing(status=DONE),
    "a fault of the machine": status.stalled_candidate(CANDIDATE, "the disk is full", AT),
}


@pytest.mark.parametrize(("candidate", "other"), [case[1:] for case in DECIDING], ids=[case[0] for case in DECIDING])
def test_what_may_decide_otherwise_is_in_the_key(candidate: TaskCandidate, other: dict[str, Any]) -> None:
    assert key(candidate, **other) != key()


def test_each_of_them_makes_a_key_of_its_own() -> None:
    made = [key(candidate, **other) for _, candidate, other in DECIDING]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("what", BESIDE)
def test_what_decides_nothing_is_not(what: str) -> None:
    assert key(BESIDE[what]) == key()


def test_every_field_of_a_spec_and_of_a_scope_is_known_to_decide_or_not_to() -> None:
    assert {*SPECS, "suspend"} == set(TaskCandidateSpec.model_fields)
    assert {next(iter(scope.model_fields_set)) for scope in INPUTS["scope"]} == set(Scope.model_fields)
    assert set(INPUTS) == set(GIVEN)


def test_rules_that_decide_otherwise_make_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(keys, "VERDICT_VERSION", keys.VERDICT_VERSION + 1)
    assert key() != before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b"), ("ab",)),
        (("a", ""), ("a",)),
        (("a", "b"), ("b", "a")),
        (("1",), (1,)),
        ((None,), ("",)),
        (({"a": ["b"]},), ({"a": "b"},)),
        (("é",), ("e\u0301",)),
    ],
)
def test_a_digest_keeps_its_parts_apart(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert digest(*one) != digest(*other)


def test_a_digest_does_not_hang_on_the_order_of_names() -> None:
    assert digest({"a": 1, "b": {"c": 2, "d": 3}}) == digest({"b": {"d": 3, "c": 2}, "a": 1})


def test_a_digest_is_the_same_in_every_version() -> None:
    assert digest("a", 1) == hashlib.sha256(b'["a",1]').hexdigest()
