"""Go's imports brought into line with what a merged file uses. Pure.

In other languages an import too many is harmless, so that merging never takes one away. Go builds nothing of a
package in which an import is idle or missing: a candidate that undoes the change rightly would be lost for its head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from change2task.construct.placing import without_imports
from change2task.construct.resolve.worded import split_lines
from change2task.syntax.imports import Import, imports
from change2task.syntax.languages import Language
from change2task.syntax.tokens import tokens

_GO = Language.GO
_UNNAMED = frozenset({"_", "."})


def balanced(text: bytes, sources: Sequence[bytes]) -> tuple[bytes, tuple[str, ...]]:
    """The file with the imports that it uses, and in words what came and went.

    ``sources`` are other versions of the file, the base's first; whichever knows a package first says how to import it.
    An import that the base does not use either, as far as its name tells, stays as it is there.
    """
    used = _qualifiers(text)
    said: list[str] = []
    first = sources[0] if sources else b""
    idle = [
        name
        for statement in imports(_GO, text)
        for name in _names(statement)
        if name not in used and (name in _qualifiers(first) or not _imports(first, statement.module))
    ]
    if idle:
        text = without_imports(_GO, text, idle)
        said += [f"import {name} taken away, since nothing uses it any more" for name in idle]
    bound = {name for statement in imports(_GO, text) for name in _names(statement)}
    for name in sorted(used - bound):
        found = next((s for source in sources for s in _lines(source, name)), None)
        if found is not None:
            text = _with_line(text, *found)
            said.append(f"import {name} brought back, since it is used")
    return text, tuple(said)


def _qualifiers(text: bytes) -> frozenset[str]:
    """Words before a dot that stand behind none: packages, and whatever else has members."""
    words = [token.text for token in tokens(_GO, text)]
    found = {word for word, dot in pairwise(words) if dot == b"."}
    behind = [(words[n - 1] if n else b"", word, words[n + 1]) for n, word in enumerate(words[:-1])]
    return frozenset(
        word.decode("utf-8", "replace")
        for before, word, dot in behind
        if dot == b"." and before != b"." and word in found
    )


def _names(statement: Import) -> list[str]:
    """The names under which a package is used; none where it is loaded alone or poured out."""
    return [binding.name for binding in statement.bindings if binding.name not in _UNNAMED]


def _imports(text: bytes, module: str) -> bool:
    return any(statement.module == module for statement in imports(_GO, text))


def _lines(source: bytes, name: str) -> Iterator[tuple[bytes, frozenset[str]]]:
    """The line that imports the name, without what leads a lone one, and the modules that stand above it."""
    above: set[str] = set()
    for statement in imports(_GO, source):
        if name in _names(statement):
            line = source[statement.span.start : statement.span.end].strip()
            yield line.removeprefix(b"import").strip(), frozenset(above)
        above.add(statement.module)


def _with_line(text: bytes, line: bytes, above: frozenset[str]) -> bytes:
    lines = list(split_lines(text))
    there = imports(_GO, text)
    grouped = [statement for statement in there if statement.group is not None]
    if grouped:
        behind = [statement for statement in grouped if statement.module in above]
        place = behind[-1].span.last_line if behind else grouped[0].span.first_line - 1
        lines.insert(place, b"\t" + line + b"\n")
    else:
        package = next((n for n, one in enumerate(lines) if one.startswith(b"package ")), -1)
        place = there[-1].span.last_line if there else package + 1
        lines[place:place] = [b"import " + line + b"\n"] if there else [b"\n", b"import " + line + b"\n"]
    return b"".join(lines)
