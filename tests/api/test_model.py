"""Every model is a frozen, closed value with one byte form."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import ValidationError

from change2task.api.manifests import Resource
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import Environment, ModernBase, ModernBaseSpec, ModernBaseStatus, Repository, Revision
from change2task.api.taskcandidate import Change, Family, TaskCandidate, TaskCandidateSpec
from tests.support.resources import RESOURCES

BASE = ModernBase(
    metadata=ObjectMeta(name="towncrier"),
    spec=ModernBaseSpec(
        repository=Repository(url="https://github.com/twisted/towncrier"),
        revision=Revision(healthy="5534c47df"),
        environment=Environment(as_of=date(2024, 10, 9), env={"B": "é", "A": "1"}),
    ),
)


def test_a_value_cannot_be_altered() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        BASE.spec.revision.strict = True  # type: ignore[misc]


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Reference.model_validate({"name": "a", "nmae": "b"})


def test_both_names_of_a_field_are_taken_and_the_wire_is_camel_case() -> None:
    assert Change(pull_request=1) == Change.model_validate({"pullRequest": 1})
    assert Change(pull_request=1).document() == {"pullRequest": 1}


def test_a_replaced_field_is_validated() -> None:
    assert Reference(name="a").replacing(name="b") == Reference(name="b")
    with pytest.raises(ValidationError):
        Reference(name="a").replacing(name="B")


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_numbers_are_those_that_json_has(value: float) -> None:
    with pytest.raises(ValidationError):
        ModernBaseStatus(seconds={"build": value})


def test_canonical_bytes_are_sorted_compact_utf8() -> None:
    assert BASE.spec.environment.canonical() == (
        '{"asOf":"2024-10-09","env":{"A":"1","B":"é"},"rebuild":[],"systemPackages":[]}'.encode()
    )


def test_digests_of_specs_stay_what_they_are() -> None:
    """A changed digest is a changed identity of everything stored: change it only knowingly."""
    candidate = TaskCandidateSpec(
        base_ref=Reference(name="towncrier"), change=Change(pull_request=603), family=Family.BUG_FIX
    )

    assert BASE.spec.content_hash() == "c14cc11792009ac5e383683fdb5fe172d6d2e9c39f87495bab57626d604b68f4"
    assert candidate.content_hash() == "3a574dc0fbbd2780ac91de73f565c35524f7a01d3285ab51432089f3339887bb"


def test_the_order_of_maps_is_no_part_of_the_digest() -> None:
    assert Environment(env={"A": "1", "B": "2"}).content_hash() == Environment(env={"B": "2", "A": "1"}).content_hash()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(RESOURCES)
def test_a_document_gives_the_same_value_back(resource: Resource) -> None:
    again = type(resource).model_validate_json(resource.model_dump_json())

    assert again == resource
    assert type(resource).model_validate(resource.document()) == resource
    assert again.content_hash() == resource.content_hash()


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a..b", "a.-b", "x" * 254, "a\n"])
def test_names_are_those_of_kubernetes(name: str) -> None:
    with pytest.raises(ValidationError):
        Reference(name=name)


@pytest.mark.parametrize(
    "url", ["https://a/b.git", "ssh://git@a/b", "git://a/b", "file:///srv/a", "git@github.com:a/b.git"]
)
def test_addresses_of_repositories(url: str) -> None:
    assert Repository(url=url).url == url


@pytest.mark.parametrize("url", ["", "/srv/a", "ext::sh -c id", "--upload-pack=x", "https://a b", "ftp://a/b"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ValidationError):
        Repository(url=url)


@pytest.mark.parametrize(
    ("change", "label"),
    [(Change(pull_request=603), "#603"), (Change(commit="v1"), "v1"), (Change(range="a..b"), "a..b")],
)
def test_a_change_has_a_short_name(change: Change, label: str) -> None:
    assert change.label() == label


@pytest.mark.parametrize("value", ["a", "..b", "a..", "-a..b", "a..-b", "a.. b"])
def test_a_range_has_two_ends_and_no_options(value: str) -> None:
    with pytest.raises(ValidationError):
        Change(range=value)


def test_a_candidate_begins_without_a_verdict() -> None:
    candidate = TaskCandidate(
        metadata=ObjectMeta(name="a"),
        spec=TaskCandidateSpec(base_ref=Reference(name="b"), change=Change(commit="c")),
    )

    assert candidate.status.accepted is None
    assert candidate.spec.family is Family.AUTO
