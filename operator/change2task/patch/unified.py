"""Git's unified diff read into values, byte for byte, and back.

Patches come from git and from agents, and an agent's patch is hostile input: whatever is accepted here means to
`git apply` exactly the files and lines it says here, and everything doubtful is refused with the line and the
reason. One pass, linear in the size. Applying is left to git.
"""

from __future__ import annotations

import re

from change2task.patch.cursor import Cursor
from change2task.patch.header import Header, HeaderReader
from change2task.patch.model import (
    NO_NEWLINE,
    EditGroup,
    FilePatch,
    Hunk,
    Line,
    MalformedPatch,
    UnifiedPatch,
    edit_groups,
)

__all__ = [
    "NO_NEWLINE",
    "EditGroup",
    "FilePatch",
    "Hunk",
    "Line",
    "MalformedPatch",
    "UnifiedPatch",
    "edit_groups",
    "parse_patch",
]

PATCH_BYTES = 256 << 20
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@([^\n]*)\n?")
_BINARY_SIZE = re.compile(rb"(?:literal|delta) \d{1,12}")
_BASE85 = re.compile(rb"[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{1,70}")
_STARTS = (b"diff ", b"--- ", b"+++ ", b"@@ ", b"Index: ", b"GIT binary patch")


def parse_patch(data: bytes) -> UnifiedPatch:
    """Read a patch. Raises MalformedPatch. Nothing at all, or only blanks, is a patch without files."""
    if len(data) > PATCH_BYTES:
        raise MalformedPatch(1, f"it has {len(data)} bytes, more than the {PATCH_BYTES} that are read")
    return _Parser(data).patch()


