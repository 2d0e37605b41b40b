"""What a change's own change log says: the kind of its news fragments, the section its entry stands in, its words.

Projects state there, in the same commit, whether it was a bug or a feature, and often the only advisory id. Only
added lines count: the rest of a change log is about others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from change2task.history.globs import as_text
from change2task.history.names import is_news_fragment

_KINDS = (
    (re.compile(r"(?i)\bsecurity\b|vulnerab"), "security"),
    (re.compile(r"(?i)\b(bug\s?-?fix(es)?|fix(es|ed)?|bugs)\b"), "bugfix"),
    (re.compile(r"(?i)\b(deprecat\w*)\b"), "deprecation"),
    (re.compile(r"(?i)\b(remov\w*|breaking|backwards? incompat\w*)\b"), "removal"),
    (re.compile(r"(?i)\b(features?|add(ed|itions?)|new|enhancements?|improvements?)\b"), "feature"),
)
_SECTION = re.compile(r"^\s{0,3}(?:#{1,6}\s*(?P<hashed>[^#\n]{2,60})|(?P<plain>[A-Z*][\w*/ &-]{2,50}):?\**\s*)$")
_NOTE = re.compile(r"(?P<kind>[a-z_]+):\s*\|?\s*")
"""The heading of a part of a note in YAML, as reno has them."""
_NOTE_KINDS = {
    "features": "feature",
    "fixes": "bugfix",
    "security": "security",
    "deprecations": "deprecation",
    "upgrade": "misc",
    "issues": "misc",
    "critical": "bugfix",
    "other": "misc",
}
_LONGEST = 300
_MOST = 8


@dataclass(frozen=True)
class News:
    """Kinds (feature, bugfix, security, deprecation, removal, misc) and the added lines, shortened."""

    kinds: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def read_news(files: Iterable[tuple[bytes, bytes, tuple[int, ...]]]) -> News:
    """News of added lines. ``files``: path, content after the change, 1-based numbers of its added lines."""
    kinds: dict[str, None] = {}
    said: list[str] = []
    for path, content, added in files:
        lines = content.decode("utf-8", "replace").splitlines()
        name = as_text(path).rpartition("/")[2]
        if is_news_fragment(name):
            kinds.update(dict.fromkeys(_kind_of_fragment(name)))
        note = name.endswith(".yaml")
        for number in added:
            line = lines[number - 1].strip() if number <= len(lines) else ""
            if not any(c.isalpha() for c in line):
                continue
            if note and (part := _NOTE.fullmatch(line)):
                kinds.update({_NOTE_KINDS[part["kind"]]: None} if part["kind"] in _NOTE_KINDS else {})
                continue
            said.append(line.lstrip("-*+ ")[:_LONGEST])
            if not is_news_fragment(name) and (kind := _kind_of_section(lines, number - 1)):
                kinds[kind] = None
    return News(tuple(kinds), tuple(said[:_MOST]))


def _kind_of_fragment(name: str) -> tuple[str, ...]:
    word = name.split(".")[1].lower()
    known = {
        "feature": "feature",
        "added": "feature",
        "improvement": "feature",
        "bugfix": "bugfix",
        "fixed": "bugfix",
        "security": "security",
        "deprecation": "deprecation",
        "deprecated": "deprecation",
        "removal": "removal",
        "removed": "removal",
        "breaking": "removal",
        "misc": "misc",
    }
    return (known[word],) if word in known else ()


def _kind_of_section(lines: list[str], index: int) -> str | None:
    """The kind of the nearest heading above, or none if that heading is a version's."""
    for line in reversed(lines[max(0, index - 60) : index]):
        if line[:1] in "-*+ \t" and not line.startswith("**"):
            continue
        match = _SECTION.match(line)
        if match is None:
            continue
        title = match["hashed"] or match["plain"] or ""
        return next((kind for pattern, kind in _KINDS if pattern.search(title)), None)
    return None
