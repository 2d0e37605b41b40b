"""News fragments lie where the project's own tool is told to look for them, whatever they are called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.api.modernbase import Scope
from change2task.history.files import ChangedFiles
from change2task.history.fragments import Fragments, fragments_of
from change2task.history.models import Role
from change2task.history.news import read_news
from change2task.history.roles import Roles
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder


def of(files: Mapping[str, str]) -> Fragments:
    return fragments_of([path.encode() for path in files], lambda path: files[path.decode()].encode())


PACKAGE = '[tool.towncrier]\npackage = "pkg"\npackage_dir = "src"\n'
SECTIONS = PACKAGE + '[[tool.towncrier.section]]\npath = ""\n[[tool.towncrier.section]]\npath = "web"\n'


@pytest.mark.parametrize(
    ("files", "fragments", "others"),
    [
        ({"pyproject.toml": PACKAGE}, {"src/pkg/newsfragments/9.misc"}, {"src/pkg/data/9.feature", "news/9.bugfix"}),
        ({"pyproject.toml": SECTIONS}, {"src/pkg/web/newsfragments/9.doc.rst"}, {"src/pkg/web/9.doc.rst"}),
        (
            {"pyproject.toml": '[tool.towncrier]\ndirectory = "doc/news/"\n'},
            {"doc/news/9.feature.rst", "doc/news/core/odd-name.txt"},
            {"doc/news/_template.rst", "doc/news/README.md", "doc/news/.gitkeep", "doc/news/conf.py", "doc/9.rst"},
        ),
        ({"towncrier.toml": "[tool.towncrier]\n"}, {"newsfragments/9.x.md"}, {"docs/9.x.md"}),
        ({"a/pyproject.toml": "[tool.scriv]\n"}, {"a/changelog.d/20250101_ada_fix.rst"}, {"changelog.d/x.rst"}),
        ({"setup.cfg": "[tool:scriv]\nfragment_directory = n.d\n"}, {"n.d/ada.md"}, {"n.d/new.md.j2"}),
        ({"changes/scriv.ini": "[scriv]\n"}, {"changes/ada.md"}, {"changes/scriv.ini", "a.md"}),
        ({"releasenotes/notes/a-1.yaml": ""}, {"releasenotes/notes/b-2.yaml"}, {"releasenotes/source/index.rst"}),
    ],
)
def test_what_is_configured_decides(files: dict[str, str], fragments: set[str], others: set[str]) -> None:
    found = of(files)
    assert {path: found.says(path.encode()) for path in (*fragments, *others)} == {
        **dict.fromkeys(fragments, True),
        **dict.fromkeys(others, False),
    }


@pytest.mark.parametrize(
    "content",
    [
        "[project]\n",
        "tool = 3\n",
        "[tool]\ntowncrier = []\n",
        '[tool.towncrier]\ndirectory = "../elsewhere"\n',
        '[tool.towncrier]\ndirectory = "/tmp"\n',
        '[tool.towncrier]\ndirectory = "."\n',
        "[tool.towncrier\n",
    ],
)
def test_without_a_folder_that_is_configured_names_are_all_there_is(content: str) -> None:
    assert of({"pyproject.toml": content}).says(b"newsfragments/9.feature") is None


@given(st.sampled_from(["pyproject.toml", "setup.cfg", "scriv.ini"]), st.binary(max_size=60))
def test_any_configuration_is_read_or_passed_over(name: str, content: bytes) -> None:
    assert fragments_of([name.encode()], lambda _: content).says(b"a/b") in {None, True, False}


def test_roles_follow_it_in_a_product_too() -> None:
    paths = (b"src/pkg/__init__.py", b"src/pkg/newsfragments/__init__.py", b"src/pkg/data/9.feature")
    roles = Roles(Scope(), paths, fragments=Fragments(["src/pkg/newsfragments", "releasenotes/notes"]))
    assert roles.role(b"src/pkg/newsfragments/odd.txt") is Role.DOCS
    assert not roles.in_product(b"src/pkg/newsfragments/odd.txt")
    assert roles.role(b"releasenotes/notes/fix-1.yaml") is Role.DOCS
    assert roles.role(b"src/pkg/data/9.feature") is not Role.DOCS


def test_the_news_of_a_change_are_those_the_project_says(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    before = repo.commit({"pyproject.toml": "[tool.scriv]\nfragment_directory = 'src/pkg/log'\n", "src/pkg/a.py": ""})
    after = repo.commit(
        {"src/pkg/log/20250101_ada.md": "- Spans.\n", "src/pkg/9.fixed.md": "x\n", "doc/8.fixed.md": "y\n"}
    )
    changed = ChangedFiles(Repository.open(repo.path), before, after, Scope())
    assert changed.news(b"src/pkg/log/20250101_ada.md") == b"- Spans.\n"
    assert changed.news(b"src/pkg/9.fixed.md") is None
    assert changed.news(b"doc/8.fixed.md") == b"y\n"


def test_a_note_of_reno_says_kinds_by_its_keys() -> None:
    note = b"---\nfeatures:\n  - |\n    Spans show hours.\nfixes:\n  - Days are right.\nprelude: |\n  A word.\n"
    news = read_news([(b"releasenotes/notes/a.yaml", note, tuple(range(1, 9)))])
    assert (news.kinds, news.lines) == (("feature", "bugfix"), ("Spans show hours.", "Days are right.", "A word."))