class _Parser:
    def __init__(self, data: bytes) -> None:
        self._cursor = Cursor(data)
        self._headers = HeaderReader(self._cursor)

    def patch(self) -> UnifiedPatch:
        start = self._cursor.at
        while self._cursor.peek() and not self._cursor.peek().startswith(_STARTS):
            self._cursor.at += 1
        preamble = self._cursor.since(start)
        files: list[FilePatch] = []
        while line := self._cursor.peek():
            if line.startswith(b"diff --git "):
                files.append(self._git_file())
            elif line.startswith(b"--- "):
                files.append(self._plain_file())
            elif line in (b"-- \n", b"-- ") and files:
                break
            else:
                raise self._cursor.malformed(_what_is(line))
        epilogue = self._epilogue() if files else b""
        if preamble.strip() and not files:
            raise MalformedPatch(1, "it holds no change: no line starts with 'diff --git' or '---'")
        return UnifiedPatch(tuple(files), preamble, epilogue)

    def _epilogue(self) -> bytes:
        start = self._cursor.at
        while line := self._cursor.peek():
            if line.startswith(_STARTS):
                raise self._cursor.malformed("a change stands behind the signature of a mail")
            self._cursor.at += 1
        return self._cursor.since(start)

    def _git_file(self) -> FilePatch:
        start = self._cursor.at
        header = self._headers.git()
        head = self._cursor.since(start)
        binary, body = False, b""
        hunks: tuple[Hunk, ...] = ()
        after = self._cursor.at
        if self._cursor.peek().startswith(b"Binary files "):
            binary = True
            self._cursor.at += 1
            body = self._cursor.since(after)
        elif self._cursor.peek() == b"GIT binary patch\n":
            binary = True
            self._binary_data()
            body = self._cursor.since(after)
        else:
            hunks = self._hunks()
        self._consistent(header, hunks, start)
        return FilePatch(
            old_path=header.old_path,
            new_path=header.new_path,
            old_mode=header.old_mode,
            new_mode=header.new_mode,
            old_oid=header.old_oid,
            new_oid=header.new_oid,
            binary=binary,
            hunks=hunks,
            header=head,
            binary_body=body,
        )

    def _plain_file(self) -> FilePatch:
        start = self._cursor.at
        header = self._headers.plain()
        head = self._cursor.since(start)
        hunks = self._hunks()
        self._consistent(header, hunks, start)
        return FilePatch(header.old_path, header.new_path, None, None, None, None, False, hunks, head)

    def _consistent(self, header: Header, hunks: tuple[Hunk, ...], start: int) -> None:
        if header.sides and not hunks:
            raise self._cursor.malformed("the file names are not followed by a hunk")
        if hunks and not header.sides:
            raise self._cursor.malformed("hunks without the lines '---' and '+++'", start)
        if header.old_path is None and any(hunk.old_count for hunk in hunks):
            raise self._cursor.malformed("a file that is not there has old lines", start)
        if header.new_path is None and any(hunk.new_count for hunk in hunks):
            raise self._cursor.malformed("a file that is removed has new lines", start)

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        end = 0
        while self._cursor.peek().startswith(b"@@"):
            hunk = self._hunk()
            if hunk.old_start < end:
                raise self._cursor.malformed("the hunk before this line overlaps an earlier one or stands before it")
            end = hunk.old_start + hunk.old_count
            hunks.append(hunk)
        return tuple(hunks)

    def _hunk(self) -> Hunk:
        match = _HUNK.fullmatch(self._cursor.peek())
        if not match:
            combined = self._cursor.peek().startswith(b"@@@")
            raise self._cursor.malformed("a combined diff of a merge" if combined else "no header of a hunk")
        old_start, old_count, new_start, new_count = (
            int(number) if number is not None else 1 for number in match.groups()[:4]
        )
        begin = self._cursor.at
        self._cursor.at += 1
        lines: list[Line] = []
        old_left, new_left = old_count, new_count
        while old_left or new_left:
            line = self._body_line()
            old_left -= line.kind != "+"
            new_left -= line.kind != "-"
            if old_left < 0 or new_left < 0:
                self._cursor.at = begin
                raise self._cursor.malformed(f"the lines are not the {old_count} old and {new_count} new announced")
            lines.append(line)
        self._no_stray_line(old_count, new_count)
        if not any(line.kind != " " for line in lines):
            self._cursor.at = begin
            raise self._cursor.malformed("the hunk changes nothing")
        return Hunk(old_start, old_count, new_start, new_count, match[5], tuple(lines))

    def _no_stray_line(self, old_count: int, new_count: int) -> None:
        line = self._cursor.peek()
        if line.startswith((b"+", b" ", b"-", b"\\")) and not line.startswith((b"--- ", b"-- \n")) and line != b"-- ":
            raise self._cursor.malformed(f"a line too many: {old_count} old and {new_count} new are announced")

    def _body_line(self) -> Line:
        line = self._cursor.peek()
        kind = line[:1]
        if line == b"\n":  # an unchanged empty line whose blank was trimmed
            kind, line = b" ", b" \n"
        if kind not in (b" ", b"-", b"+") or not kind:
            raise self._cursor.malformed("the hunk ends too early" if not line else "no line of a hunk")
        if not line.endswith(b"\n"):
            raise self._cursor.malformed("the patch ends inside a line")
        self._cursor.at += 1
        text = line[1:]
        if self._cursor.peek().startswith(b"\\ "):
            self._cursor.text()
            self._cursor.at += 1
            text = text[:-1]
        return Line(kind.decode(), text)

    def _binary_data(self) -> None:
        self._cursor.at += 1
        blocks = 0
        while _BINARY_SIZE.fullmatch(self._cursor.peek()[:-1]):
            blocks += 1
            if blocks > 2:
                raise self._cursor.malformed("a third block of binary data")
            self._cursor.at += 1
            while _BASE85.fullmatch(self._cursor.peek()[:-1]):
                self._cursor.at += 1
            if self._cursor.peek() != b"\n":
                raise self._cursor.malformed("no line of binary data, and no empty line that ends it")
            self._cursor.at += 1
        if not blocks:
            raise self._cursor.malformed("binary data starts with its kind and size")


def _what_is(line: bytes) -> str:
    if line.startswith((b"diff --cc", b"diff --combined")):
        return "a combined diff of a merge"
    if line.startswith(b"@@ "):
        return "a hunk without a file"
    return "neither the header of a file nor a part of one"
