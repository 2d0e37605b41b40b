"""What of the registry may go: what this installation alone had use for, long ago, and nothing names any more."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.cluster.kube import Json, KubeFault
from change2task.cluster.registry import RegistryFault
from change2task.operator.garbage import garbage, kept_of, mark, named
from change2task.operator.settings import GarbageSettings
from change2task.operator.sweeping import Sweep
from tests.support.kube import Api

TODAY = date(2026, 11, 30)
OLD, NEW = TODAY - timedelta(days=31), TODAY - timedelta(days=30)
A, B, C = (f"sha256:{letter * 64}" for letter in "abc")


def tags(digest: str, *marks: tuple[str, date]) -> list[str]:
    return [digest.replace(":", "-"), *(mark(name, day, digest) for name, day in marks)]


def may_go(told: list[str], live: set[str] | None = None) -> tuple[str, ...]:
    return garbage(kept_of(told), live or set(), "west1", TODAY, 30)


CASES = [
    ("old and ours alone", [("west1", OLD)], True),
    ("used again later", [("west1", OLD), ("west1", NEW)], False),
    ("used yesterday", [("west1", TODAY - timedelta(days=1))], False),
    ("another's too", [("west1", OLD), ("east1", OLD)], False),
    ("another's", [("east1", OLD)], False),
    ("nobody's", [], False),
    ("marked for tomorrow", [("west1", TODAY + timedelta(days=1))], False),
]


@pytest.mark.parametrize(("marks", "goes"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_what_goes(marks: list[tuple[str, date]], goes: bool) -> None:
    assert may_go(tags(A, *marks)) == ((A,) if goes else ())


def test_what_anything_names_stays() -> None:
    assert may_go([*tags(A, ("west1", OLD)), *tags(B, ("west1", OLD))], {A}) == (B,)


@pytest.mark.parametrize(
    "odd", ["latest", "made-west1-20261301-" + "a" * 64, "made-west1-20200101-aa", "sha256-aa", ""]
)
def test_a_tag_that_is_odd_removes_nothing(odd: str) -> None:
    told = [A.replace(":", "-"), odd]
    assert may_go(told) == ()
    assert may_go([*tags(B, ("west1", OLD)), odd]) == (B,)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([A, B, C]), st.sampled_from(["west1", "east1"]), st.dates(OLD, TODAY)), max_size=20
    ),
    st.sets(st.sampled_from([A, B, C])),
)
def test_nothing_goes_that_is_alive_or_another_ones_or_young(uses: list[tuple[str, str, date]], live: set[str]) -> None:
    told = [tag for digest, name, day in uses for tag in tags(digest, (name, day))]
    for digest in may_go(told, live):
        assert digest not in live
        assert {name for one, name, _ in uses if one == digest} == {"west1"}
        assert max(day for one, _, day in uses if one == digest) < NEW


def test_every_digest_of_an_object_counts_wherever_it_stands() -> None:
    assert named(f'{{"a": "r/x@{A}", "b": ["note {B}."], "c": "sha256:short"}}') == {A, B}


@dataclass
class Shelves:
    """A registry's tags by repository."""

    kept: dict[str, list[str]]
    refuses: RegistryFault | None = None
    found_use: tuple[str, str] | None = None
    asked: int = 0
    removed: list[tuple[str, str]] = field(default_factory=list)

    def tags(self, repository: str) -> tuple[str, ...]:
        self.asked += 1
        told = tuple(self.kept.get(repository, ()))
        if self.found_use is not None and self.found_use[0] == repository:
            self.kept[repository].append(mark("west1", TODAY, self.found_use[1]))
        return told

    def remove(self, repository: str, digest: str) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.removed.append((repository, digest))
        hexed = digest.removeprefix("sha256:")
        self.kept[repository] = [tag for tag in self.kept[repository] if hexed not in tag]


def sweep(shelves: Shelves, *objects: Json, spaces: tuple[str, ...] = ("team",)) -> Sweep:
    api = Api()
    for one in objects:
        api.put(one)
    untyped: Any = api
    return Sweep(untyped, shelves, GarbageSettings(installation="west1"), spaces, "change2task-builds", lambda: TODAY)


def of(kind: str, **told: object) -> Json:
    labels = {"app.kubernetes.io/managed-by": "change2task"}
    return {"kind": kind, "metadata": {"name": kind.lower(), "namespace": "team", "labels": labels}, **told}


def test_a_sweep_removes_from_our_own_repositories_alone_what_no_object_names() -> None:
    old = {name: [*tags(A, ("west1", OLD)), *tags(B, ("west1", OLD))] for name in ("steps", "outcomes", "bases")}
    shelves = Shelves(old)
    candidate = of("TaskCandidate", status={"progress": {"image": f"r/steps@{A}"}})
    assert sweep(shelves, candidate).sweep() == 1
    assert shelves.removed == [("steps", B)]
    assert sweep(shelves, candidate).sweep() == 0


@pytest.mark.parametrize(
    "alive",
    [
        of("ModernBase", status={"progress": {"results": [f"r/results@{A}"]}}),
        of("TaskVariant", status={"progress": {"image": f"r/steps@{A}"}}),
        of("Job", spec={"template": {"spec": {"containers": [{"image": f"r/steps@{A}"}]}}}),
    ],
    ids=lambda one: str(one["kind"]),
)
def test_all_that_lives_is_looked_into(alive: Json) -> None:
    shelves = Shelves({"steps": tags(A, ("west1", OLD))})
    assert sweep(shelves, alive).sweep() == 0


def test_where_the_cluster_cannot_be_read_nothing_goes() -> None:
    shelves = Shelves({"steps": tags(A, ("west1", OLD))})
    made = sweep(shelves)

    def away(*_: object, **__: object) -> None:
        raise KubeFault("GET", 500, "away")

    made.kube.list = away  # type: ignore[assignment, method-assign]
    with pytest.raises(KubeFault):
        made.sweep()
    assert (shelves.asked, shelves.removed) == (0, [])


def test_what_somebody_finds_a_use_for_meanwhile_stays() -> None:
    shelves = Shelves({"steps": tags(A, ("west1", OLD))}, found_use=("steps", A))
    assert sweep(shelves).sweep() == 0
    assert shelves.removed == []


def test_a_registry_that_lets_nothing_be_removed_is_told_once_a_repository() -> None:
    both = [*tags(A, ("west1", OLD)), *tags(B, ("west1", OLD))]
    shelves = Shelves({"steps": both}, refuses=RegistryFault("refused", "405 unsupported"))
    assert sweep(shelves).sweep() == 0
    assert len(shelves.kept["steps"]) == 4
