"""What is known of a change on a base, from real histories."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from change2task.api.modernbase import Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, Intent
from change2task.history.evidence import GatheredEvidence, gather_evidence
from change2task.history.forge import ForgeRecord
from change2task.history.models import ChangeUnusable, Role
from change2task.history.references import resolve_change
from change2task.vcs.repository import Repository
from tests.history.conftest import LINES
from tests.support.repos import Executable, Moved, RepoBuilder, Submodule, Symlink

CORE = "def f(x):\n    return x\n\n\ndef g(x):\n    return -x\n"
TESTS = "from pkg.core import f\n\n\ndef test_f():\n    assert f(1) == 1\n"

Gather = Callable[..., GatheredEvidence]


@pytest.fixture
def gather(project: RepoBuilder, opened: Repository) -> Gather:
    """The evidence of a commit on the tip of main."""

    def run(
        commit: str, *, scope: Scope | None = None, intent: Intent | None = None, forge: ForgeRecord | None = None
    ) -> GatheredEvidence:
        head = project.tip("main")
        change = resolve_change(opened, Change(commit=commit), head)
        return gather_evidence(opened, change, head, scope or Scope(), intent, forge)

    return run


@pytest.fixture
def refused(gather: Gather) -> Callable[..., ChangeUnusable]:
    def run(commit: str, scope: Scope | None = None) -> ChangeUnusable:
        with pytest.raises(ChangeUnusable) as caught:
            gather(commit, scope=scope)
        return caught.value

    return run


def fix(project: RepoBuilder) -> str:
    """A fix with a test, a change log entry and a lock file."""
    return project.commit(
        {
            "pkg/core.py": CORE.replace("return x", "return abs(x)"),
            "tests/test_core.py": TESTS + "\n\ndef test_negative():\n    assert f(-1) == 1\n",
            "CHANGES.md": "# Changes\n\n### Fixed\n\n- Negative numbers, see CVE-2024-12345.\n",
            "uv.lock": "x = 1\n",
        },
        "Fix the sign of `f` (#4)\n\nIt was wrong.",
    )


def test_everything_of_a_plain_fix_is_known(project: RepoBuilder, gather: Gather) -> None:
    gathered = gather(fix(project))
    evidence = gathered.evidence
    roles = {f.path: f.role for f in evidence.files}
    assert roles == {
        "CHANGES.md": Role.DOCS,
        "pkg/core.py": Role.SOURCE,
        "tests/test_core.py": Role.TESTS,
        "uv.lock": Role.GENERATED,
    }
    assert evidence.statement.title == "Fix the sign of `f`"
    assert evidence.statement.body == "It was wrong."
    assert evidence.symbols == ("pkg/core.py::f",)
    [tests] = evidence.touched_tests
    assert (tests.added, tests.altered, tests.untouched) == (("test_negative",), (), 1)
    profile = evidence.profile
    assert (profile.files, profile.hunks, profile.lines, profile.symbols) == (1, 1, 2, 1)
    assert (profile.target_checks, profile.regression_checks) == (1, 1)
    assert evidence.signals.news_kinds == ("bugfix",)
    assert evidence.advisories == ("CVE-2024-12345",)
    followed = ("CHANGES.md", "pkg/core.py", "tests/test_core.py")
    assert evidence.modern_paths == dict(zip(followed, followed, strict=True))


def test_a_program_among_the_authors_does_not_speak_for_a_change(project: RepoBuilder, gather: Gather) -> None:
    project.switch("topic")
    project.commit({"pkg/core.py": "def f(x):\n    return  -x\n"}, "Apply fix")
    project.commit({"pkg/core.py": "def f(x):\n    return -x\n"}, "[lint.ci] hooks tidied this up", author="lint[bot]")
    project.commit({"CHANGES.md": "# Changes\n\n- The sign is kept.\n"}, "News fragment")
    project.switch("main")
    merge = project.merge("topic", message="Merge branch 'topic'")
    statement = gather(merge).evidence.statement
    assert statement.provenance == "summary"
    assert statement.body.startswith("The sign is kept.")
    assert "tidied" not in statement.title + statement.body


def test_the_source_patch_holds_source_alone_and_has_the_digest_of_the_evidence(
    project: RepoBuilder, gather: Gather
) -> None:
    gathered = gather(fix(project))
    assert hashlib.sha256(gathered.source_patch).hexdigest() == gathered.evidence.patch_digest
    assert b"pkg/core.py" in gathered.source_patch
    assert b"tests/" not in gathered.source_patch
    assert b"CHANGES" not in gathered.source_patch


def test_evidence_survives_its_wire_form(project: RepoBuilder, gather: Gather) -> None:
    evidence = gather(fix(project)).evidence
    assert type(evidence).model_validate(evidence.document()) == evidence


def test_intent_and_forge_give_their_words(project: RepoBuilder, gather: Gather) -> None:
    commit = fix(project)
    assert gather(commit, intent=Intent(title="Mine")).evidence.statement.provenance == "intent"
    record = ForgeRecord(number=4, title="Sign of f is wrong", labels=("bug",))
    evidence = gather(commit, forge=record).evidence
    assert evidence.statement.title == "Sign of f is wrong"
    assert evidence.signals.labels == ("bug",)


def test_an_altered_test_is_a_target_and_a_moved_one_is_not(project: RepoBuilder, gather: Gather) -> None:
    commit = project.commit(
        {
            "pkg/core.py": CORE.replace("return x", "return 2 * x"),
            "tests/test_core.py": None,
            "tests/unit/test_core.py": TESTS.replace("== 1", "== 2"),
        },
        "Double it",
    )
    [tests] = gather(commit).evidence.touched_tests
    assert (tests.path, tests.old_path) == ("tests/unit/test_core.py", "tests/test_core.py")
    assert (tests.added, tests.altered, tests.removed) == ((), ("test_f",), ())


def test_source_is_followed_to_the_base_rename_by_rename(project: RepoBuilder, gather: Gather) -> None:
    commit = project.commit({"pkg/text.py": LINES.replace("line 3\n", "line three\n")}, "Say it in words")
    project.commit({"pkg/words.py": Moved("pkg/text.py")}, "Rename")
    edited = LINES.replace("line 3\n", "line three\n").replace("line 20\n", "line 20!\n")
    project.commit({"pkg/words.py": edited}, "Edit")
    project.commit({"src/pkg/words.py": Moved("pkg/words.py")}, "Move to src")
    assert gather(commit).evidence.modern_paths == {"pkg/text.py": "src/pkg/words.py"}


def test_a_change_whose_files_are_gone_has_no_modern_host(
    project: RepoBuilder, refused: Callable[..., ChangeUnusable]
) -> None:
    commit = project.commit({"pkg/text.py": LINES + "more\n"}, "More text")
    project.commit({"pkg/text.py": None}, "Remove it")
    refusal = refused(commit)
    assert refusal.reason is Reason.NO_MODERN_HOST
    assert "pkg/text.py" in refusal.message


def test_a_file_that_the_change_deleted_can_come_back_where_its_path_is_free(
    project: RepoBuilder, gather: Gather
) -> None:
    commit = project.commit({"pkg/text.py": None}, "Remove the text")
    project.commit({"other.py": "#\n"}, "Later")
    assert gather(commit).evidence.modern_paths == {"pkg/text.py": "pkg/text.py"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"README.md": "Hello\n"}, "only docs"),
        ({"tests/test_core.py": TESTS + "# more\n"}, "only tests"),
        ({"setup.cfg": "[x]\n"}, "only metadata"),
        ({"README.md": "Hello\n", "tests/test_new.py": "def test(): pass\n"}, "tests"),
        ({"pkg/core.py": Executable(CORE.encode())}, "modes"),
        ({"pkg/sub": Submodule("a" * 40)}, "metadata"),
    ],
)
def test_a_change_without_source_is_refused_and_says_what_it_touches(
    project: RepoBuilder, refused: Callable[..., ChangeUnusable], files: dict[str, str], words: str
) -> None:
    refusal = refused(project.commit(files, "A change"))
    assert refusal.reason is Reason.NO_SOURCE_CHANGE
    assert words in refusal.message


def test_a_change_of_protected_source_alone_is_refused(
    project: RepoBuilder, refused: Callable[..., ChangeUnusable]
) -> None:
    refusal = refused(fix(project), Scope(protected=("pkg/core.py",)))
    assert refusal.reason is Reason.NO_SOURCE_CHANGE
    assert "spec.scope.protected" in refusal.message


def test_a_change_of_nothing_is_empty(project: RepoBuilder, refused: Callable[..., ChangeUnusable]) -> None:
    assert refused(project.commit({}, "Nothing")).reason is Reason.EMPTY_CHANGE


def test_a_change_of_binary_source_alone_is_refused(
    project: RepoBuilder, refused: Callable[..., ChangeUnusable]
) -> None:
    project.commit({"pkg/data.json": b"\0one"}, "Data")
    assert refused(project.commit({"pkg/data.json": b"\0two"}, "New data")).reason is Reason.BINARY_ONLY


def test_bytes_of_every_kind_are_carried_as_they_are(project: RepoBuilder, gather: Gather) -> None:
    odd: dict[str | bytes, object] = {
        "pkg/crlf.py": b"a = 1\r\nb = 2\r\n",
        "pkg/no newline.py": b"a = 1",
        b"pkg/latin-\xe9.py": b"# \xe9\na = 1\n",
        "pkg/caf\u00e9.py": "a = 1\n",
        "pkg/link.py": Symlink(b"core.py"),
        "pkg/run.sh": Executable(b"#!/bin/sh\n"),
    }
    gathered = gather(project.commit(odd, "Odd bytes everywhere"))  # type: ignore[arg-type]
    by_path = {f.path: f for f in gathered.evidence.files}
    assert set(by_path) == {
        "pkg/crlf.py",
        "pkg/no newline.py",
        '"pkg/latin-\\351.py"',
        "pkg/caf\u00e9.py",
        "pkg/link.py",
        "pkg/run.sh",
    }
    assert by_path["pkg/link.py"].symlink
    assert gathered.evidence.profile.files == 6
    assert b"+a = 1\r\n" in gathered.source_patch
    assert b"# \xe9" in gathered.source_patch


def test_go_and_rust_tests_are_found_beside_and_inside_the_source(project: RepoBuilder, gather: Gather) -> None:
    project.commit({"mux.go": "package m\n\nfunc F() int { return 1 }\n", "src/lib.rs": "pub fn f() {}\n"}, "Begin")
    commit = project.commit(
        {
            "mux.go": "package m\n\nfunc F() int { return 2 }\n",
            "mux_test.go": 'package m\n\nimport "testing"\n\nfunc TestF(t *testing.T) {}\n',
            "src/lib.rs": "pub fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {}\n}\n",
        },
        "Return two",
    )
    found = {t.path: t.added for t in gather(commit).evidence.touched_tests}
    assert found == {"mux_test.go": ("TestF",), "src/lib.rs": ("tests::works",)}


def test_a_summary_never_names_what_the_change_brought(project: RepoBuilder, gather: Gather) -> None:
    commit = project.commit(
        {"pkg/core.py": CORE.replace("return x", "return h(x)") + "\n\ndef h(x):\n    return x\n"}, "wip"
    )
    statement = gather(commit).evidence.statement
    assert statement.provenance == "summary"
    assert "`f`" in statement.title
    assert "`h`" not in statement.title + statement.body


def test_a_summary_names_no_function_of_which_only_the_documentation_changed(
    project: RepoBuilder, gather: Gather
) -> None:
    told = 'def told(x):\n    """%s"""\n    return x\n\n\n'
    project.commit({"pkg/core.py": told % "Old words." + "def made(x):\n    return x\n"})
    commit = project.commit(
        {
            "pkg/core.py": told % "New words, at length." + "def made(x):\n    return abs(x)\n",
            "tests/test_core.py": TESTS + "\n\ndef test_made():\n    assert made(-1) == 1\n",
        },
        message="fix",
    )

    statement = gather(commit).evidence.statement

    assert "`made`" in f"{statement.title} {statement.body}"
    assert "`told`" not in f"{statement.title} {statement.body}"


def test_the_words_of_a_merge_are_those_of_its_request(project: RepoBuilder, gather: Gather) -> None:
    project.switch("topic")
    project.commit({"pkg/core.py": CORE.replace("return x", "return +x")}, "wip")
    project.switch("main")
    project.commit({"other.py": "#\n"}, "Meanwhile")
    merge = project.merge("topic", message="Merge pull request #7 from ada/topic\n\nKeep the sign of `f`")
    assert gather(merge).evidence.statement.title == "Keep the sign of `f`"


def test_a_security_fork_is_recognised(project: RepoBuilder, gather: Gather) -> None:
    commit = project.commit({"pkg/core.py": CORE + "x = 1\n"}, "Merge commit from fork")
    assert gather(commit).evidence.signals.merged_from_private_fork


def test_missing_content_is_an_incomplete_history(
    project: RepoBuilder, refused: Callable[..., ChangeUnusable], tmp_path: Path
) -> None:
    commit = fix(project)
    blob = project.git("rev-parse", f"{commit}:pkg/core.py").decode().strip()
    (project.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    refusal = refused(commit)
    assert refusal.reason is Reason.HISTORY_INCOMPLETE
    assert blob in refusal.message
