"""A resource rendered as YAML reads back as the same value, for us and for any YAML reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from change2task.api.manifests import Resource, load_stored, parse_manifests, render
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import Environment, ModernBase, ModernBaseSpec, Repository
from change2task.api.render import render_values
from change2task.api.taskcandidate import Change, Intent, TaskCandidate, TaskCandidateSpec
from tests.support.resources import RESOURCES, TEXTS

SLOW = settings(
    max_examples=50, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None
)


def candidate(body: str) -> TaskCandidate:
    return TaskCandidate(
        metadata=ObjectMeta(name="c"),
        spec=TaskCandidateSpec(
            base_ref=Reference(name="b"), change=Change(pull_request=1), intent=Intent(title="t", body=body)
        ),
    )


@SLOW
@given(RESOURCES)
def test_what_is_rendered_reads_back_equal_and_is_rendered_the_same(resource: Resource) -> None:
    text = render(resource)
    again = load_stored(text.encode(), "store")

    assert again == resource
    assert again.canonical() == resource.canonical()
    assert render(again) == text
    assert "\r" not in text
    assert text.endswith("\n")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@SLOW
@given(st.dictionaries(TEXTS, JSON_VALUES, min_size=1, max_size=4))
def test_other_yaml_readers_see_the_same_values(values: dict[str, Any]) -> None:
    text = render_values(values)

    assert json.dumps(yaml.safe_load(text)) == json.dumps(values)


@settings(parent=SLOW, max_examples=15)
@given(RESOURCES, RESOURCES)
def test_rendered_documents_can_be_joined(first: Resource, second: Resource) -> None:
    text = f"{render(first)}---\n{render(second)}"

    parsed = parse_manifests(text.encode(), "joined", keep_status=True)

    assert parsed.problems == ()
    assert parsed.resources == (first, second)


@pytest.mark.parametrize(
    "body",
    [
        "one\ntwo",
        "one\ntwo\n",
        "one\ntwo\n\n\n",
        "  indented first\nthen not\n",
        "\nblank first\n",
        "\tguided by a tab\n",
        "trailing blanks  \n \n\t\nend \n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n \n-a\t\n+b \n\\ No newline at end of file",
        "# not a comment\n---\n...\n",
    ],
)
def test_several_lines_become_a_literal_block(body: str) -> None:
    text = render(candidate(body))

    assert "body: |" in text
    assert yaml.safe_load(text)["spec"]["intent"]["body"] == body
    assert load_stored(text.encode(), "store") == candidate(body)


@pytest.mark.parametrize(
    "body", ["a\r\nb\n", "a\x85b\n", "a\u2028b\n", "\ufeffa\nb", "a\x7f\nb", "a\x00\nb", "\n\n", " \n"]
)
def test_lines_that_yaml_would_alter_are_quoted(body: str) -> None:
    text = render(candidate(body))

    assert "body: |" not in text
    assert yaml.safe_load(text)["spec"]["intent"]["body"] == body
    assert load_stored(text.encode(), "store") == candidate(body)


@pytest.mark.parametrize(
    "title",
    ["no", "on", "y", "null", "~", "1234567", "12e5", "0x1f", "1:30", "2024-10-09", "-", "a: b", "a #b", "*a", "=", ""],
)
def test_a_string_that_could_be_read_as_something_else_is_quoted(title: str) -> None:
    assert render_values({"k": title}).startswith('k: "')


@pytest.mark.parametrize(
    "text", ["towncrier", "uv pip install -e . pytest", "src/**", "https://example.org/x.git", "python:3.12-slim"]
)
def test_a_plain_string_stays_bare(text: str) -> None:
    assert render_values({"k": text}) == f"k: {text}\n"


@pytest.mark.parametrize(("value", "text"), [(1e-07, "1.0e-07"), (1e22, "1.0e+22"), (0.65, "0.65"), (-0.0, "-0.0")])
def test_a_number_is_written_so_that_every_reader_sees_a_number(value: float, text: str) -> None:
    assert render_values({"k": value}) == f"k: {text}\n"
    assert yaml.safe_load(f"k: {text}") == {"k": value}


def test_order_is_the_manifests_own_and_defaults_are_left_out() -> None:
    base = ModernBase(
        metadata=ObjectMeta(name="towncrier"),
        spec=ModernBaseSpec(
            repository=Repository(url="https://github.com/twisted/towncrier"),
            environment=Environment(setup=(), env={"B": "1", "A": "no"}),
        ),
    )

    assert render(base) == (
        "apiVersion: change2task.dev/v1alpha1\n"
        "kind: ModernBase\n"
        "metadata:\n"
        "  name: towncrier\n"
        "spec:\n"
        "  repository:\n"
        "    url: https://github.com/twisted/towncrier\n"
        "  environment:\n"
        "    setup: []\n"
        "    env:\n"
        '      B: "1"\n'
        '      A: "no"\n'
    )


def test_a_stored_document_with_a_fault_says_all_of_them() -> None:
    with pytest.raises(ValueError, match=r"(?s)must be an integer.*\n.*unknown field"):
        load_stored(render(candidate("x")).replace("pullRequest: 1", "pullRequest: '1'\n    pul: 2").encode(), "x.yaml")


def test_a_stored_document_must_be_one() -> None:
    text = render(candidate("x"))
    with pytest.raises(ValueError, match="2 resources"):
        load_stored(f"{text}---\n{text}".encode(), "x.yaml")
