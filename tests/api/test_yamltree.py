"""YAML text becomes a bounded tree in which scalars mean what the API server takes them for."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.api.yamlscalars import resolve
from change2task.api.yamltree import FASTEST_LOADER, Bounds, Composed, Mapping, Scalar, Sequence, compose
from tests.support.resources import TEXTS

LOADERS = [FASTEST_LOADER, yaml.SafeLoader]


def tree(text: str, loader: Any = FASTEST_LOADER, bounds: Bounds | None = None) -> Composed:
    return compose(text, 1, bounds or Bounds(), loader)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("NULL", None), ("nUll", "nUll"),
        ("yes", True), ("y", True), ("ON", True), ("off", False), ("n", False), ("tRue", "tRue"),
        ("603", 603), ("-0", 0), ("+1", 1), ("1_000", 1000), ("0x1F", 31), ("0X1f", 31), ("0b11", 3), ("0o17", 15),
        ("017", 15), ("08", 8.0), ("12e5", 1200000.0), ("1234567e8", 1234567e8), (".5", 0.5),
        ("1.", 1.0), (".5_", ".5_"), (".5_5", 0.55),
        ("-.inf", float("-inf")), ("1:30", "1:30"), ("2024-10-09", "2024-10-09"), ("1.2.3", "1.2.3"),
        ("5534c47df", "5534c47df"),
        ("e5", "e5"), ("-", "-"), (".", "."),
    ],
)  # fmt: skip
def test_a_plain_scalar_is_what_kubernetes_takes_it_for(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_a_number_of_a_million_digits_is_read_in_no_time() -> None:
    started = time.monotonic()

    assert isinstance(resolve("1" * 1_000_000), float)

    assert time.monotonic() - started < 1


@pytest.mark.parametrize("loader", LOADERS)
def test_lines_of_keys_and_values_are_kept(loader: Any) -> None:
    root = tree("a: 1\nb:\n  - x\n  - 'y'\n", loader).root

    assert isinstance(root, Mapping)
    assert root.lines == {"a": 1, "b": 2}
    items = root.entries["b"]
    assert isinstance(items, Sequence)
    assert [(i.text, i.plain, i.line) for i in items.items if isinstance(i, Scalar)] == [
        ("x", True, 3),
        ("y", False, 4),
    ]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_deep_nesting_ends_quickly_with_a_fault(loader: Any, opening: str) -> None:
    started = time.monotonic()

    made = tree(opening * 100_000, loader)

    assert made.root is None
    assert "nest" in made.faults[-1].message
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("loader", LOADERS)
def test_aliases_are_counted_in_full(loader: Any) -> None:
    laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )

    made = tree(laughs, loader)

    assert made.root is None
    assert "aliases counted in full" in made.faults[-1].message
    assert made.faults[-1].line == 5


def test_a_long_text_by_alias_is_counted_too() -> None:
    made = tree(f"a: &a {'x' * 500_000}\nb: [{','.join(['*a'] * 10)}]\n")

    assert "4194304 characters" in made.faults[-1].message


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("text", ["&a [*a]", "a: &a {b: *a}", "&a {<<: *a}"])
def test_an_alias_within_its_own_anchor_is_a_fault(loader: Any, text: str) -> None:
    assert "its own anchor" in tree(text, loader).faults[0].message


def test_an_alias_without_an_anchor_is_a_fault() -> None:
    assert tree("a: *b").faults[0].value == "*b"


def test_modest_aliases_and_merges_are_read() -> None:
    root = tree("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: {<<: [*x, {r: 4}]}\n").root

    assert isinstance(root, Mapping)
    b, c = root.entries["b"], root.entries["c"]
    assert isinstance(b, Mapping)
    assert isinstance(c, Mapping)
    assert {k: v.text for k, v in b.entries.items() if isinstance(v, Scalar)} == {"q": "3", "p": "1"}
    assert list(c.entries) == ["p", "q", "r"]


def test_only_mappings_can_be_merged() -> None:
    assert "only mappings can be merged" in tree("a: {<<: [1]}").faults[0].message


def test_a_key_given_twice_names_both_lines_and_the_first_counts() -> None:
    made = tree("a: 1\nb: 2\na: 3\n")

    assert "in line 1 and in line 3" in made.faults[0].message
    assert isinstance(made.root, Mapping)
    value = made.root.entries["a"]
    assert isinstance(value, Scalar)
    assert value.text == "1"


@pytest.mark.parametrize("text", ["{[a]: b}", "{{a: b}: c}", "? [a]\n: b\n", "? {a: b}\n"])
def test_a_collection_as_key_is_a_fault_not_a_crash(text: str) -> None:
    assert "cannot be a key" in tree(text).faults[0].message


@pytest.mark.parametrize("key", ["on", "NO", "8080", "null", "1e5", "~"])
def test_a_key_that_is_no_string_wants_quotes(key: str) -> None:
    assert f'quote it: "{key}"' in tree(f"{key}: x").faults[0].message


@pytest.mark.parametrize(
    "value",
    ["!!python/object:os.system {}", "!!python/name:os.system", "!local x", "!!binary aGk=", "!!set {a, b}", "!!int 3"],
)
def test_tags_are_refused_and_nothing_is_made_of_them(value: str) -> None:
    made = tree(f"a: {value}")

    assert made.faults[0].message == "YAML tags are not allowed; remove the tag"
    assert made.faults[0].path == ("a",)


def test_a_tag_that_says_string_makes_a_string() -> None:
    root = tree("a: !!str 603").root

    assert isinstance(root, Mapping)
    assert root.entries["a"] == Scalar("603", False, 1, 1, 3)


def test_tabs_as_indentation_are_named() -> None:
    made = tree("a:\n\tb: 1\n")

    assert (made.faults[0].line, made.faults[0].message) == (2, "YAML does not allow tabs as indentation; use spaces")


def test_a_quote_that_never_ends_says_where_it_began() -> None:
    assert "begins in line 2" in tree("a: 1\nb: 'x\nc: 2\n").faults[0].message


@pytest.mark.parametrize("loader", LOADERS)
def test_characters_that_yaml_has_not_are_a_fault(loader: Any) -> None:
    assert "not YAML: " in tree("a: \x00", loader).faults[0].message


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, max_size=5).map("\n".join), st.sampled_from(LOADERS))
def test_any_text_gives_a_tree_or_a_fault(text: str, loader: Any) -> None:
    made = tree(text, loader)

    assert made.root is not None or made.faults or not any(line[:1].isalnum() for line in text.splitlines())
