"""Find what a project's own change notes say of one release, whatever their markup.

A release's commit carries these words, so that tasks made of it state their authors' intent. What cannot be found is
simply absent: the notes are a gain, never a need.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(
    rb"^(docs?/(source/)?)?(changes|changelog|change_log|history|news|release[-_]?notes)(\.(md|rst|txt|markdown))?$",
    flags=re.IGNORECASE,
)
_UNDERLINE = re.compile(r"^([=\-~^\"'#*+`:.])\1{2,}\s*$")
_PLAIN = re.compile(r"^(\s*)(?:[-*]\s+)?(?:version\s+|release\s+)?v?\d+(?:\.\d+)+\b", flags=re.IGNORECASE)
MAX_CHARACTERS = 16_384


def release_notes(contents: Mapping[bytes, bytes], version: str) -> str:
    """The section on ``version`` of the change notes among these files, without its heading; empty if there is none."""
    for path in sorted(contents, key=lambda p: (p.count(b"/"), p)):
        if _NAME.match(path):
            found = section(contents[path].decode("utf-8", "replace"), version)
            if found:
                return found
    return ""


def section(text: str, version: str) -> str:
    """The text below the heading that names ``version``, up to the next heading of its kind."""
    lines = text.replace("\r\n", "\n").split("\n")
    token = re.compile(rf"(?<![\w.])v?{re.escape(version)}(?![\w]|\.\d)")
    start = next((i for i in range(len(lines)) if token.search(lines[i]) and _style(lines, i)), None)
    if start is None:
        return ""
    style = _style(lines, start)
    body = start + (2 if style.startswith("rst") else 1)
    end = next((i for i in range(body, len(lines)) if _ends(style, _style(lines, i))), len(lines))
    return "\n".join(line.rstrip() for line in lines[body:end]).strip("\n")[:MAX_CHARACTERS]


def _style(lines: list[str], index: int) -> str:
    """What kind of heading a line is: ``md`` and its level, ``rst`` and its underline, ``plain`` and its indent."""
    line = lines[index]
    if hashes := re.match(r"(#{1,6})\s", line):
        return f"md{len(hashes[1])}"
    under = _UNDERLINE.match(lines[index + 1]) if index + 1 < len(lines) else None
    if under and line.strip() and not _UNDERLINE.match(line) and len(lines[index + 1].rstrip()) >= len(line.strip()):
        return f"rst{under[1]}"
    if plain := _PLAIN.match(line):
        return f"plain{len(plain[1])}"
    return ""


def _ends(own: str, other: str) -> bool:
    return other == own or (own.startswith("md") and other.startswith("md") and other < own)
