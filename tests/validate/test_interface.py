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


def untold(folder: Path, **more: str) -> list[str]:
    repo = RepoBuilder(folder)
    start = {"box/__init__.py": "", "box/text.py": TEXT, "tests/test_text.py": TEST}
    hidden = TEST.replace("import words", "import slugify, words") + TEST_SLUG
    task = repo.commit({**start, "tests/test_text.py": hidden, **more})
    healthy = repo.commit({"box/text.py": TEXT + SLUG})
    repo.commit({"box/text.py": TEXT, "tests/test_text.py": TEST, **dict.fromkeys(more)})
    with Repository.open(folder) as repository:
        trees = repo.tree(healthy), repo.tree(task)
        names = interface.untold(repository, trees, ["tests/test_text.py", *more], ())
    return [f"{one.name} {one.path}" for one in names]


def test_names_that_the_restoration_brings_and_hidden_tests_use_are_to_be_told(tmp_path: Path) -> None:
    assert untold(tmp_path) == ["mark box/text.py", "slugify box/text.py"]


def brought(folder: Path, before: str, after: str, test: str) -> list[str]:
    repo = RepoBuilder(folder)
    task = repo.commit({"box.py": before, "README": "A compact box", "tests/test_box.py": test})
    healthy = repo.commit({"box.py": after})
    with Repository.open(folder) as repository:
        names = interface.untold(repository, (repo.tree(healthy), repo.tree(task)), ["tests/test_box.py"], ())
    return [one.name for one in names]


STRICT = "def read(text, strict=False):\n    return strict\n\n\n"


@pytest.mark.parametrize(
    ("before", "after", "test", "names"),
    [
        ("", "def compact(t):\n    return t\n", "from box import compact\n", ["box", "compact"]),
        (
            f"{STRICT}def parse(t):\n    return t\n",
            f"{STRICT}def parse(t, strict=False):\n    return t if strict else 1\n",
            "parse('x', strict=True)\n",
            ["strict"],
        ),
        (
            "class A:\n    def store(self):\n        pass\n\n\nclass B:\n    pass\n",
            "class A:\n    def store(self):\n        pass\n\n\nclass B:\n    def store(self):\n        pass\n",
            "B().store()\n",
            ["B.store"],
        ),
        ("a = ['--all']\n", "a = ['--all', '--squash']\n", "main(['x', '--squash', '--all'])\n", ["--squash"]),
        ("a = {}\n", "a = {'blanks_share': 1}\n", "assert info()['blanks_share'] == 1\n", ["blanks_share"]),
        ("f(1)\n", "f('two words, a comma')\n", "assert g() == 'two words, a comma'\n", ["two words, a comma"]),
        (
            "f(1)\n",
            "f(f'no {x} of several words')\n",
            "match='no rain of several words'\n",
            ["no {x} of several words"],
        ),
        ("f(1)\n", "f('it is kept ' f'for {x}')\n", "match='it is kept for'\n", ["it is kept for {x}"]),
        (
            "f(1)\n",
            "f(f'{x} is used by an argument twice')\n",
            "m='b is used by an argument'\n",
            ["{x} is used by an argument twice"],
        ),
        ("f(1)\n", "f('a (b) is not c, sorry')\n", "match=r'a \\(b\\) is not c'\n", ["a (b) is not c, sorry"]),
        ("f('two words, a comma')\n", "g('two words, a comma')\n", "h('two words, a comma')\n", []),
        ("f(1)\n", "def f():\n    'two words, a comma'\n", "h('two words, a comma')\n", []),
        ("def f():\n    x = 1\n", "def f():\n    rest = 1\n    import os\n", "rest = f()\nimport os\n", []),
        ("def f():\n    pass\n", "def _help():\n    pass\n\n\ndef f():\n    _help()\n", "f()\n", []),
        ("", "def run():\n    pass\n", "monkeypatch.setattr('box.run', 1)\n", ["box", "run"]),
    ],
    ids=[
        "word of a document",
        "keyword",
        "member",
        "option",
        "key",
        "message",
        "filled in",
        "side by side",
        "shared words",
        "pattern",
        "known",
        "document",
        "locals",
        "helper",
        "patched name",
    ],
)
def test_what_is_brought_and_used_is_told_and_nothing_else(
    tmp_path: Path, before: str, after: str, test: str, names: list[str]
) -> None:
    assert brought(tmp_path, before, after, test) == names


def test_a_member_is_told_with_its_class_and_a_new_module_by_its_name(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    test = "from box.slugs import Slug\n\n\ndef test_it():\n    assert Slug().lowered('A') == 'a'\n"
    task = repo.commit({"box/__init__.py": "", "tests/test_slugs.py": test})
    slug = "class Slug:\n    def lowered(self, text):\n        return text.lower()\n"
    healthy = repo.commit({"box/slugs.py": slug})
    repo.commit({"box/slugs.py": None, "tests/test_slugs.py": None})
    with Repository.open(tmp_path) as repository:
        trees = repo.tree(healthy), repo.tree(task)
        names = interface.untold(repository, trees, ["tests/test_slugs.py"], ())
    assert {one.name for one in names} == {"Slug", "Slug.lowered", "slugs"}
    assert {one.path for one in names} == {"box/slugs.py"}


def test_scripts_are_hidden_checks_too(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    task = repo.commit({"box.py": TEXT})
    healthy = repo.commit({"box.py": TEXT + SLUG})
    with Repository.open(tmp_path) as repository:
        trees = repo.tree(healthy), repo.tree(task)
        names = interface.untold(repository, trees, [], ["import box; box.slugify('x')"])
    assert [one.name for one in names] == ["slugify"]


NAMES = (InterfaceName(name="Slug.lowered", path="box/slugs.py"), InterfaceName(name="mark", path="box/text.py"))


def told(title: str, body: str = "", provenance: str = "title") -> Statement:
    return Statement.model_validate({"title": title, "body": body, "provenance": provenance})


@pytest.mark.parametrize("title", ["Slugs are lowered", "Add lowered(), which takes a mark", "Add doubled marks"])
def test_names_stand_beside_the_words_whatever_these_say(title: str) -> None:
    verdict, statement = interface.judge(told(title), NAMES)
    assert verdict.passed
    assert statement.interface == NAMES
    assert "mark (box/text.py)" in verdict.message


@pytest.mark.parametrize("provenance", ["title", "template", "summary", "intent"])
def test_where_checks_use_no_name_nothing_is_added(provenance: str) -> None:
    statement = told("Add lowered()", "It takes a mark.", provenance)
    verdict, same = interface.judge(statement, ())
    assert verdict.passed
    assert same == statement


def test_a_body_in_the_author_s_words_makes_names_enough() -> None:
    body = "Slugs of empty texts are empty.\n\nThe behaviour to be established lies in `box`."
    assert interface.judge(told("Correct the behaviour of `box`", body, "summary"), NAMES)[1].interface == NAMES


@pytest.mark.parametrize("provenance", ["template", "summary"])
def test_where_the_change_says_nothing_names_alone_make_no_task(provenance: str) -> None:
    verdict, _ = interface.judge(told("Correct the behaviour of `box`", "", provenance), NAMES)
    assert verdict.reason == Reason.STATEMENT_TOO_POOR
    assert "Slug.lowered (box/slugs.py)" in verdict.message
    assert "spec.intent" in verdict.message
