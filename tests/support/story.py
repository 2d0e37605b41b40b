"""A small real project whose history holds one change of every kind a run has to answer for.

It is the ground that whole runs are told on: some changes become tasks, the others must be refused, each for its own
reason. The project needs nothing but pytest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from tests.support.repos import RepoBuilder

TEXT = '''
"""Text."""


def shorten(text, width):
    """The beginning of a text."""
    return text[:width]


def words(text):
    """The words of a text."""
    return text.split()


def title(text):
    """Each word with a capital."""
    return " ".join(word.capitalize() for word in words(text))
'''
SHORTENED = """    return text[:width]
"""
MARKED = """    if len(text) > width:
        return text[: width - 1] + "~"
    return text
"""
SLUG = '''

def slugify(text):
    """A text as a part of an address."""
    parts = [word.lower() for word in words(text)]
    return "-".join(parts)
'''
TEST_TEXT = """
from toolbox.text import shorten, title, words


def test_words():
    assert words("a b") == ["a", "b"]


def test_title():
    assert title("a good day") == "A Good Day"


def test_short_text_stays():
    assert shorten("abc", 5) == "abc"
"""
TEST_MARK = """

def test_a_mark_stands_for_what_was_left_out():
    assert shorten("abcdef", 4) == "abc~"
"""
TEST_SLUG = """

def test_slug():
    assert slugify("A Good Day") == "a-good-day"
"""
NUMBERS = '''
"""Numbers in text."""


def number(text):
    """The number that a text is."""
    return int(text)


def total(text):
    """The sum of all numbers in a text."""
    return sum(int(part.replace(",", "")) for part in text.split())
'''
TEST_NUMBERS = """
from toolbox.numbers import number, total


def test_number():
    assert number("12") == 12


def test_total():
    assert total("1,000 2") == 1002
"""
CLOCK = '''
"""Spans of time."""


def span(seconds):
    """Seconds as minutes and seconds."""
    minutes = seconds // 60
    rest = seconds % 60
    return f"{minutes}:{rest}"
'''
TEST_CLOCK = """
from toolbox.clock import span


def test_long_span():
    assert span(75) == "1:15"
"""
STORED = '''
"""Values kept as bytes."""

import pickle


def packed(value):
    """A value as bytes."""
    return pickle.dumps(value)


def unpacked(data):
    """The value of bytes."""
    return pickle.loads(data)
'''
TEST_STORED = """
import pytest

from toolbox.stored import packed, unpacked


@pytest.mark.parametrize("value", [1, "one", [1, 2]])
def test_round_trip(value):
    assert unpacked(packed(value)) == value
"""
SAFE = '''
"""Names of files."""

import posixpath


def inside(folder, name):
    """The path of a file in a folder."""
    return posixpath.join(folder, name)
'''
GUARDED = """    path = posixpath.normpath(posixpath.join(folder, name))
    if not path.startswith(folder + "/"):
        raise ValueError("outside")
    return path
"""
TEST_SAFE = """
import pytest

from toolbox.safe import inside


def test_path():
    assert inside("/a", "b") == "/a/b"
"""
TEST_GUARD = """

def test_nothing_leads_outside():
    with pytest.raises(ValueError):
        inside("/a", "../b")
"""
TEST_ODD = """
import os


def test_never():
    assert 1 == 2


def test_zone():
    assert os.environ["TZ"] == "UTC"
"""
PIXELS = bytes(range(256)) * 2


def source(text: str) -> str:
    """A file's text without the line that opens it here."""
    return dedent(text).lstrip("\n")


