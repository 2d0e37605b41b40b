"""Level 2: function by function.

Each function that the change touched is found on the base by its qualified name, else by name and likeness, and merged
with its own older version alone; the rest of the file is merged with a mark in each function's place. It serves every
language with a parser here; in the others the whole file is one piece, which other strategies have tried.
"""

from __future__ import annotations

from collections.abc import Callable

from change2task.construct.resolve.layout import Layout
from change2task.construct.resolve.menus import ALL
from change2task.construct.resolve.parts import Part, hosts, mark, parts, skeleton
from change2task.construct.resolve.stack import Merged, Note, Unmergeable, merge
from change2task.construct.resolve.worded import split_lines
from change2task.construct.strategies.merging import Merging
from change2task.construct.undo import Versions

MOST_BYTES = 400_000
"""Reading every definition of a file takes seconds a megabyte."""

Rest = Callable[[Part, Part, Part], bytes]
"""What stands in a function's place that does not merge: given it after, today and before the change."""


class UnitMerge(Merging):
    """Functions merged each on its own."""

    def __init__(self) -> None:
        super().__init__("unit-merge", 2, by_units)


def by_units(versions: Versions, rest: Rest | None = None) -> Merged:
    """One file merged by its functions. Raises Unmergeable."""
    language = versions.language
    if language is None:
        raise Unmergeable("no parser for its language")
    if max(map(len, (versions.before, versions.after, versions.modern))) > MOST_BYTES:
        raise Unmergeable(f"a version is larger than {MOST_BYTES} bytes, too large to be taken apart")
    layout = Layout.of(versions.modern)
    before, after, modern = (layout.plain(s) for s in (versions.before, versions.after, versions.modern))
    older, newer, now = (parts(language, source) for source in (before, after, modern))
    host = hosts(newer.values(), now, newer)
    gone = [key for key in newer if key not in host and key in older and older[key].text != newer[key].text]
    if gone:
        raise Unmergeable(f"{gone[0]} is not on the base")
    texts: dict[str, bytes] = {}
    notes: list[Note] = []
    for key, modern_key in host.items():
        part, today = newer[key], now[modern_key]
        if key not in older or older[key].text == part.text:
            texts[key] = today.text
            continue
        merged, how = _merged(versions, part, today, older[key], rest)
        texts[key] = merged
        notes.append(Note(part.first, f"{key}{'' if key == modern_key else f', today {modern_key},'} {how}"))
    names = {key: key for key in texts}
    frame = merge(
        skeleton(after, [newer[key] for key in texts], names),
        skeleton(modern, [now[host[key]] for key in texts], {host[key]: key for key in texts}),
        skeleton(before, [older[key] for key in texts if key in older], names),
        ALL,
        language=language,
        otherwise="fail" if rest is None else "theirs",
    )
    notes += [Note(note.line, f"around the functions: {note.how}") for note in frame.notes]
    content = _filled(frame.content, texts, frozenset(key for key in texts if key in older))
    return Merged(layout.dressed(content), tuple(notes), frame.unsettled)


def _merged(versions: Versions, part: Part, today: Part, older: Part, rest: Rest | None) -> tuple[bytes, str]:
    try:
        merged = merge(part.text, today.text, older.text, ALL, language=versions.language)
    except Unmergeable as refusal:
        if rest is None:
            raise Unmergeable(f"{part.key}: {refusal}") from refusal
        return rest(part, today, older), "as it was before the change"
    hows = dict.fromkeys(note.how for note in merged.notes)
    return merged.content, "; ".join(hows)


def _filled(frame: bytes, texts: dict[str, bytes], wanted: frozenset[str]) -> bytes:
    by_mark = {mark(key): key for key in texts}
    lines: list[bytes] = []
    seen: set[str] = set()
    for line in split_lines(frame):
        key = by_mark.get(line)
        if key is None:
            if line.startswith(b"\0"):
                raise Unmergeable("the place of a function was torn apart")
            lines.append(line)
            continue
        if key in seen:
            raise Unmergeable(f"{key} would stand there twice")
        seen.add(key)
        lines.append(texts[key])
    if lost := sorted(wanted - seen):
        raise Unmergeable(f"the place of {lost[0]} was lost")
    return b"".join(lines)
