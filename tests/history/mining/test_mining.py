"""What becomes of each change of a real history, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.mining import MINED_FROM
from change2task.api.modernbase import Revision, Scope
from change2task.api.taskcandidate import Family
from change2task.history.mining.leaving import Left
from change2task.history.mining.survey import Span
from change2task.pipeline.mining import head_of
from change2task.vcs.errors import EmptyRepository, VcsError
from change2task.vcs.repository import Repository
from tests.history.mining.conftest import SOURCE, TESTS, Mine, day, fix
from tests.support.repos import Moved, RepoBuilder, Submodule, git

MORE_TESTS = TESTS + "\n\ndef test_g():\n    pass\n"
NEW_SOURCE = SOURCE + "\nX = 1\n"


def test_a_change_of_source_and_tests_becomes_a_candidate(project: RepoBuilder, mined: Mine) -> None:
    oid = fix(project, "thing")
    found = mined()
    (candidate,) = found.candidates
    assert candidate.metadata.name == f"project-{oid[:12]}"
    assert candidate.metadata.labels == {MINED_FROM: "project"}
    assert (candidate.spec.change.commit, candidate.spec.family) == (oid, Family.AUTO)
    assert found.chosen.taken[0].family is Family.BUG_FIX


def test_a_request_is_named_by_its_number_where_that_leads_to_its_commit(project: RepoBuilder, mined: Mine) -> None:
    fix(project, "one", "Handle the one properly (#8)")
    twice = [
        fix(project, "two", "Handle the two properly (#9)"),
        fix(project, "three", "Handle the three properly (#9)"),
    ]
    changes = [candidate.spec.change for candidate in mined().candidates]
    assert {change.pull_request for change in changes} == {8, None}
    assert {change.commit for change in changes} == {None, *twice}


@pytest.mark.parametrize(
    ("files", "message", "left"),
    [
        ({"README.md": "more\n"}, "Say more", Left.DOCS_ONLY),
        ({"tests/test_core.py": TESTS + "# x\n"}, "Test more", Left.TESTS_ONLY),
        ({"setup.cfg": "[metadata]\n"}, "Package it", Left.METADATA_ONLY),
        ({"pkg/core.py": NEW_SOURCE}, "Add a constant", Left.NO_TESTS),
        ({"pkg/core.py": SOURCE + "A = 1\n" * 1001, "tests/test_core.py": TESTS + "# x\n"}, "Rewrite", Left.TOO_LARGE),
        ({"pkg/data.json": b"\0\1", "tests/test_core.py": TESTS + "# x\n"}, "Add data", Left.BINARY_ONLY),
        ({"vendored": Submodule("1" * 40)}, "Move the submodule", Left.SUBMODULE_ONLY),
        ({}, "Nothing", Left.EMPTY),
        ({"pkg/core.pyi": "x: int\n", "tests/test_core.py": MORE_TESTS}, "Type it well", Left.TYPES_ONLY),
        ({"pkg/core.py": NEW_SOURCE, "tests/test_core.py": MORE_TESTS}, "Merge from develop (#9)", Left.BRANCH_MERGE),
        ({"pkg/__init__.py": '__version__ = "2.0"\n'}, "Bump version to 2.0", Left.VERSION_BUMP),
        ({"pkg/core.py": SOURCE + "\n# why\n", "tests/test_core.py": MORE_TESTS}, "Explain it", Left.COMMENTS_ONLY),
        ({"pkg/core.py": NEW_SOURCE, "tests/test_core.py": TESTS + "# x\n"}, "Handle it well", Left.NO_TARGET),
        ({"pkg/core.py": NEW_SOURCE, "tests/test_core.py": MORE_TESTS}, "fix", Left.UNTOLD),
    ],
)  # fmt: skip
def test_what_cannot_be_a_task_has_its_reason(
    project: RepoBuilder, mined: Mine, files: dict[str, object], message: str, left: Left
) -> None:
    oid = project.commit(files, message)  # type: ignore[arg-type]
    found = mined()
    assert found.fates[oid] is left
    assert not found.candidates


def test_programs_do_not_make_tasks(project: RepoBuilder, mined: Mine) -> None:
    oid = fix(project, "thing", author="dependabot[bot]")
    assert mined().fates[oid] is Left.BOT


def test_a_revert_and_what_it_takes_back_are_both_left_out(project: RepoBuilder, mined: Mine) -> None:
    oid = fix(project, "thing")
    revert = project.revert(oid)
    fates = mined().fates
    assert (fates[oid], fates[revert]) == (Left.REVERTED, Left.REVERT)


def test_a_partial_revert_takes_nothing_back(project: RepoBuilder, mined: Mine) -> None:
    oid = fix(project, "thing")
    later = project.commit({"README.md": "no\n"}, f"Undo a part\n\nThis reverts commit {oid}.")
    fates = mined().fates
    assert (fates[oid], fates[later]) == (None, Left.DOCS_ONLY)


def test_a_change_that_was_brought_back_counts(project: RepoBuilder, mined: Mine) -> None:
    oid = fix(project, "thing")
    revert = project.revert(oid)
    project.revert(revert)
    assert mined().fates[oid] is None


def test_a_file_that_moved_is_found_and_one_that_went_is_no_host(project: RepoBuilder, mined: Mine) -> None:
    moved = fix(project, "thing")
    gone = project.commit({"pkg/old.py": SOURCE, "tests/test_old.py": TESTS}, "Handle the old properly")
    project.commit({"pkg/old.py": None}, "Drop it")
    project.commit({"lib/core.py": Moved("pkg/core.py")}, "Move it")
    fates = mined().fates
    assert (fates[moved], fates[gone]) == (None, Left.NO_HOST)


def test_the_span_cuts_both_ends_and_counts_what_it_cuts(project: RepoBuilder, mined: Mine) -> None:
    one, two, three = fix(project, "one"), fix(project, "two"), fix(project, "three")
    fates = mined(span=Span(day(3), day(3))).fates
    assert [fates[oid] for oid in (one, two, three)] == [Left.BEFORE_SINCE, None, Left.AFTER_UNTIL]


def test_protected_source_is_none(project: RepoBuilder, mined: Mine) -> None:
    oid = fix(project, "thing")
    assert mined(scope=Scope(protected=("pkg/**",))).fates[oid] is Left.TESTS_ONLY


def test_the_limit_keeps_those_that_promise_most(project: RepoBuilder, mined: Mine) -> None:
    large = project.commit(
        {"pkg/core.py": SOURCE + "A = 1\n" * 300, "tests/test_core.py": MORE_TESTS},
        "Handle everything properly",
    )
    small = fix(project, "thing")
    found = mined(limit=1)
    assert [candidate.spec.change.commit for candidate in found.candidates] == [small]
    assert found.fates[large] is Left.BEYOND_LIMIT


def test_a_family_is_asked_for_and_then_said(project: RepoBuilder, mined: Mine) -> None:
    bug, feature = fix(project, "one", "Fix a crash in one"), fix(project, "two", "Add support for two")
    found = mined(families=frozenset({Family.FEATURE_ADDITION}))
    assert [(c.spec.change.commit, c.spec.family) for c in found.candidates] == [(feature, Family.FEATURE_ADDITION)]
    assert found.fates[bug] is Left.OTHER_FAMILY


def test_test_generation_is_only_ever_asked_for(project: RepoBuilder, mined: Mine) -> None:
    fix(project, "one", "Fix a crash in one")
    (candidate,) = mined(families=frozenset({Family.TEST_GENERATION})).candidates
    assert candidate.spec.family is Family.TEST_GENERATION


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another(project: RepoBuilder, mined: Mine) -> None:
    for number in range(12):
        fix(project, f"thing{number}")

    def drawn(seed: int) -> set[str]:
        return {candidate.metadata.name for candidate in mined(sample=4, seed=seed).candidates}

    assert drawn(1) == drawn(1)
    assert len(drawn(1)) == 4
    assert len({frozenset(drawn(seed)) for seed in range(4)}) > 1


def test_the_same_history_gives_the_same_candidates(project: RepoBuilder, mined: Mine) -> None:
    for number in range(5):
        fix(project, f"thing{number}")
    assert mined().candidates == mined().candidates


@pytest.mark.parametrize(
    "message", [b"Handle \xff\xfe properly", b"Handle it properly\n\n" + b"x" * 1_000_000, b"", b"\n\n\n"]
)
def test_strange_messages_stop_nothing(project: RepoBuilder, mined: Mine, message: bytes) -> None:
    oid = project.commit({"pkg/core.py": NEW_SOURCE, "tests/test_core.py": MORE_TESTS}, message)
    assert oid in mined().fates


def test_a_nul_in_a_message_stops_nothing(project: RepoBuilder, mined: Mine) -> None:
    head, tree = project.tip(), project.tree()
    person = "Ada <ada@example.org> 1700000000 +0000"
    raw = f"tree {tree}\nparent {head}\nauthor {person}\ncommitter {person}\n\nFix\0it\n".encode()
    oid = project.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw).decode().strip()
    project.git("update-ref", "refs/heads/main", oid)
    assert mined().fates[oid] is Left.EMPTY


def test_where_a_shallow_history_ends_nothing_is_guessed(project: RepoBuilder, mined: Mine, tmp_path: Path) -> None:
    cut, kept = fix(project, "one"), fix(project, "two")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--bare", "--depth=2", project.url, str(shallow))
    project.path = shallow
    fates = mined().fates
    assert fates == {kept: None, cut: Left.CUT_OFF}


def test_a_blob_that_is_missing_costs_its_own_changes_only(project: RepoBuilder, mined: Mine) -> None:
    lost = fix(project, "one")
    blob = project.git("rev-parse", f"{lost}:pkg/core.py").decode().strip()
    later, last = fix(project, "two"), fix(project, "three")
    project.git("repack", "-adq")
    pack = next((project.path / ".git/objects/pack").glob("*.pack"))
    data = project.path.parent / "moved.pack"
    pack.rename(data)
    for left_over in (project.path / ".git/objects/pack").iterdir():
        left_over.unlink()
    project.git("unpack-objects", "-q", stdin=data.read_bytes())
    (project.path / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    fates = mined().fates
    assert (fates[lost], fates[later], fates[last]) == (Left.DAMAGED, Left.DAMAGED, None)


def test_an_empty_repository_is_said_to_be_one(tmp_path: Path) -> None:
    empty = RepoBuilder(tmp_path / "empty")
    with Repository.open(empty.path) as repository, pytest.raises(EmptyRepository):
        head_of(repository, Revision())


def test_a_revision_that_is_gone_is_told_and_the_next_one_taken(project: RepoBuilder) -> None:
    with Repository.open(project.path) as repository:
        head, told = head_of(repository, Revision(healthy="1" * 40))
        assert (head, told[0]) == (project.tip(), f"{'1' * 40} names no commit of the repository")
        with pytest.raises(VcsError, match="names no commit"):
            head_of(repository, Revision(healthy="1" * 40, strict=True))
