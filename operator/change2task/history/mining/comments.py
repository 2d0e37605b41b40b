"""Whether a change says anything new to a machine, or only to readers: comments, docstrings, layout.

Undoing such a change is seen by no check. Tokens of whole files take long, so the lines that differ are compared first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from change2task.patch.model import FilePatch, Hunk
from change2task.patch.unified import parse_patch
from change2task.syntax.languages import Language, language_of
from change2task.syntax.tokens import code_words, same_code

Read = Callable[[bytes], bytes | None]


def changes_code(patch: bytes, before: Read, after: Read) -> bool:
    """Whether some file of a source patch says something else to a machine; ``before``, ``after``: content by path."""
    return any(_file_changes_code(file, before, after) for file in parse_patch(patch).files)


def _file_changes_code(file: FilePatch, before: Read, after: Read) -> bool:
    if file.old_path is None or file.new_path is None or file.binary:
        return True
    language, old, new = language_of(file.path), before(file.old_path), after(file.new_path)
    if language is None or old is None or new is None:
        return True
    starts = _line_starts(old), _line_starts(new)
    alike = all(
        _words(language, old, hunk, starts[0], "-") == _words(language, new, hunk, starts[1], "+")
        for hunk in file.hunks
    )
    # A string over many lines begins outside of the lines that differ, so that what seems alike is looked at whole.
    return not (alike and same_code(language, old, new, docstrings=False))


def _words(language: Language, source: bytes, hunk: Hunk, starts: list[int], sign: str) -> tuple[object, ...]:
    """The code of the hunk's lines on one side, context left out at both ends."""
    first = (hunk.old_start if sign == "-" else hunk.new_start) - 1
    side = (line.kind for line in hunk.lines if line.kind in {" ", sign})
    own = [place for place, kind in enumerate(side) if kind == sign]
    if not own:
        return ()
    start, end = starts[first + own[0]], starts[min(first + own[-1] + 1, len(starts) - 1)]
    words = code_words(language, source, start, end, docstrings=False)
    return tuple(word for word in words if isinstance(word, bytes))


def _line_starts(source: bytes) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in source.split(b"\n"))]
