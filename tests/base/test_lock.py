"""A lock's text: what it holds, what is wrong with one, and how it is handed to installers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.base.lock import names, problems, without_hashes

LOCK = "Dep.One==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n# note\nother==2.0 ; python_version > '3'\n"


def test_names_are_canonical() -> None:
    assert names(LOCK) == {"dep-one", "other"}


def test_pins_without_hashes_for_installers_that_would_want_a_hash_of_everything() -> None:
    assert without_hashes(LOCK) == "Dep.One==1.0\nother==2.0\n"


def test_what_the_lock_command_writes_has_no_problem() -> None:
    assert problems(LOCK) == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dep>=1", "line 1: 'dep>=1' pins no version"),
        ("dep", "line 1: 'dep' pins no version"),
        ("dep==1.*", "line 1: 'dep==1.*' pins no version"),
        ("dep @ https://x/dep.whl", "line 1: 'dep @ https://x/dep.whl' pins no version"),
        ("-r other.txt", "line 1: '-r other.txt' is no requirement; change2task lock writes NAME==VERSION lines"),
        ("--index-url https://i", "line 1: '--index-url https://i' is no requirement"),
    ],
)
def test_lines_that_hold_nothing_are_named(line: str, said: str) -> None:
    assert problems(line)[0].startswith(said)


@given(st.text(max_size=200))
def test_any_text_is_judged_without_a_crash(text: str) -> None:
    problems(text)
    names(text)
    without_hashes(text)
