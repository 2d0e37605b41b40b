"""What a patch says, as values: files, hunks, lines, and the groups of lines that changed together.

Reading them from text is left to `unified`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

NO_NEWLINE = b"\\ No newline at end of file\n"


class MalformedPatch(ValueError):
    """Text that is no patch git would print; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line} of the patch: {reason}")


class Line(NamedTuple):
    """A line of a hunk. `kind` is ` `, `-` or `+`; `text` has its newline, save where the file ends without one."""

    kind: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk; starts count from 1 and are 0 for an empty side. `section` is what stands behind the second `@@`."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    lines: tuple[Line, ...]

    def render(self) -> bytes:
        """The hunk as git prints it."""
        old, new = _range(self.old_start, self.old_count), _range(self.new_start, self.new_count)
        parts = [b"@@ -%s +%s @@%s\n" % (old, new, self.section)]
        for kind, text in self.lines:
            parts += (kind.encode(), text)
            if not text.endswith(b"\n"):
                parts += (b"\n", NO_NEWLINE)
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What happens to one file; paths, modes and ids are None where a side does not exist or the patch is silent.

    `header` is everything before the first hunk and `binary_body` the data behind `GIT binary patch`, both as they
    were read.
    """

    old_path: bytes | None
    new_path: bytes | None
    old_mode: int | None
    new_mode: int | None
    old_oid: str | None
    new_oid: str | None
    binary: bool
    hunks: tuple[Hunk, ...]
    header: bytes
    binary_body: bytes = b""

    @property
    def path(self) -> bytes:
        """The name after the patch; of a deleted file the name before it."""
        name = self.new_path if self.new_path is not None else self.old_path
        if name is None:
            raise ValueError("a file of a patch has a name before or after it; /dev/null on both sides is none")
        return name

    def render(self) -> bytes:
        """The file's part of the patch."""
        return b"".join((self.header, *(hunk.render() for hunk in self.hunks), self.binary_body))


@dataclass(frozen=True, slots=True)
class UnifiedPatch:
    """A patch: its files in order, and the text of a mail around them, if any."""

    files: tuple[FilePatch, ...]
    preamble: bytes = b""
    epilogue: bytes = b""

    def render(self) -> bytes:
        """The bytes again, exactly those that git printed."""
        return b"".join((self.preamble, *(file.render() for file in self.files), self.epilogue))


@dataclass(frozen=True, slots=True)
class EditGroup:
    """A maximal run of removed and added lines of a hunk, with the unchanged lines that touch it on both sides.

    Line numbers count from 1 and name the first line of the run on either side, or where it would be.
    """

    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]
    old_start: int
    new_start: int


def edit_groups(hunk: Hunk) -> tuple[EditGroup, ...]:
    """The hunk cut into its edit groups, in order."""
    runs: list[tuple[bool, list[Line]]] = []
    for line in hunk.lines:
        unchanged = line.kind == " "
        if not runs or runs[-1][0] != unchanged:
            runs.append((unchanged, []))
        runs[-1][1].append(line)
    groups: list[EditGroup] = []
    # An empty side starts *after* the line that git names.
    old = hunk.old_start + (hunk.old_count == 0)
    new = hunk.new_start + (hunk.new_count == 0)
    for number, (unchanged, lines) in enumerate(runs):
        removed = tuple(line.text for line in lines if line.kind == "-")
        added = tuple(line.text for line in lines if line.kind == "+")
        if unchanged:
            old, new = old + len(lines), new + len(lines)
            continue
        before = tuple(line.text for line in runs[number - 1][1]) if number else ()
        after = tuple(line.text for line in runs[number + 1][1]) if number + 1 < len(runs) else ()
        groups.append(EditGroup(removed, added, before, after, old, new))
        old, new = old + len(removed), new + len(added)
    return tuple(groups)


def _range(start: int, count: int) -> bytes:
    return b"%d" % start if count == 1 else b"%d,%d" % (start, count)
