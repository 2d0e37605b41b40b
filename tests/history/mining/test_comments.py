"""Whether a change is seen by a machine, or by readers alone."""

from __future__ import annotations

import pytest

from change2task.history.mining.comments import changes_code
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

PYTHON = 'def f():\n    """Old."""\n    text = """\nfirst\nsecond\n"""\n    return text\n'


@pytest.mark.parametrize(
    ("name", "before", "after", "code"),
    [
        ("a.py", PYTHON, PYTHON.replace("Old", "New and\n    longer"), False),
        ("a.py", PYTHON, PYTHON + "# why\n", False),
        ("a.py", PYTHON, PYTHON.replace("second", "third"), True),
        ("a.py", PYTHON, PYTHON.replace("    return text", "    return (text)"), True),
        ("a.py", "x = f(1, 2)\n", "x = f(\n    1,\n    2)\n", False),
        ("a.py", "if x:\n    a()\nb()\n", "if x:\n    a()\n    b()\n", True),
        ("a.go", "package a\n\n// Old.\nfunc F() {}\n", "package a\n\n// New.\nfunc F() {}\n", False),
        ("a.go", "package a\n", "package a\n\nfunc F() {}\n", True),
        ("a.html", "<p>\n", "<p><!-- x -->\n", True),
        ("a.py", PYTHON, None, True),
    ],
)  # fmt: skip
def test_only_what_a_machine_reads_counts(
    project: RepoBuilder, name: str, before: str, after: str | None, code: bool
) -> None:
    project.commit({name: before})
    old = project.tip()
    new = project.commit({name: after})
    with Repository.open(project.path) as repository:

        def read(commit: str, path: bytes) -> bytes | None:
            entry = repository.entry(commit, path)
            return None if entry is None else repository.blob(entry.oid)

        patch = repository.diff(old, new)
        assert changes_code(patch, lambda path: read(old, path), lambda path: read(new, path)) is code
