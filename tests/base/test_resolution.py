"""In which order revisions are tried, and what is said of each."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from change2task.api.modernbase import Revision
from change2task.base.resolution import Ineligible, Resolution, resolve


def tried(
    revision: Revision, commits: Mapping[str, str], *, default: str | None = "main", eligible: tuple[str, ...] = ()
) -> tuple[Resolution[str, str], list[str]]:
    """Resolve in a world of names and commits; also the commits that were assessed, in order."""
    assessed: list[str] = []

    def assess(commit: str) -> str | Ineligible[str]:
        assessed.append(commit)
        return f"prepared {commit}" if commit in eligible else Ineligible(f"{commit} is unwell", f"fault of {commit}")

    found = resolve(
        revision, default=lambda: default, lookup=commits.get, unresolved="nothing is called {}".format, assess=assess
    )
    return found, assessed


HEADS = {"v1": "aaa", "v2": "bbb", "refs/heads/main": "ccc", "refs/heads/devel": "ddd", "refs/heads/trunk": "eee"}


@pytest.mark.parametrize(
    ("revision", "eligible", "sources", "frozen"),
    [
        ({}, ("ccc",), ["default"], "ccc"),
        ({"healthy": "v1"}, ("aaa", "ccc"), ["healthy"], "aaa"),
        ({"target": "v2"}, ("bbb", "ccc"), ["target"], "bbb"),
        ({"healthy": "v1", "target": "v2"}, ("bbb", "ccc"), ["healthy", "target"], "bbb"),
        ({"healthy": "v1", "target": "v2"}, ("ccc",), ["healthy", "target", "default"], "ccc"),
        ({"healthy": "gone"}, ("ccc",), ["healthy", "default"], "ccc"),
        ({"healthy": "v1", "target": "v2"}, (), ["healthy", "target", "default"], None),
    ],
)
def test_the_first_eligible_of_healthy_target_default_is_frozen(
    revision: dict[str, str], eligible: tuple[str, ...], sources: list[str], frozen: str | None
) -> None:
    found, _ = tried(Revision(**revision), HEADS, eligible=eligible)
    assert [one.source for one in found.tried] == sources
    assert found.prepared == (None if frozen is None else f"prepared {frozen}")
    assert [one.eligible for one in found.tried] == [one.commit == frozen and frozen is not None for one in found.tried]


def test_usual_branches_are_tried_in_order_only_where_the_default_cannot_be_resolved() -> None:
    found, _ = tried(Revision(), HEADS, default=None, eligible=("eee",))
    assert [(one.source, one.commit) for one in found.tried] == [
        ("default", None),
        ("main", "ccc"),
        ("master", None),
        ("devel", "ddd"),
        ("develop", None),
        ("trunk", "eee"),
    ]
    assert found.prepared == "prepared eee"


def test_a_default_branch_that_names_nothing_counts_as_unresolved() -> None:
    found, _ = tried(Revision(), {"refs/heads/master": "fff"}, default="gone", eligible=("fff",))
    assert [one.source for one in found.tried] == ["default", "main", "master"]


def test_strict_stops_at_the_first_whatever_it_is() -> None:
    found, assessed = tried(Revision(healthy="gone", target="v2", strict=True), HEADS, eligible=("bbb", "ccc"))
    assert [one.source for one in found.tried] == ["healthy"]
    assert (found.prepared, assessed) == (None, [])


def test_no_commit_is_assessed_twice_and_the_second_name_says_so() -> None:
    found, assessed = tried(Revision(healthy="v1", target="same"), {**HEADS, "same": "aaa"}, eligible=("ccc",))
    assert assessed == ["aaa", "ccc"]
    assert found.tried[1].detail == "the same commit as healthy, which was not eligible"


def test_each_tried_revision_says_why_it_was_not_taken() -> None:
    found, _ = tried(Revision(healthy="gone", target="v2"), HEADS)
    assert [one.detail for one in found.tried] == [
        "nothing is called gone",
        "bbb is unwell",
        "ccc is unwell",
    ]
    assert found.faults == ("fault of bbb", "fault of ccc")


def test_a_declared_revision_is_looked_up_as_written_and_a_branch_never_as_a_tag() -> None:
    asked: list[str] = []

    def lookup(name: str) -> None:
        asked.append(name)

    resolve(Revision(healthy="v1"), default=lambda: "main", lookup=lookup, unresolved=str, assess=str)
    assert asked[:2] == ["v1", "refs/heads/main"]
