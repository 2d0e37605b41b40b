"""How likely a change is to become a task, from what was measured on 300 real ones, and the sum told in words.

Undoing was tried by program on changes of eight repositories: two thirds of those younger than a year could be undone,
a quarter of those older than five; 61 of 100 with fewer than ten changed lines, 14 of those with a hundred or more. The
rest of the score is how much of a change's tests and sources is still there. It orders work; it decides nothing.
"""

from __future__ import annotations

import re
from typing import Final

from pydantic import Field

from change2task.api.model import Model
from change2task.history.words import BUG, conventional_kind, found

_AGES: Final = ((1.0, 0.67), (5.0, 0.40))
_OLDER: Final = 0.24
_SIZES: Final = ((9, 0.61), (29, 0.48), (99, 0.30), (400, 0.14))
_LARGER: Final = 0.07
"""Of a size the first and the fourth were measured; what lies between them, and beyond, is taken to fall evenly."""
_MEAN: Final = 0.35
"""Of all that were tried."""
_DOUBTED: Final = 0.5
"""Taken, not measured: a twelfth of all changes had no effect that a test could see."""
_UNSEEN: Final = re.compile(
    r"(?i)\b(typing|type[- ](?:hints?|annotations?)|mypy|pyright|lint(?:s|er|ing)?|reformat\w*|docstrings?|docs"
    r"|document(?:s|ed|ing|ation)|tests|test (?:suites?|cases?|flak\w*|fail\w*)|coverage|flak(?:y|iness))\b"
)
_QUIET: Final = re.compile(
    r"(?i)\b(refactor\w*|re-?organi[sz]\w+|clean(?:s|ed|ing)?[- ]?up\w*|simplif\w+|perf(?:ormance)?|optimi[sz]\w+"
    r"|speed\w*|faster|rename[sd]?|modernize\w*|pyupgrade|style|drop (?:python|node|support))\b"
)
_DAYS: Final = 365.25
_UNNAMED: Final = 0.5
"""For a change whose tests have no names that could be looked for."""


class Part(Model):
    """One factor, and the fact it stands for."""

    name: str
    value: float
    detail: str


class Score(Model):
    """The chance that age and size leave, times the shares of sources and tests that are left."""

    value: float = Field(ge=0, le=1)
    parts: tuple[Part, ...]

    def told(self) -> str:
        """The sum in a line."""
        return f"{self.value:.3f}: " + ", ".join(f"{part.name} {part.value:.2f} ({part.detail})" for part in self.parts)


def expected(
    days: float, lines: int, sources: tuple[int, int], tests: tuple[int, int] | None, title: str = ""
) -> Score:
    """The score of a change.

    ``days``: between it and the base. ``lines``: of source, added and removed. ``sources``: files alive and all.
    ``tests``: names on the base and all names added or altered, or test files likewise where names are not known yet;
    None: nothing that could be looked for. ``title``: of the change.
    """
    years = max(days, 0.0) / _DAYS
    age = next((value for most, value in _AGES if years < most), _OLDER)
    size = next((value for most, value in _SIZES if lines <= most), _LARGER)
    parts = (
        Part(name="age", value=age, detail=f"{years:.1f} years before the base"),
        Part(name="size", value=size, detail=_lines(lines)),
        Part(name="source", value=_share(sources), detail=f"{sources[0]} of {sources[1]} source files are on the base"),
        _tests(tests),
        *_effect(title),
    )
    left = 1.0
    for part in parts[2:]:
        left *= part.value
    return Score(value=round(_together(age, size) * left, 3), parts=parts)


def _effect(title: str) -> tuple[Part, ...]:
    """A doubt of changes whose titles speak of work that no test is meant to see."""
    quiet = _UNSEEN.search(title) or (None if found(BUG, title) else _QUIET.search(title))
    if quiet is None or conventional_kind(title) == "feat":
        return ()
    return (Part(name="effect", value=_DOUBTED, detail=f"its title says “{quiet[0].lower()}”"),)


def _together(age: float, size: float) -> float:
    """The chance of a change of this age and this size, as if one said nothing of the other."""
    odds = age / (1 - age) * (size / (1 - size)) / (_MEAN / (1 - _MEAN))
    return odds / (1 + odds)


def _tests(tests: tuple[int, int] | None) -> Part:
    if tests is None:
        return Part(name="tests", value=_UNNAMED, detail="no names to look for")
    # One surviving test is enough for a target; more of them make a task of the same reach as the change.
    value = 0.0 if not tests[0] else round(0.5 + 0.5 * tests[0] / tests[1], 2)
    return Part(name="tests", value=value, detail=f"{tests[0]} of {tests[1]} touched tests are on the base")


def _share(of: tuple[int, int]) -> float:
    return round(of[0] / of[1], 2) if of[1] else 0.0


def _lines(lines: int) -> str:
    return f"{lines} source line{'' if lines == 1 else 's'}"
