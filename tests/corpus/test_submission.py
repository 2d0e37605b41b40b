"""What of an agent's patch counts, for honest patches and for hostile ones."""

from __future__ import annotations

import pytest

from change2task.corpus import submission as rules
from change2task.corpus.submission import PatchUnusable, unhidden
from tests.corpus.conftest import AGENT, HEALTHY, Task
from tests.support.repos import Content, Executable, Moved, Submodule, Symlink

REPAIR: dict[str, Content] = {"src/pkg/core.py": HEALTHY["src/pkg/core.py"]}


def test_an_empty_patch_is_the_agents_tree(task: Task):
    submitted = task.submitted(b"")
    assert (submitted.tree, submitted.counted, submitted.put_back) == (task.agent_tree, (), ())


def test_sources_count(task: Task):
    files = {**REPAIR, "src/pkg/new.py": "N = 1\n", "src/pkg/more/a.py": None, "src/pkg/notes.md": "Notes\n"}
    submitted = task.submitted(files)
    assert submitted.put_back == ()
    assert submitted.counted == ("src/pkg/core.py", "src/pkg/more/a.py", "src/pkg/new.py", "src/pkg/notes.md")
    assert task.text(submitted.tree, "src/pkg/core.py") == b"def one():\n    return 1\n"
    assert task.text(submitted.tree, "src/pkg/more/a.py") is None


