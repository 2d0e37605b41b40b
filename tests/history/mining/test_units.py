"""Every commit of a history belongs to exactly one change."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.history.ancestry import Ancestry
from change2task.history.mining.units import Unit, request_tips, units
from change2task.vcs.commits import CommitInfo
from change2task.vcs.repository import Repository
from tests.history.mining.conftest import fix
from tests.support.repos import RepoBuilder

_TIME = datetime(2024, 1, 1, tzinfo=UTC)
_SUBJECTS = (
    "Fix it",
    "Fix it (#4)",
    "Merge pull request #5 from ada/topic",
    "Merge branch 'stable'",
    "Merge branch 'main' into topic",
    "Merge pull request #6 from ada/main",
)


def _of(project: RepoBuilder) -> tuple[Unit, ...]:
    with Repository.open(project.path) as repo:
        ancestry = Ancestry(repo, project.tip("main"))
        return units(ancestry.head, ancestry.parents, ancestry.infos, request_tips(repo.refs()))


@settings(deadline=None)
@given(st.data())
def test_whatever_the_graph_no_commit_is_lost_and_none_counted_twice(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 25))
    parents: dict[str, tuple[str, ...]] = {}
    for number in range(size):
        most = min(number, 3)
        # The first has no parents; drawing from nothing is no strategy.
        drawn = st.lists(st.integers(0, max(number - 1, 0)), min_size=min(1, most), max_size=most, unique=True)
        chosen = data.draw(drawn)
        parents[f"c{number}"] = tuple(f"c{one}" for one in chosen)
    head = f"c{size - 1}"
    reachable, waiting = set(), [head]
    while waiting:
        oid = waiting.pop()
        if oid not in reachable:
            reachable.add(oid)
            waiting.extend(parents[oid])
    graph = {oid: parents[oid] for oid in reversed(parents) if oid in reachable}
    infos = {
        oid: CommitInfo(oid, graph[oid], "t", "Ada", _TIME, _TIME, data.draw(st.sampled_from(_SUBJECTS)), "")
        for oid in graph
    }
    found = units(head, graph, infos, {"c1": 5})
    counted = [oid for unit in found for oid in (unit.commit, *unit.inside)]
    assert sorted(counted) == sorted(graph)


def test_a_request_is_one_change_whether_merged_or_squashed(project: RepoBuilder) -> None:
    project.switch("topic")
    one, two = fix(project, "one"), fix(project, "two")
    project.switch("main")
    merge = project.merge("topic", message="Merge pull request #7 from ada/topic\n\nAdd things")
    squash = fix(project, "three", "Add three (#8)")
    plain = fix(project, "four")
    found = {unit.commit: unit for unit in _of(project)}
    assert (found[merge].kind, found[merge].number, set(found[merge].inside)) == ("merge", 7, {one, two})
    assert (found[squash].kind, found[squash].number) == ("squash", 8)
    assert (found[plain].kind, found[plain].number) == ("commit", None)
    assert one not in found


def test_a_merge_without_a_number_has_the_one_of_the_forges_reference(project: RepoBuilder) -> None:
    project.switch("topic")
    project.merge_request(31, fix(project, "one"))
    project.switch("main")
    merge = project.merge("topic", message="Bring it in")
    assert next(unit for unit in _of(project) if unit.commit == merge).number == 31


def test_what_a_long_lived_branch_brings_in_stands_for_itself(project: RepoBuilder) -> None:
    project.switch("stable")
    project.switch("topic")
    inner = fix(project, "inner")
    project.switch("stable")
    request = project.merge("topic", message="Merge pull request #9 from ada/topic\n\nAdd it")
    direct = fix(project, "direct")
    project.switch("main")
    bundle = project.merge("stable", message="Merge branch 'stable'")
    found = {unit.commit: unit for unit in _of(project)}
    assert found[bundle].kind == "bundle"
    assert (found[request].number, found[request].inside) == (9, (inner,))
    assert found[direct].kind == "commit"


def test_a_request_that_merges_one_line_into_another_is_none_either(project: RepoBuilder) -> None:
    project.switch("stable")
    inner = [fix(project, "one"), fix(project, "two")]
    project.switch("main")
    merge = project.merge("stable", message="Merge pull request #5 from ada/sync\n\nMerge Stable into Main")
    found = {unit.commit: unit for unit in _of(project)}
    assert found[merge].kind == "bundle"
    assert {found[oid].kind for oid in inner} == {"commit"}


def test_criss_cross_merges_are_sorted_out(project: RepoBuilder) -> None:
    project.switch("left")
    left = fix(project, "left")
    project.switch("right", at=project.tip("main"))
    right = project.commit({"other.py": "x = 1\n"}, "Other")
    project.switch("left")
    project.merge(right, message="Merge branch 'right' into left")
    project.switch("right")
    project.merge(left, message="Merge branch 'left' into right")
    project.switch("main")
    project.merge("left", message="Merge pull request #1 from ada/left")
    project.merge("right", message="Merge pull request #2 from ada/right")
    counted = [oid for unit in _of(project) for oid in (unit.commit, *unit.inside)]
    assert len(counted) == len(set(counted)) == 7
