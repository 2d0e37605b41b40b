"""Which kind of work the words of a title or a change log speak of.

Lists of words, found and reported as they stand; how much each counts is decided in ``families``, where a mistake
can be explained next to the other evidence.
"""

from __future__ import annotations

import re
from typing import Final

BUG: Final = re.compile(
    r"(?i)\b(fix(?:e[sd]|ing)?|hotfix|bug\s?fix(?:es)?|bugs?|regressions?|crash(?:es|ing|ed)?|broken|incorrect(?:ly)?"
    r"|wrong(?:ly)?|errors?|fail(?:s|ed|ing|ures?)?|leaks?|race|deadlocks?|hang(?:s|ing)?|unhandled|invalid|missing"
    r"|avoid(?:s|ed|ing)?|prevent(?:s|ed|ing)?|don'?t|do not|does not|doesn'?t|no longer"
    r"|ensure[sd]?|correct(?:s|ed|ly)?"
    r"|preserve[sd]?|honou?rs?|respect(?:s|ed|ing)?|gracefully|properly|handle[sd]?|handling|reject(?:s|ed)?|restore[sd]?"
    r"|repair(?:s|ed)?|resolve[sd]?|workaround|typeerror|valueerror|keyerror|attributeerror|indexerror|exceptions?"
    r"|warnings?|strip(?:s|ped)?|trim(?:s|med)?|harden(?:s|ed)?|quadratic|instead of)\b"
)
FEATURE: Final = re.compile(
    r"(?i)\b(add(?:s|ed|ing)?|support(?:s|ed|ing)?|allow(?:s|ed|ing)?|implement(?:s|ed|ing)?|introduce[sd]?|new|enable[sd]?"
    r"|features?|feat|provide[sd]?|expose[sd]?|accept(?:s|ed)?|ability|extend(?:s|ed)?|options?|configur(?:e[sd]?|able)"
    r"|customi[sz](?:e|ation|able)|enhance(?:d|ments?)?|flag|hooks?|implementation|enforce[sd]?)\b"
)
SECURITY: Final = re.compile(
    r"(?i)\b(security|vulnerab(?:le|ility|ilities)|xss|csrf|ssrf|rce|redos|dos|denial of service|injections?"
    r"|(?:path|directory) traversal|open redirect|request smuggling|exploit(?:s|able)?|sandbox escape"
    r"|information disclosure|credential leak"
    r"|leak(?:s|ed|ing)? (?:of )?(?:credentials?|headers?|auth\w*|cookies?|secrets?)"
    r"|constant[- ]time|timing attack|symlink attack|harden(?:s|ed|ing)?)\b"
)
MIGRATION: Final = re.compile(
    r"(?i)(\bdeprecat(?:e[sd]?|ing|ions?)\b|\bmigrat(?:e[sd]?|ing|ions?)\b"
    r"|\breplac(?:e[sd]?|ing|ements?)\b.*\b(?:with|by|for)\b"
    r"|\bswitch(?:e[sd]|ing)? (?:from|to|over)\b|\bport(?:s|ed|ing)? (?:from|to)\b"
    r"|\bmov(?:e[sd]?|ing) (?:from .+ )?to\b"
    r"|\buses? .+ instead of\b|\binstead of\b|\bin favou?r of\b"
    r"|\bdrop(?:s|ped|ping)? (?:use|usage|dependency)\b"
    r"|\bno longer uses?\b|\brenam(?:e[sd]?|ing)\b|\buses? [`'\"]?[a-z_][\w]*(?:\.[\w]+)+)"
)
TESTS: Final = re.compile(
    r"(?i)\b((?:unit |regression |parametri[sz]ed |more |additional )?tests?|test coverage|coverage|flaky)\b"
)

_CONVENTIONAL: Final = re.compile(
    r"^\W*(?P<kind>feat|feature|fix|bugfix|hotfix|bug|perf|refactor|docs?|style|chores?|tests?|build|ci|security|new|revert)"
    r"(?:\([^)]*\))?!?:\s",
    re.IGNORECASE,
)


def found(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """The words of a kind in a text, in lower case, each once."""
    return tuple(dict.fromkeys(match[0].lower() for match in pattern.finditer(text)))


def conventional_kind(title: str) -> str | None:
    """``feat``, ``fix`` and their kind before a conventional title's colon, in lower case; emoji may stand first."""
    match = _CONVENTIONAL.match(title)
    return match["kind"].lower() if match else None