HOSTILE: dict[str, tuple[dict[str, Content], str]] = {
    "a conftest at the root": ({"conftest.py": "x"}, "belongs to the tests"),
    "a conftest among the sources": ({"src/pkg/conftest.py": "x"}, "belongs to the tests"),
    "a conftest beside the sources": ({"src/conftest.py": "x"}, "belongs to the tests"),
    "pytest.ini": ({"pytest.ini": "x"}, "interpreters or runners load it"),
    "pytest.toml among the sources": ({"src/pkg/pytest.toml": "x"}, "interpreters or runners load it"),
    "tox.ini": ({"tox.ini": "x"}, "interpreters or runners load it"),
    "setup.cfg": ({"src/setup.cfg": "x"}, "interpreters or runners load it"),
    "an edited pyproject.toml": ({"pyproject.toml": "x"}, "interpreters or runners load it"),
    "a setup.py": ({"setup.py": "x"}, "configures builds or tools"),
    "sitecustomize": ({"src/sitecustomize.py": "x"}, "interpreters or runners load it"),
    "usercustomize": ({"usercustomize.py": "x"}, "interpreters or runners load it"),
    "sitecustomize as a package": ({"src/sitecustomize/__init__.py": "x"}, "interpreters or runners load it"),
    "a path file": ({"src/evil.pth": "import evil"}, "interpreters or runners load it"),
    "an installed plug-in": (
        {"src/evil.egg-info/entry_points.txt": "[pytest11]\nevil = pkg.core\n"},
        "interpreters or runners load it",
    ),
    "another installed plug-in": ({"src/evil-1.dist-info/METADATA": "x"}, "interpreters or runners load it"),
    "byte-code": ({"src/pkg/__pycache__/core.cpython-311.pyc": b"\0"}, "interpreters or runners load it"),
    "a compiled module": ({"src/pkg/core.so": b"\x7fELF"}, "configures builds or tools"),
    "a test dependency at the root": ({"pytest.py": "x"}, "outside of what may be changed"),
    "a test dependency beside the sources": ({"src/pytest/__init__.py": "x"}, "take the place of the module pytest"),
    "the standard library": ({"src/random.py": "x"}, "take the place of the module random"),
    "an edited test": ({"tests/test_core.py": "def test_old():\n    pass\n"}, "belongs to the tests"),
    "a deleted test": ({"tests/test_core.py": None}, "belongs to the tests"),
    "edited test data": ({"tests/data/x.json": "[]"}, "belongs to the tests"),
    "a new test with hidden names": ({"src/pkg/test_more.py": "def test_hidden(): pass\n"}, "belongs to the tests"),
    "an executable test": (
        {"tests/test_core.py": Executable(str(AGENT["tests/test_core.py"]).encode())},
        "belongs to the tests",
    ),
    "a lock file": ({"uv.lock": "x"}, "tools write it"),
    "a workflow": ({".github/workflows/ci.yml": "x"}, "configures builds or tools"),
    "a document outside": ({"README.md": "x"}, "outside of what may be changed"),
    "a link to the plan": ({"src/pkg/plan.py": Symlink(b"/c2t/plan/ids")}, "the link leads out of the tree"),
    "a link above the root": ({"src/pkg/up.py": Symlink(b"../../../../etc/passwd")}, "the link leads out of the tree"),
    "a link in the place of a source": ({"src/pkg/core.py": Symlink(b"/etc/passwd")}, "the link leads out of the tree"),
    "a submodule": ({"src/pkg/sub": Submodule("4" * 40)}, "a submodule cannot be part"),
    "a submodule in the place of a source": ({"src/pkg/core.py": Submodule("4" * 40)}, "a submodule cannot be part"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_would_decide_over_the_checks_is_put_back_and_the_repair_beside_it_counts(task: Task, case: str):
    files, why = HOSTILE[case]
    [path] = files
    submitted = task.submitted({**REPAIR, "src/pkg/more/b.py": "B = 2\n", **files})
    assert submitted.put_back == (path,)
    assert why in submitted.why[path]
    assert "src/pkg/more/b.py" in submitted.counted
    assert task.repository.entry(submitted.tree, path.encode()) == task.repository.entry(task.agent_tree, path.encode())


def test_a_renamed_test_stays_where_it_was(task: Task):
    submitted = task.submitted({"tests/test_other.py": Moved("tests/test_core.py")})
    assert submitted.put_back == ("tests/test_core.py", "tests/test_other.py")
    assert submitted.tree == task.agent_tree


def test_a_source_moved_into_the_tests_is_gone(task: Task):
    submitted = task.submitted({"tests/core.py": Moved("src/pkg/core.py")})
    assert (submitted.counted, submitted.put_back) == (("src/pkg/core.py",), ("tests/core.py",))
    assert task.text(submitted.tree, "src/pkg/core.py") is None


def test_tests_replaced_by_a_link_stay(task: Task):
    files = dict.fromkeys(("tests/test_core.py", "tests/data/x.json"))
    submitted = task.submitted({**files, "tests": Symlink(b"src/pkg")})
    assert submitted.tree == task.agent_tree
    assert "tests" in submitted.put_back


def test_a_file_in_the_place_of_a_folder_that_was_put_back_does_not_count(task: Task):
    task.repo.switch("agent")
    task.repo.commit({"src/pkg/sub.py/conftest.py": "x", "src/pkg/sub.py/a.py": "x"})
    trees = task.variant.spec.trees.replacing(agent=task.repo.tree("agent"))
    task.variant = task.variant.replacing(spec=task.variant.spec.replacing(trees=trees))
    gone = dict.fromkeys(("src/pkg/sub.py/conftest.py", "src/pkg/sub.py/a.py"))
    submitted = task.submitted({**gone, "src/pkg/sub.py": "a file\n"})
    assert submitted.put_back == ("src/pkg/sub.py", "src/pkg/sub.py/conftest.py")
    assert submitted.why["src/pkg/sub.py"] == "its place is taken by files that were put back"
    assert submitted.counted == ("src/pkg/sub.py/a.py",)


TAKEN = "src/pkg/words.md/de.txt"
IN_ITS_PLACE: dict[str, tuple[dict[str, Content], str]] = {
    "a file below it": ({f"{TAKEN}/x.md": "x\n"}, f"{TAKEN}/x.md"),
    "a file far below it": ({f"{TAKEN}/x/y/z.py": "x\n"}, f"{TAKEN}/x/y/z.py"),
    "a link below it": ({f"{TAKEN}/x.md": Symlink(b"../../core.py")}, f"{TAKEN}/x.md"),
    "a file in place of its folder": ({"src/pkg/words.md": "x\n"}, "src/pkg/words.md"),
    "a link in place of its folder": ({"src/pkg/words.md": Symlink(b"more")}, "src/pkg/words.md"),
}


@pytest.mark.parametrize("case", IN_ITS_PLACE)
@pytest.mark.parametrize("kind", ["trace", "hidden"])
def test_what_was_taken_out_of_the_agents_tree_wins_over_what_lies_in_its_way(task: Task, case: str, kind: str):
    files, path = IN_ITS_PLACE[case]
    task.taken_out(TAKEN, "Guten Tag\n", hidden=kind == "hidden")
    submitted = task.submitted({**REPAIR, **files})
    assert (submitted.counted, submitted.put_back) == (("src/pkg/core.py",), (path,))
    assert submitted.why[path] == "its place is taken by files that were put back"
    full = unhidden(task.repository, task.variant, submitted, rules.taken_out(task.variant))
    assert task.text(full, TAKEN) == b"Guten Tag\n"
    assert task.text(full, path) is None


@pytest.mark.parametrize("own", ["Hallo\n", Symlink(b"../core.py"), Executable(b"Hallo\n")])
def test_an_answers_own_file_where_one_was_taken_out_counts_and_checks_run_with_the_tasks(task: Task, own: Content):
    task.taken_out(TAKEN, "Guten Tag\n", hidden=False)
    submitted = task.submitted({TAKEN: own})
    assert (submitted.counted, submitted.put_back) == ((TAKEN,), ())
    full = unhidden(task.repository, task.variant, submitted, rules.taken_out(task.variant))
    assert task.repository.entry(full, TAKEN.encode()) == task.repository.entry(
        task.variant.spec.trees.task, TAKEN.encode()
    )


@pytest.mark.parametrize("path", ["tests/fresh.py/test_x.py", "tests"])
def test_tests_cannot_lie_in_the_way_of_what_the_restoration_brings(task: Task, path: str):
    task.repo.switch("healthy")
    task.repo.commit({"tests/fresh.py": "F = 1\n"})
    trees = task.tests.spec.trees.replacing(healthy=task.repo.tree("healthy"))
    task.tests = task.tests.replacing(spec=task.tests.spec.replacing(trees=trees))
    gone = dict.fromkeys(("tests/test_core.py", "tests/data/x.json")) if path == "tests" else {}
    submitted = task.submitted({**gone, path: "def test_x(): pass\n"}, tests=True)
    assert path in submitted.put_back
    assert path not in submitted.counted


def test_links_inside_the_tree_and_modes_count(task: Task):
    files = {"src/pkg/link.py": Symlink(b"more/../core.py"), "src/pkg/more/a.py": Executable(b"A = 1\n")}
    assert task.submitted(files).put_back == ()


def test_whatever_the_restoration_touches_counts(task: Task):
    task.repo.switch("healthy")
    task.repo.commit({"src/pkg/random.py": "R = 1\n", "src/random.py": "R = 1\n", "src/sitecustomize.py": "S = 1\n"})
    trees = task.variant.spec.trees.replacing(healthy=task.repo.tree("healthy"))
    task.variant = task.variant.replacing(spec=task.variant.spec.replacing(trees=trees))
    submitted = task.submitted(task.patch({**REPAIR, "src/random.py": "R = 1\n", "src/sitecustomize.py": "S = 1\n"}))
    assert submitted.put_back == ()


class TestFilesOfChecks:
    """Files that hold the task's checks under names that roles take for sources."""

    CHECK = "from pkg.core import one\n\n\ndef test_one():\n    assert one()\n"
    DOCUMENTED = 'def two():\n    """Two.\n\n    >>> two()\n    2\n    """\n    return 2\n'

    @pytest.fixture
    def task(self, task: Task) -> Task:
        task.with_files({"src/checks/check_one.py": self.CHECK, "src/pkg/two.py": self.DOCUMENTED})
        task.checks += ["src/checks/check_one.py::test_one", "src/pkg/two.py::pkg.two.two"]
        return task

    @pytest.mark.parametrize(
        ("files", "why"),
        [
            ({"src/checks/check_one.py": "def test_one():\n    pass\n"}, "checks are written in it"),
            ({"src/checks/check_one.py": None}, "checks are written in it"),
            ({"src/checks/check_one.py": Executable(b"")}, "checks are written in it"),
            ({"src/checks/check_one/__init__.py": "x"}, "would take the place of src/checks/check_one.py"),
            ({"src/checks/__init__.py": "x"}, "would change the name under which checks are loaded"),
            ({"src/__init__.py": "x"}, "would change the name under which checks are loaded"),
        ],
    )
    def test_they_are_the_tasks_own(self, task: Task, files: dict[str, Content], why: str):
        submitted = task.submitted({**REPAIR, **files})
        [path] = files
        assert (submitted.counted, submitted.put_back) == (("src/pkg/core.py",), (path,))
        assert why in submitted.why[path]

    def test_a_moved_one_stays_where_it_was(self, task: Task):
        submitted = task.submitted({"src/checks/other.py": Moved("src/checks/check_one.py")})
        assert submitted.put_back == ("src/checks/check_one.py",)

    def test_what_lies_beside_them_counts(self, task: Task):
        files: dict[str, Content] = {
            "src/checks/more.py": "M = 1\n",
            "src/new/__init__.py": "",
            "src/pkg/x/__init__.py": "",
        }
        assert task.submitted(files).put_back == ()

    def test_a_source_whose_documentation_is_a_check_is_a_source(self, task: Task):
        files: dict[str, Content] = {"src/pkg/two.py": self.DOCUMENTED.replace("return 2", "return 1 + 1")}
        assert task.submitted(files).counted == ("src/pkg/two.py",)

    def test_checks_of_other_tasks_lock_nothing(self, task: Task):
        task.checks = [check for check in task.checks if "check_one" not in check]
        assert task.submitted({"src/checks/check_one.py": "x = 1\n"}).put_back == ()

    def test_a_file_in_which_the_restoration_repairs_something_counts(self, task: Task):
        task.checks.append("src/pkg/core.py::test_inside")
        assert task.submitted(REPAIR).put_back == ()


class TestPatches:
    """Patches as bytes."""

    @pytest.mark.parametrize(
        "path",
        ["../outside.py", "/etc/passwd", ".git/config", "src/.git/hooks/x", ".GIT/config", "src/../../x", "a//b"],
    )
    def test_paths_out_of_the_tree_or_into_gits_data_are_refused(self, task: Task, path: str):
        patch = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        with pytest.raises(PatchUnusable):
            task.submitted(patch.encode())

    @pytest.mark.parametrize(
        ("path", "why"),
        [("../x", "'..' is no name of a file"), (".git/config", "it reaches git's own data")],
    )
    def test_such_a_path_is_refused_by_us_with_its_line(self, task: Task, path: str, why: str):
        first = "a mail\n\n--- /dev/null\n+++ b/src/pkg/fine.py\n@@ -0,0 +1,2 @@\n+x\n+y\n"
        moved = f"diff --git a/{path} b/src/x\nsimilarity index 100%\nrename from {path}\nrename to src/x\n"
        new = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        for patch in (moved, new):
            with pytest.raises(PatchUnusable) as refused:
                task.submitted((first + patch).encode())
            assert f"line 8 of the patch: {path} is no path inside the tree: {why}" in str(refused.value)

    @pytest.mark.parametrize("path", ["git~1/config.py", ".git./config.py", ".git\u200c/config.py"])
    def test_names_that_some_file_systems_take_for_gits_data_are_refused_or_put_back(self, task: Task, path: str):
        patch = f"diff --git a/src/{path} b/src/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/src/{path}\n"
        try:
            submitted = task.submitted(patch.encode() + b"@@ -0,0 +1 @@\n+x\n")
        except PatchUnusable:
            return
        assert submitted.tree == task.agent_tree

    def test_a_link_and_a_file_behind_it_are_refused(self, task: Task):
        link = b"diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+/tmp\n"
        link += b"\\ No newline at end of file\n"
        behind = (
            b"diff --git a/src/l/x b/src/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/src/l/x\n@@ -0,0 +1 @@\n+x\n"
        )
        with pytest.raises(PatchUnusable):
            task.submitted(link + behind)

    def test_text_that_is_no_patch_is_refused(self, task: Task):
        with pytest.raises(PatchUnusable, match="holds no change"):
            task.submitted(b"I could not solve this.\n")

    def test_a_patch_for_another_tree_is_refused(self, task: Task):
        patch = task.patch(REPAIR).replace(b"return 2", b"return 3")
        with pytest.raises(PatchUnusable, match=r"does not apply to the task's tree: .*core\.py"):
            task.submitted(patch)

    def test_line_ends_are_bytes_like_others(self, task: Task):
        submitted = task.submitted({"src/pkg/crlf.py": b"X = 1\r\nY = 3\r\n"})
        assert task.text(submitted.tree, "src/pkg/crlf.py") == b"X = 1\r\nY = 3\r\n"

    def test_a_patch_whose_line_ends_were_converted_is_refused_with_the_way_out(self, task: Task):
        patch = task.patch(REPAIR).replace(b"\n", b"\r\n")
        with pytest.raises(PatchUnusable, match="every line of it ends in CR LF: write the bytes that git diff"):
            task.submitted(patch)

    def test_binary_files_count_where_sources_do(self, task: Task):
        submitted = task.submitted({"src/pkg/templates/logo.html": b"\0\xff" * 300})
        assert task.text(submitted.tree, "src/pkg/templates/logo.html") == b"\0\xff" * 300

    def test_what_unpacks_to_more_than_is_taken_is_refused_before_it_is_unpacked(self, task: Task):
        patch = b"diff --git a/src/b b/src/b\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\n"
        with pytest.raises(PatchUnusable, match="unpacks to 99999999999 bytes"):
            task.submitted(patch + b"literal 99999999999\nHcmV?d00001\n\nliteral 0\nHcmV?d00001\n\n")

    def test_long_patches_are_refused_unread(self, task: Task, monkeypatch: pytest.MonkeyPatch):
        patch = task.patch(REPAIR)
        monkeypatch.setattr(rules, "MOST_BYTES", len(patch) - 1)
        with pytest.raises(PatchUnusable, match=f"has {len(patch)} bytes"):
            task.submitted(patch)

    def test_patches_of_too_many_files_are_refused(self, task: Task, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(rules, "MOST_FILES", 2)
        with pytest.raises(PatchUnusable, match="changes 3 files"):
            task.submitted({f"src/pkg/n{n}.py": "" if n else "x\n" for n in range(3)})


class TestTests:
    """Answers that are tests."""

    NEW = "def test_new():\n    pass\n"

    def test_new_tests_and_what_they_need_count(self, task: Task):
        files: dict[str, Content] = {
            "tests/test_new.py": self.NEW,
            "tests/conftest.py": "x\n",
            "tests/helpers.py": "x\n",
            "tests/data/y.json": "{}\n",
        }
        submitted = task.submitted(files, tests=True)
        assert submitted.counted == tuple(sorted(files))
        assert submitted.put_back == ()

    def test_additions_to_a_file_count_and_its_tests_stay(self, task: Task):
        before = str(AGENT["tests/test_core.py"])
        weak = "import os\n" + before.replace("assert one()", "pass")
        submitted = task.submitted({"tests/test_core.py": weak + "\n\n" + self.NEW}, tests=True)
        assert submitted.counted == submitted.put_back == ("tests/test_core.py",)
        assert submitted.why["tests/test_core.py"] == "tests that exist already stay: test_old"
        assert task.text(submitted.tree, "tests/test_core.py") == f"import os\n{before}\n\n{self.NEW}".encode()

    def test_a_test_named_like_a_hidden_one_is_the_agents_own(self, task: Task):
        text = str(AGENT["tests/test_core.py"]) + "\n\ndef test_hidden():\n    assert one() == 1\n"
        assert task.submitted({"tests/test_core.py": text}, tests=True).counted == ("tests/test_core.py",)

    @pytest.mark.parametrize(
        ("files", "why"),
        [
            ({"src/pkg/core.py": "x"}, "it is source"),
            ({"tests/test_core.py": None}, "files that the tests have already stay"),
            ({"tests/test_core.py": "def test_new():\n    pass\n"}, "it removes the test test_old"),
            ({"src/test_new.py": NEW}, "outside of what may be changed"),
            ({"conftest.py": "x"}, "outside of what may be changed"),
            ({"tests/pytest.ini": "x"}, "interpreters or runners load it"),
            ({"tests/pyproject.toml": "x"}, "interpreters or runners load it"),
            ({"tests/sitecustomize.py": "x"}, "interpreters or runners load it"),
            ({"tests/json.py": "x"}, "take the place of the module json"),
            ({"tests/link.py": Symlink(b"/c2t/plan/ids")}, "the link leads out of the tree"),
            ({"pyproject.toml": "x"}, "interpreters or runners load it"),
        ],
    )
    def test_everything_else_is_put_back(self, task: Task, files: dict[str, Content], why: str):
        submitted = task.submitted({"tests/test_new.py": self.NEW, **files}, tests=True)
        assert submitted.counted == ("tests/test_new.py",)
        [path] = submitted.put_back
        assert why in submitted.why[path]


class TestUnhidden:
    """The hidden checks in an answer's tree."""

    def test_files_of_hidden_checks_are_the_tasks_own(self, task: Task):
        submitted = task.submitted({**REPAIR, "tests/test_core.py": "x = 1\n"})
        full = unhidden(task.repository, task.variant, submitted, [b"tests/test_core.py"])
        assert full == task.variant.spec.trees.healthy

    def test_checks_that_lie_in_a_source_are_laid_into_the_answers_file(self, task: Task):
        source = "def one():\n    return {}\n\n\ndef two():\n    return 2\n"
        check = "\n\ndef test_inside():\n    assert one() == 1\n"
        answered = source.format("3 - 2")
        full = self.full(task, source.format(2) + check, source.format(2), answered)
        assert task.text(full, "src/pkg/core.py") == (answered + check).encode()

    def test_where_they_no_longer_fit_the_file_is_the_tasks_own(self, task: Task):
        source = "def one():\n    return 2\n"
        check = "\n\ndef test_inside():\n    assert one() == 1\n"
        full = self.full(task, source + check, source, "")
        assert task.text(full, "src/pkg/core.py") == (source + check).encode()

    @staticmethod
    def full(task: Task, hidden: str, seen: str, answered: str) -> str:
        """The full tree of an answer to a task whose source holds a check."""
        made = {}
        for branch, text in (("task", hidden), ("agent", seen)):
            task.repo.switch(branch)
            task.repo.commit({"src/pkg/core.py": text})
            made[branch] = task.repo.tree(branch)
        trees = task.variant.spec.trees.replacing(**made)
        task.variant = task.variant.replacing(spec=task.variant.spec.replacing(trees=trees))
        submitted = task.submitted({"src/pkg/core.py": answered})
        return unhidden(task.repository, task.variant, submitted, [b"src/pkg/core.py"])
