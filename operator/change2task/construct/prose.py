"""A change's lines taken out of a document that people read: runs of lines, entries of lists, links that those used.

Pure: bytes in, bytes out. Where the change had replaced lines and its own still stand whole, those come back, so that
the document says of the task state what it said before. Which documents, and what names an entry, is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from change2task.construct.definitions import orphaned
from change2task.history.contents import is_binary

LEAST_LINE = 20
"""Characters of a line below which that it stands twice may be chance."""
_LARGEST = 2 << 20
_BULLET = re.compile(rb"^(\s*)(?:[-*+]|\d+[.)])\s+\S")


class WrittenRun(NamedTuple):
    """Lines in a row that a change wrote, without their ends, and those that stood in their place before."""

    lines: tuple[bytes, ...]
    before: tuple[bytes, ...] = ()


class Less(NamedTuple):
    """A document without lines of a change: how many of it went, and how many that it replaced came back."""

    content: bytes
    gone: int
    back: int


def runs_of(before: bytes, after: bytes) -> tuple[WrittenRun, ...]:
    """The runs of lines that the change added, without the blank ones around them."""
    if is_binary(before) or is_binary(after) or max(len(before), len(after)) > _LARGEST:
        return ()
    old, new = before.splitlines(), after.splitlines()
    known = frozenset(old)
    found: list[WrittenRun] = []
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        run = _trimmed(new[start:end]) if tag in {"insert", "replace"} else ()
        if any(_tells(line) and line not in known for line in run):
            found.append(WrittenRun(run, _trimmed(old[first:last])))
    return tuple(found)


def without_runs(
    content: bytes, runs: Sequence[WrittenRun], known: frozenset[bytes], names: Callable[[str], bool]
) -> Less | None:
    """The content without the runs, or without their long lines where a run no longer stands whole; None: no such."""
    lines = content.splitlines(keepends=True)
    bare = [line.rstrip(b"\r\n") for line in lines]
    doomed: set[int] = set()
    back: dict[int, tuple[bytes, ...]] = {}
    for run in runs:
        width = len(run.lines)
        whole = [at for at in range(len(bare) - width + 1) if tuple(bare[at : at + width]) == run.lines]
        doomed.update(place for at in whole for place in range(at, at + width))
        if len(whole) == 1 and not any(line in bare for line in run.before if _tells(line)):
            end = lines[whole[0]][len(bare[whole[0]]) :] or b"\n"
            back[whole[0]] = tuple(line + end for line in run.before)
        if not whole:
            telling = frozenset(line for line in run.lines if _tells(line)) - known
            doomed.update(place for place, line in enumerate(bare) if line in telling)
    if not doomed:
        return None
    lines, doomed = _with(lines, doomed, back)
    doomed |= orphaned(lines, doomed, names)
    return Less(_kept(lines, doomed), len(doomed), sum(map(len, back.values())))


def without_entries(content: bytes, names: Callable[[str], bool]) -> tuple[bytes, int]:
    """A change log without the list entries that name the change, and how many those were."""
    lines = content.splitlines(keepends=True)
    doomed: set[int] = set()
    count = 0
    for start, end, own in _entries(lines):
        if start not in doomed and names(b"".join(own).decode("utf-8", "replace")):
            doomed.update(range(start, end))
            count += 1
    doomed |= orphaned(lines, doomed, names)
    return (_kept(lines, doomed), count) if doomed else (content, 0)


def _with(
    lines: Sequence[bytes], doomed: Collection[int], back: Mapping[int, Sequence[bytes]]
) -> tuple[list[bytes], set[int]]:
    """The lines with those that come ``back`` before a place, and where the doomed ones stand then."""
    every: list[bytes] = []
    there: set[int] = set()
    for place, line in enumerate(lines):
        every += back.get(place, ())
        if place in doomed:
            there.add(len(every))
        every.append(line)
    return every, there


def _trimmed(run: Sequence[bytes]) -> tuple[bytes, ...]:
    while run and not run[0].strip():
        run = run[1:]
    while run and not run[-1].strip():
        run = run[:-1]
    return tuple(run)


def _tells(line: bytes) -> bool:
    text = line.strip().decode("utf-8", "replace")
    return len(text) >= LEAST_LINE and any(sign.isalnum() for sign in text)


def _entries(lines: Sequence[bytes]) -> Iterator[tuple[int, int, list[bytes]]]:
    """List entries by first line and the line after their last, with the lines that are not of an entry inside."""
    marks = [(place, len(found[1])) for place, line in enumerate(lines) if (found := _BULLET.match(line))]
    for place, indent in marks:
        end = place + 1
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        inner = next((other for other, _ in marks if place < other < end), end)
        yield place, end, list(lines[place:inner])


def _kept(lines: Sequence[bytes], doomed: Collection[int]) -> bytes:
    """The lines that stay; of blank ones on both sides of what goes, one side."""
    kept: list[bytes] = []
    after_gap = False
    for place, line in enumerate(lines):
        if place in doomed:
            after_gap = True
            continue
        blank = not line.strip()
        if after_gap and blank and (not kept or not kept[-1].strip()):
            continue
        after_gap = after_gap and blank
        kept.append(line)
    while len(lines) - 1 in doomed and len(kept) > 1 and not kept[-1].strip():
        kept.pop()
    return b"".join(kept)
