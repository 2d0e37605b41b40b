"""What a repository says of its own files in ``.gitattributes``: generated, vendored, documentation.

Git 2.39 cannot ask attributes of a tree without a work tree, and a work tree is where filters run; so the few
attributes that matter are read here from bytes. Macros and every other attribute are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from change2task.history.globs import as_text, matches

_KNOWN: Final = ("linguist-generated", "linguist-vendored", "linguist-documentation")
_FALSE = frozenset({"false", "0", "no"})


class Attributes:
    """Linguist attributes of a tree, from all its ``.gitattributes`` files."""

    def __init__(self, files: Mapping[bytes, bytes]) -> None:
        """``files``: path of each ``.gitattributes`` to its content."""
        rules: list[tuple[str, dict[str, bool]]] = []
        for path in sorted(files, key=lambda p: (p.count(b"/"), p)):
            folder = as_text(path).rpartition("/")[0]
            rules.extend(_rules(folder, files[path]))
        self._rules = tuple(rules)

    def says(self, path: bytes, attribute: str) -> bool | None:
        """Whether the attribute is set or unset for the path; None when nothing is said. Later and deeper lines win."""
        answer: bool | None = None
        for pattern, values in self._rules:
            if attribute in values and matches(path, (pattern,)):
                answer = values[attribute]
        return answer


def _rules(folder: str, content: bytes) -> list[tuple[str, dict[str, bool]]]:
    rules = []
    for line in content.decode("utf-8", "surrogateescape").splitlines():
        match = re.match(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s#"][^\s]*))\s+(.*)', line)
        if match is None:
            continue
        values = _values(match[3])
        if values:
            rules.append((_anchored(folder, match[1] or match[2]), values))
    return rules


def _values(text: str) -> dict[str, bool]:
    values: dict[str, bool] = {}
    for word in text.split():
        name, _, value = word.lstrip("-!").partition("=")
        if name in _KNOWN and not word.startswith("!"):
            values[name] = not word.startswith("-") and value.lower() not in _FALSE
    return values


def _anchored(folder: str, pattern: str) -> str:
    anchored = "/" in pattern.rstrip("/")
    pattern = pattern.lstrip("/")
    where = f"{folder}/" if folder else ""
    return where + pattern if anchored else f"{where}**/{pattern}"
