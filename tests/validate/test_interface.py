"""What hidden checks call must be told to whoever is to write it; words of the change alone decide where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskvariant import InterfaceName, Statement
from change2task.validate import interface
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

TEXT = "def words(text):\n    return text.split()\n"
SLUG = "\n\ndef slugify(text, mark='-'):\n    joined = mark.join(words(text))\n    return joined.lower()\n"
TEST = "from box.text import words\n\n\ndef test_words():\n    assert words('a b') == ['a', 'b']\n"
TEST_SLUG = "\n\ndef test_slug():\n    assert slugify('A B', mark='_') == 'a_b'\n"


def untold(folder: Path, agent: dict[str, str | bytes | None], **more: str) -> list[str]:
    repo = RepoBuilder(folder)
    start = {"box/__init__.py": "", "box/text.py": TEXT, "tests/test_text.py": TEST}
    hidden = TEST.replace("import words", "import slugify, words") + TEST_SLUG
    task = repo.commit({**start, "tests/test_text.py": hidden, **more})
    healthy = repo.commit({"box/text.py": TEXT + SLUG})
    repo.commit({"box/text.py": TEXT, "tests/test_text.py": TEST, **dict.fromkeys(more), **agent})
    with Repository.open(folder) as repository:
        trees = repo.tree(healthy), repo.tree(task), repo.tree()
        names = interface.untold(repository, trees, ["tests/test_text.py", *more], ())
    return [f"{one.name} {one.path}" for one in names]


def test_names_that_the_restoration_brings_and_hidden_tests_use_are_to_be_told(tmp_path: Path) -> None:
    assert untold(tmp_path, {}) == ["mark box/text.py", "slugify box/text.py"]


def test_a_name_that_the_agent_s_tree_holds_is_told_already(tmp_path: Path) -> None:
    assert untold(tmp_path, {"docs/use.md": "Call `slugify` with a mark."}) == []


def test_names_in_strings_count_where_the_string_is_nothing_but_a_name(tmp_path: Path) -> None:
    patched = "def test_it(monkeypatch):\n    monkeypatch.setattr('box.text.joined', 1)\n    assert 'slugify it'\n"
    assert "joined box/text.py" in untold(tmp_path, {}, **{"tests/test_more.py": patched})


def test_a_member_is_told_with_its_class_and_a_new_module_by_its_name(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    test = "from box.slugs import Slug\n\n\ndef test_it():\n    assert Slug().lowered('A') == 'a'\n"
    task = repo.commit({"box/__init__.py": "", "tests/test_slugs.py": test})
    slug = "class Slug:\n    def lowered(self, text):\n        return text.lower()\n"
    healthy = repo.commit({"box/slugs.py": slug})
    agent = repo.commit({"box/slugs.py": None, "tests/test_slugs.py": None})
    with Repository.open(tmp_path) as repository:
        trees = repo.tree(healthy), repo.tree(task), repo.tree(agent)
        names = interface.untold(repository, trees, ["tests/test_slugs.py"], ())
    assert {one.name for one in names} == {"Slug", "Slug.lowered", "slugs"}
    assert {one.path for one in names} == {"box/slugs.py"}


def test_scripts_are_hidden_checks_too(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    task = repo.commit({"box.py": TEXT})
    healthy = repo.commit({"box.py": TEXT + SLUG})
    with Repository.open(tmp_path) as repository:
        trees = repo.tree(healthy), repo.tree(task), repo.tree(task)
        names = interface.untold(repository, trees, [], ["import box; box.slugify('x')"])
    assert [one.name for one in names] == ["slugify"]


NAMES = (InterfaceName(name="Slug.lowered", path="box/slugs.py"), InterfaceName(name="mark", path="box/text.py"))


def told(title: str, body: str = "", provenance: str = "title") -> Statement:
    return Statement.model_validate({"title": title, "body": body, "provenance": provenance})


def test_names_that_the_words_leave_out_stand_beside_them() -> None:
    verdict, statement = interface.judge(told("Slugs are lowered"), "", NAMES)
    assert verdict.passed
    assert statement.interface == (NAMES[1],)


@pytest.mark.parametrize("provenance", ["title", "template", "summary", "intent"])
def test_nothing_is_added_where_all_is_told(provenance: str) -> None:
    statement = told("Add lowered()", "It takes a mark.", provenance)
    verdict, same = interface.judge(statement, "", NAMES)
    assert verdict.passed
    assert same == statement


def test_what_the_goal_names_is_told() -> None:
    assert interface.judge(told("x"), "Use lowered and mark", NAMES)[1].interface == ()


@pytest.mark.parametrize("provenance", ["template", "summary"])
def test_where_the_change_says_nothing_names_alone_make_no_task(provenance: str) -> None:
    verdict, _ = interface.judge(told("Correct the behaviour of `box`", "", provenance), "", NAMES)
    assert verdict.reason == Reason.STATEMENT_TOO_POOR
    assert "Slug.lowered (box/slugs.py)" in verdict.message
    assert "spec.intent" in verdict.message