@dataclass
class Story:
    """The repository, and the commit of each change by name."""

    repo: RepoBuilder
    commits: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The commit that becomes the base."""
        return self.repo.tip("refs/heads/main")

    def tell(self, name: str, files: dict[str, str | bytes | None], message: str) -> None:
        """One change."""
        self.commits[name] = self.repo.commit(
            {path: source(content) if isinstance(content, str) else content for path, content in files.items()}, message
        )


def tell(folder: Path) -> Story:
    """The whole history; equal on every machine."""
    story = Story(RepoBuilder(folder))
    story.tell("root", _beginning(), "The beginning")
    _behaviour(story)
    _superseded(story)
    _other_families(story)
    _refused(story)
    _merged(story)
    return story


def _beginning() -> dict[str, str | bytes | None]:
    return {
        "toolbox/__init__.py": '"""Tools."""\n',
        "toolbox/text.py": TEXT,
        "toolbox/numbers.py": NUMBERS,
        "toolbox/clock.py": CLOCK,
        "toolbox/stored.py": STORED,
        "toolbox/safe.py": SAFE,
        "toolbox/pixels.bin": PIXELS,
        "tests/test_text.py": TEST_TEXT,
        "tests/test_numbers.py": TEST_NUMBERS,
        "tests/test_clock.py": TEST_CLOCK,
        "tests/test_stored.py": TEST_STORED,
        "tests/test_safe.py": TEST_SAFE,
        "tests/test_odd.py": TEST_ODD,
        "README.md": "# Toolbox\n",
    }


def _behaviour(story: Story) -> None:
    text, test = TEXT.replace(SHORTENED, MARKED), TEST_TEXT + TEST_MARK
    story.tell(
        "fix",
        {"toolbox/text.py": text, "tests/test_text.py": test, "README.md": "# Toolbox\n\nText is marked.\n"},
        "Fix shortened text that does not show what was left out\n\nA mark stands at its end now.",
    )
    repo = story.repo
    repo.switch("slug")
    test = test.replace("import shorten, title", "import shorten, slugify, title") + TEST_SLUG
    story.tell("slug", {"toolbox/text.py": text + SLUG, "tests/test_text.py": test}, "Write slugify")
    repo.pull_request(7)
    repo.switch("main")
    story.commits["feature"] = repo.merge("slug", message="Merge pull request #7 from ada/slug\n\nAdd slugify")


def _superseded(story: Story) -> None:
    padded = CLOCK.replace('f"{minutes}:{rest}"', 'f"{minutes}:{rest:02}"')
    short = TEST_CLOCK + '\n\ndef test_short_span():\n    assert span(5) == "0:05"\n'
    story.tell("superseded", {"toolbox/clock.py": padded, "tests/test_clock.py": short}, "Fix seconds without a zero")
    lines = '    return ":".join(f"{part:02}" for part in divmod(seconds, 60)).removeprefix("0")\n'
    rewritten = CLOCK[: CLOCK.index("    minutes")] + lines
    story.tell("rewritten", {"toolbox/clock.py": rewritten}, "Write spans in one line")

    with_commas = NUMBERS.replace("return int(text)", 'return int(text.replace(",", ""))')
    test = TEST_NUMBERS + '\n\ndef test_number_with_commas():\n    assert number("1,000") == 1000\n'
    story.tell(
        "entangled", {"toolbox/numbers.py": with_commas, "tests/test_numbers.py": test}, "Fix numbers with commas"
    )
    through = with_commas.replace('int(part.replace(",", ""))', "number(part)")
    story.tell("through", {"toolbox/numbers.py": through}, "Sum what number() reads")


def _other_families(story: Story) -> None:
    json = STORED.replace("import pickle", "import json")
    json = json.replace("pickle.dumps(value)", "json.dumps(value).encode()").replace("pickle.loads", "json.loads")
    story.tell("migration", {"toolbox/stored.py": json}, "Migrate stored values from pickle to json")
    guarded = SAFE.replace("    return posixpath.join(folder, name)\n", GUARDED)
    story.tell(
        "security",
        {"toolbox/safe.py": guarded, "tests/test_safe.py": TEST_SAFE + TEST_GUARD},
        "Fix a path traversal in inside() (CVE-2020-0001)",
    )


def _refused(story: Story) -> None:
    story.tell("docs", {"README.md": "# Toolbox\n\nText is marked. Times are short.\n"}, "Say more of times")
    more = TEST_CLOCK + '\n\ndef test_short_span():\n    assert span(5) == "0:05"\n'
    more += '\n\ndef test_minute():\n    assert span(60) == "1:00"\n'
    story.tell("tests-only", {"tests/test_clock.py": more}, "Test a whole minute")
    story.tell("binary", {"toolbox/pixels.bin": PIXELS[::-1]}, "Turn the pixels round")
    story.tell("empty", {}, "Nothing at all")
    lone = 'def half(value):\n    """Half of it."""\n    return value {} 2\n'
    test = "from toolbox.lone import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
    story.tell("lone", {"toolbox/lone.py": lone.format("//"), "tests/test_lone.py": test}, "Add half()")
    exact = lone.format("/")
    story.tell(
        "untested",
        {"toolbox/lone.py": exact, "tests/test_lone.py": test + "\n\ndef test_four():\n    assert half(8) == 4\n"},
        "Fix half() of odd numbers",
    )
    story.tell("forgotten", {"toolbox/lone.py": exact.replace("it", "a value"), "tests/test_lone.py": test + TEST_GONE},
               "Fix the words of half()")  # fmt: skip
    story.tell(
        "dropped",
        {"tests/test_lone.py": test + "\n\ndef test_four():\n    assert half(8) == 4\n"},
        "Drop a test that says nothing",
    )
    quarter = "def quarter(value):\n    return value / 4\n"
    test = "from toolbox.quarter import quarter\n\n\ndef test_quarter():\n    assert quarter(4) == 1\n"
    story.tell("reverted", {"toolbox/quarter.py": quarter, "tests/test_quarter.py": test}, "Add quarter()")
    story.commits["reverting"] = story.repo.revert(story.commits["reverted"])


TEST_GONE = "\n\ndef test_words_of_half():\n    assert 'value' in half.__doc__\n"


def _merged(story: Story) -> None:
    repo = story.repo
    repo.switch("release/1.0")
    for number in range(1, 4):
        name = f"part{number}"
        test = f"from toolbox.{name} import one\n\n\ndef test_one():\n    assert one() == {number}\n"
        files: dict[str, str | bytes | None] = {
            f"toolbox/{name}.py": f"def one():\n    return {number}\n", f"tests/test_{name}.py": test,
        }  # fmt: skip
        story.tell(name, files, f"Add part {number}")
    repo.switch("main")
    story.commits["bundle"] = repo.merge("release/1.0", message="Merge branch 'release/1.0'")
    repo.switch("aside", at=story.commits["fix"])
    story.tell("aside", {"toolbox/aside.py": "ASIDE = 1\n"}, "Never merged")
    repo.switch("main")
