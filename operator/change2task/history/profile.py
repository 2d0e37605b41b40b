"""The six-dimension source change profile of a patch (paper, A.2): one measure for the source change and for G.

Both sides of the fidelity gate must be counted by the same rule, so this takes nothing but a patch, made with three
lines of context and holding source files only, and readers for the two states. Comparing is left to ``validate``.
"""

from __future__ import annotations

from collections.abc import Callable

from change2task.api.fidelity import ChangeProfile
from change2task.patch.counts import FileCounts, count_files, total
from change2task.patch.paths import quote
from change2task.patch.unified import parse_patch
from change2task.syntax.languages import language_of
from change2task.syntax.symbols import symbols_touched

Reader = Callable[[bytes], bytes | None]
"""The content of a path in one state; None when the path is not there."""


def profile_of(patch: bytes, before: Reader, after: Reader, targets: int, regressions: int) -> ChangeProfile:
    """The profile of a patch between two states. A binary file counts as a file without hunks and lines.

    ``targets`` and ``regressions`` are the counts of checks, which no patch knows. Raises MalformedPatch.
    """
    files = count_files(parse_patch(patch))
    counts = total(files)
    return ChangeProfile(
        files=counts.files,
        hunks=counts.hunks,
        lines=counts.lines,
        symbols=len(_symbols(files, before, after)),
        target_checks=targets,
        regression_checks=regressions,
    )


def symbols_of(patch: bytes, before: Reader, after: Reader) -> tuple[str, ...]:
    """The touched symbols of both sides, each once, as ``path::name`` with the path quoted. Raises MalformedPatch."""
    return _symbols(count_files(parse_patch(patch)), before, after)


def _symbols(files: tuple[FileCounts, ...], before: Reader, after: Reader) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for file in files:
        for reader, lines in ((before, file.removed_lines), (after, file.added_lines)):
            content = reader(file.path) if lines else None
            language = language_of(file.path, content[:256]) if content is not None else None
            if content is None or language is None:
                continue
            for name in symbols_touched(language, content, lines):
                found[f"{quote(file.path)}::{name}"] = None
    return tuple(found)
