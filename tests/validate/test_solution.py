"""The code that answers a task is cut out of its author's words, and what else they hold of it is told."""

from __future__ import annotations

from textwrap import dedent

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskvariant import Statement
from change2task.validate import solution
from change2task.validate.solution import Answer
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

BEFORE = '"""Text."""\n\n\ndef shorten(text, width):\n    return text[:width]\n'
AFTER = '''"""Text."""


def shorten(text, width):
    """Shorten it.

    >>> shorten("abcdef", width=4)
    """
    # A mark stands for what was left out.
    return text[: width - 1] + ELLIPSIS_MARK
'''
LINE = "return text[: width - 1] + ELLIPSIS_MARK"


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    folder = tmp_path_factory.mktemp("solution") / "repo"
    repo = RepoBuilder(folder)
    task, healthy = repo.commit({"text.py": BEFORE, "README": "known_word"}), repo.commit({"text.py": AFTER})
    with Repository.open(folder) as repository:
        said = Statement(title="ELLIPSIS_MARK and known_word", body="", provenance="title")
        return solution.answer_of(repository, repo.tree(healthy), repo.tree(task), said)


def judged(answer: Answer, body: str, provenance: str = "title", title: str = "Mark what was left out"):
    statement = Statement.model_validate({"title": title, "body": dedent(body).strip("\n"), "provenance": provenance})
    return solution.judge(statement, answer)


def test_the_answer_is_its_code_and_neither_comments_nor_documentation(answer: Answer) -> None:
    assert (answer.lines, answer.names, answer.short) == ({LINE}, {"ELLIPSIS_MARK"}, set())


@pytest.mark.parametrize(
    "block",
    [
        f"```python\ndef shorten(text, width):\n    {LINE}\n```",
        f"~~~\n{LINE}\n~~~",
        f"```diff\n-    return text[:width]\n+    {LINE}\n```",
        f"    x = 1\n\n    {LINE}",
        f"```\n{LINE}",
        LINE,
    ],
    ids=["fenced", "tilded", "diff", "indented", "unclosed", "bare line"],
)
def test_code_blocks_with_the_answer_are_cut_and_counted(answer: Answer, block: str) -> None:
    verdict, statement, shared = judged(answer, f"Readers are misled.\n\n{block}")
    assert verdict.passed
    assert (statement.body, statement.code_cut, shared) == ("Readers are misled.", 1, ())
    assert verdict.message == "1 pieces of the answer's code cut out of the statement"


def test_what_follows_a_cut_block_stays(answer: Answer) -> None:
    _, statement, _ = judged(answer, f"Before.\n\n```\n{LINE}\n```\n\nAfter.\n\n```\nshorten('abc', 2)\n```")
    assert statement.body == "Before.\n\nAfter.\n\n```\nshorten('abc', 2)\n```"


def test_examples_of_use_are_no_answer(answer: Answer) -> None:
    body = '```python\n>>> shorten("abcdef", width=4)\n```'
    _, statement, shared = judged(answer, body)
    assert (statement.body, statement.code_cut, shared) == (body, 0, ())


def test_lines_in_sentences_and_names_that_stand_nowhere_are_told(answer: Answer) -> None:
    verdict, statement, shared = judged(answer, f"Just `{LINE}`, see known_word.")
    assert shared == (LINE, "ELLIPSIS_MARK")
    assert statement.code_cut == 0
    assert verdict.message.startswith("the statement holds of the answer: return text")


def test_a_users_own_words_are_left_and_told_of(answer: Answer) -> None:
    body = f"```\n{LINE}\n```"
    _, statement, shared = judged(answer, body, provenance="intent")
    assert (statement.body, shared) == (body, (LINE, "ELLIPSIS_MARK"))


def test_where_nothing_but_a_place_is_left_there_is_no_task(answer: Answer) -> None:
    verdict, _, _ = judged(answer, f"```\n{LINE}\n```", provenance="summary", title="Correct `shorten`")
    assert (verdict.passed, verdict.reason) == (False, Reason.STATEMENT_TOO_POOR)
    assert "spec.intent" in verdict.message


SMALL_BEFORE = "import re\n\n\ndef area(w, h):\n    return w + h\n\n\ndef sort_up(x):\n    return x\n"
SMALL_AFTER = """import re
import os


def area(w, h):
    return w * h  # of a rectangle


def sort_up(x):
    try:
        x = sorted(x)
    except OSError:
        x = old_x2(os)
        pass
    else:
        return x
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    folder = tmp_path_factory.mktemp("small") / "repo"
    repo = RepoBuilder(folder)
    task, healthy = repo.commit({"text.py": SMALL_BEFORE}), repo.commit({"text.py": SMALL_AFTER})
    with Repository.open(folder) as repository:
        said = Statement(title="", body="", provenance="title")
        return solution.answer_of(repository, repo.tree(healthy), repo.tree(task), said)


SHORT_BLOCKS = {
    "all of it the source's": "```python\ndef area(w, h):\n    return w * h\n```",
    "one line": "```\nreturn w * h\n```",
    "indented": "It is:\n\n    def area(w, h):\n        return w * h",
    "a difference": "```diff\n@@ -4 +4 @@\n def area(w, h):\n-    return w + h\n+    return w * h\n```",
    "otherwise spaced": "```\ndef area(w, h):\n    return w*h\n```",
    "with remarks": "```\n# here:\ndef area(w, h):\n    ...\n    return w * h  # not a sum\n```",
    "two in a row among others": "```\nfor x in y:\n    x = sorted(x)\n    except OSError:\nprint(x)\n```",
}


@pytest.mark.parametrize("block", SHORT_BLOCKS)
def test_short_lines_are_cut_where_a_code_block_is_made_of_them(small: Answer, block: str) -> None:
    verdict, statement, _ = judged(small, f"It is wrong.\n\n{SHORT_BLOCKS[block]}")
    assert statement.code_cut == 1
    assert "return" not in statement.body
    assert statement.body.startswith("It is wrong.")
    assert verdict.message == "1 pieces of the answer's code cut out of the statement"


USES = {
    "a session": "```\n>>> return w * h\n```",
    "a session and what it shows": "    >>> x = sorted(x)\n    return x",
    "one line among others": "```\nw = 3\nh = 4\nreturn w * h\nprint(w)\n```",
    "imports": "```\nimport re\nimport os\n```",
    "words that stand in any code": "```\nelse:\n```",
    "what the task state has": "```\ndef area(w, h):\n    return w + h\n```",
    "a sentence": "It should `return w * h` instead.",
}


@pytest.mark.parametrize("use", USES)
def test_what_may_be_a_use_or_chance_is_left(small: Answer, use: str) -> None:
    body = f"It is wrong.\n\n{USES[use]}"
    verdict, statement, shared = judged(small, body)
    assert (statement.body, statement.code_cut, shared) == (body, 0, ())
    assert "nothing of the answer" not in verdict.message


def test_a_short_line_in_a_sentence_is_told_where_it_holds_an_unusual_name(small: Answer) -> None:
    _, statement, shared = judged(small, "Please let x = old_x2(os) there, and x = sorted(x).")
    assert (statement.code_cut, shared) == (0, ("x = old_x2(os)",))
    assert judged(small, "See max = old_x2(os).")[2] == ()


def test_short_lines_in_a_users_own_blocks_are_told_of(small: Answer) -> None:
    body = "```\ndef area(w, h):\n    return w * h\n```"
    verdict, statement, shared = judged(small, body, provenance="intent")
    assert (statement.body, statement.code_cut, shared) == (body, 0, ("return w * h",))
    assert verdict.message == "the statement holds of the answer: return w * h"
