r"""Git's unified diff as values, byte for byte, and back.

Patches come from git and from agents, and an agent's patch is hostile input: whatever is accepted here means to
`git apply` exactly the files and lines it says here, and everything doubtful is refused with the line and the
reason. One pass, linear in the size. Applying is left to git.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from change2task.patch.paths import MalformedPath, unquote_bytes

PATCH_BYTES = 256 << 20
NO_NEWLINE = b"\\ No newline at end of file\n"

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@([^\n]*)\n?")
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_MODE = re.compile(rb"[0-7]{6}")
_BINARY_SIZE = re.compile(rb"(?:literal|delta) \d{1,12}")
_BASE85 = re.compile(rb"[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{1,70}")
_STARTS = (b"diff ", b"--- ", b"+++ ", b"@@ ", b"Index: ", b"GIT binary patch")
_QUOTED = rb'"(?:[^"\\]|\\.)*"'
_HEADER_NAMES = re.compile(
    rb"(" + _QUOTED + rb"|[^\"].*?) (" + _QUOTED + rb")|(" + _QUOTED + rb") ([^\"].*)", re.DOTALL
)


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
        assert name is not None
        return name

    @property
    def is_new(self) -> bool:
        """Whether the file is made by the patch."""
        return self.old_path is None

    @property
    def is_deleted(self) -> bool:
        """Whether the patch removes the file."""
        return self.new_path is None

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


def paths_touched(patch: UnifiedPatch) -> frozenset[bytes]:
    """Every path the patch reads, writes, makes or removes."""
    names = {name for file in patch.files for name in (file.old_path, file.new_path)}
    return frozenset(name for name in names if name is not None)


def parse_patch(data: bytes) -> UnifiedPatch:
    """Read a patch. Raises MalformedPatch. Nothing at all, or only blanks, is a patch without files."""
    if len(data) > PATCH_BYTES:
        raise MalformedPatch(1, f"it has {len(data)} bytes, more than the {PATCH_BYTES} that are read")
    return _Parser(data).patch()


def _range(start: int, count: int) -> bytes:
    return b"%d" % start if count == 1 else b"%d,%d" % (start, count)


class _Header:
    """The extended header of one file while it is read."""

    def __init__(self) -> None:
        self.names: tuple[bytes, bytes] | None = None
        self.old_mode: int | None = None
        self.new_mode: int | None = None
        self.old_oid: str | None = None
        self.new_oid: str | None = None
        self.created = False
        self.deleted = False
        self.moved: dict[bytes, bytes] = {}
        self.sides: tuple[bytes | None, bytes | None] | None = None


class _Parser:
    def __init__(self, data: bytes) -> None:
        self._lines = data.splitlines(keepends=True) if b"\r" not in data else _split(data)
        self._at = 0

    def patch(self) -> UnifiedPatch:
        start = self._at
        while self._peek() and not self._peek().startswith(_STARTS):
            self._at += 1
        preamble = b"".join(self._lines[start : self._at])
        files: list[FilePatch] = []
        while line := self._peek():
            if line.startswith(b"diff --git "):
                files.append(self._git_file())
            elif line.startswith(b"--- "):
                files.append(self._plain_file())
            elif line in (b"-- \n", b"-- ") and files:
                break
            else:
                raise self._malformed(_what_is(line))
        epilogue = self._epilogue() if files else b""
        if preamble.strip() and not files:
            raise MalformedPatch(1, "it holds no change: no line starts with 'diff --git' or '---'")
        return UnifiedPatch(tuple(files), preamble, epilogue)

    def _epilogue(self) -> bytes:
        start = self._at
        while line := self._peek():
            if line.startswith(_STARTS):
                raise self._malformed("a change stands behind the signature of a mail")
            self._at += 1
        return b"".join(self._lines[start:])

    def _peek(self) -> bytes:
        return self._lines[self._at] if self._at < len(self._lines) else b""

    def _malformed(self, reason: str) -> MalformedPatch:
        return MalformedPatch(self._at + 1, reason)

    def _git_file(self) -> FilePatch:
        start = self._at
        header = _Header()
        header.names = self._header_names(self._text()[len(b"diff --git ") :])
        self._at += 1
        while self._extended(header):
            self._at += 1
        if self._peek().startswith(b"--- "):
            header.sides = self._sides()
        old, new = self._paths(header, start)
        binary, body = False, b""
        stop = self._at
        if self._peek().startswith(b"Binary files "):
            binary = True
            self._at += 1
            stop = self._at
        elif self._peek() == b"GIT binary patch\n":
            binary = True
            body = self._binary_body()
        hunks = () if binary else self._hunks()
        if header.sides and not hunks:
            raise self._malformed("the file names are not followed by a hunk")
        if hunks and not header.sides:
            raise MalformedPatch(start + 1, "hunks without the lines '---' and '+++'")
        self._consistent(header, hunks, start)
        return FilePatch(
            old_path=old,
            new_path=new,
            old_mode=header.old_mode,
            new_mode=header.new_mode,
            old_oid=header.old_oid,
            new_oid=header.new_oid,
            binary=binary,
            hunks=hunks,
            header=b"".join(self._lines[start:stop]),
            binary_body=body,
        )

    def _plain_file(self) -> FilePatch:
        start = self._at
        old, new = self._sides()
        if old is None and new is None:
            raise MalformedPatch(start + 1, "both sides are /dev/null")
        if old is not None and new is not None and old != new:
            raise MalformedPatch(start + 1, "two different names without a rename in the header")
        stop = self._at
        hunks = self._hunks()
        if not hunks:
            raise self._malformed("the file names are not followed by a hunk")
        if (old is None and any(hunk.old_count for hunk in hunks)) or (
            new is None and any(hunk.new_count for hunk in hunks)
        ):
            raise MalformedPatch(start + 1, "a side that is /dev/null has lines")
        header = b"".join(self._lines[start:stop])
        return FilePatch(old, new, None, None, None, None, False, hunks, header)

    def _text(self) -> bytes:
        line = self._peek()
        if not line.endswith(b"\n"):
            raise self._malformed("the patch ends inside a header")
        if line.endswith(b"\r\n"):
            raise self._malformed("the header ends with a carriage return: the patch's own line ends were changed")
        return line[:-1]

    def _extended(self, header: _Header) -> bool:
        line = self._peek()
        for key in (b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode "):
            if line.startswith(key):
                self._mode(header, key, self._text()[len(key) :])
                return True
        for key in (b"rename from ", b"rename to ", b"copy from ", b"copy to "):
            if line.startswith(key):
                if key in header.moved:
                    raise self._malformed("the line is there twice")
                header.moved[key] = self._unquoted(self._text()[len(key) :])
                return True
        if line.startswith(b"index "):
            match = _INDEX.fullmatch(self._text())
            if not match or header.old_oid is not None:
                raise self._malformed("no index line that git would print")
            header.old_oid, header.new_oid = match[1].decode(), match[2].decode()
            if match[3]:
                header.old_mode = header.new_mode = int(match[3], 8)
            return True
        return line.startswith((b"similarity index ", b"dissimilarity index "))

    def _mode(self, header: _Header, key: bytes, text: bytes) -> None:
        if not _MODE.fullmatch(text):
            raise self._malformed("a mode has six octal digits")
        mode = int(text, 8)
        old = key in (b"old mode ", b"deleted file mode ")
        if (header.old_mode if old else header.new_mode) is not None:
            raise self._malformed("the mode is there twice")
        if old:
            header.old_mode = mode
        else:
            header.new_mode = mode
        header.deleted = header.deleted or key == b"deleted file mode "
        header.created = header.created or key == b"new file mode "
        if header.deleted and header.created:
            raise self._malformed("the file is made and deleted at once")

    def _unquoted(self, raw: bytes) -> bytes:
        try:
            name = unquote_bytes(raw)
        except MalformedPath as error:
            raise self._malformed(str(error)) from error
        if not name or b"\0" in name:
            raise self._malformed("a path is empty or holds a NUL")
        return name

    def _stripped(self, name: bytes) -> bytes:
        _, slash, rest = name.partition(b"/")
        if not slash or not rest or name.startswith(b"/"):
            raise self._malformed("a path does not start with a folder to strip, such as a/ or b/")
        return rest

    def _header_names(self, text: bytes) -> tuple[bytes, bytes] | None:
        """Both names of `diff --git`, when they can be told apart without looking at other lines."""
        match = _HEADER_NAMES.fullmatch(text)
        if match:
            old, new = (match[1], match[2]) if match[2] else (match[3], match[4])
            return self._stripped(self._unquoted(old)), self._stripped(self._unquoted(new))
        if text.startswith(b'"'):
            raise self._malformed("the names cannot be read")
        # Unquoted names may hold blanks; they are told apart only when they are the same.
        half = len(text) // 2
        if len(text) % 2 and text[half : half + 1] == b" ":
            old, new = text[:half], text[half + 1 :]
            if old.partition(b"/")[2] and old.partition(b"/")[2] == new.partition(b"/")[2]:
                return self._stripped(old), self._stripped(new)
        return None

    def _sides(self) -> tuple[bytes | None, bytes | None]:
        old = self._side(b"--- ")
        self._at += 1
        if not self._peek().startswith(b"+++ "):
            raise self._malformed("'---' is not followed by '+++'")
        new = self._side(b"+++ ")
        self._at += 1
        return old, new

    def _side(self, key: bytes) -> bytes | None:
        raw = self._text()[len(key) :]
        # Behind a tab stands a time, or nothing when the name holds blanks.
        raw = raw if raw.startswith(b'"') else raw.partition(b"\t")[0]
        if raw == b"/dev/null":
            return None
        return self._stripped(self._unquoted(raw.rstrip(b"\t")))

    def _paths(self, header: _Header, start: int) -> tuple[bytes | None, bytes | None]:
        old, new = self._both(header, start)
        if header.sides:
            for said, named in zip(header.sides, (old, new), strict=True):
                if said is not None and said != named:
                    raise MalformedPatch(start + 1, "the names of 'diff --git' and of '---' and '+++' differ")
            if (header.sides[0] is None) != header.created or (header.sides[1] is None) != header.deleted:
                raise MalformedPatch(start + 1, "/dev/null and the modes of the header contradict each other")
        return None if header.created else old, None if header.deleted else new

    def _both(self, header: _Header, start: int) -> tuple[bytes, bytes]:
        if header.moved:
            kinds = {key.split()[0] for key in header.moved}
            if len(header.moved) != 2 or len(kinds) != 1 or header.created or header.deleted:
                raise MalformedPatch(start + 1, "a rename or copy needs both names, nothing made or deleted")
            kind = kinds.pop()
            moved = header.moved[kind + b" from "], header.moved[kind + b" to "]
            if header.names and header.names != moved:
                raise MalformedPatch(start + 1, "the names of 'diff --git' and of the rename differ")
            return moved
        if header.names is None and header.sides:
            sides = {side for side in header.sides if side is not None}
            if len(sides) == 1:
                only = sides.pop()
                header.names = only, only
        if header.names is None or header.names[0] != header.names[1]:
            raise MalformedPatch(start + 1, "the file has two names, or none that can be told, and no rename")
        return header.names

    def _consistent(self, header: _Header, hunks: tuple[Hunk, ...], start: int) -> None:
        if header.created and any(hunk.old_count for hunk in hunks):
            raise MalformedPatch(start + 1, "a new file has old lines")
        if header.deleted and any(hunk.new_count for hunk in hunks):
            raise MalformedPatch(start + 1, "a deleted file has new lines")

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        end = 0
        while self._peek().startswith(b"@@"):
            hunk = self._hunk()
            if hunk.old_start < end:
                raise self._malformed("the hunk before this line overlaps an earlier one or stands before it")
            end = hunk.old_start + hunk.old_count
            hunks.append(hunk)
        return tuple(hunks)

    def _hunk(self) -> Hunk:
        match = _HUNK.fullmatch(self._peek())
        if not match:
            combined = self._peek().startswith(b"@@@")
            raise self._malformed("a combined diff of a merge" if combined else "no header of a hunk")
        old_start, old_count, new_start, new_count = (
            int(number) if number is not None else 1 for number in match.groups()[:4]
        )
        begin = self._at
        self._at += 1
        lines: list[Line] = []
        old_left, new_left = old_count, new_count
        while old_left or new_left:
            line = self._body_line()
            old_left -= line.kind != "+"
            new_left -= line.kind != "-"
            if old_left < 0 or new_left < 0:
                self._at = begin
                raise self._malformed(f"the hunk's lines are not the {old_count} old and {new_count} new of its header")
            lines.append(line)
        self._no_stray_line(old_count, new_count)
        if not any(line.kind != " " for line in lines):
            self._at = begin
            raise self._malformed("the hunk changes nothing")
        return Hunk(old_start, old_count, new_start, new_count, match[5], tuple(lines))

    def _no_stray_line(self, old_count: int, new_count: int) -> None:
        line = self._peek()
        if line.startswith((b"+", b" ", b"-", b"\\")) and not line.startswith((b"--- ", b"-- \n")) and line != b"-- ":
            raise self._malformed(f"a line too many: the hunk announces {old_count} old and {new_count} new lines")

    def _body_line(self) -> Line:
        line = self._peek()
        kind = line[:1]
        if line == b"\n":  # an unchanged empty line whose blank was trimmed
            kind, line = b" ", b" \n"
        if kind not in (b" ", b"-", b"+") or not kind:
            raise self._malformed("the hunk ends too early" if not line else "no line of a hunk")
        if not line.endswith(b"\n"):
            raise self._malformed("the patch ends inside a line")
        self._at += 1
        text = line[1:]
        if self._peek().startswith(b"\\ "):
            self._text()
            self._at += 1
            text = text[:-1]
        return Line(kind.decode(), text)

    def _binary_body(self) -> bytes:
        start = self._at
        self._at += 1
        blocks = 0
        while _BINARY_SIZE.fullmatch(self._peek()[:-1]):
            blocks += 1
            if blocks > 2:
                raise self._malformed("a third block of binary data")
            self._at += 1
            while _BASE85.fullmatch(self._peek()[:-1]):
                self._at += 1
            if self._peek() != b"\n":
                raise self._malformed("no line of binary data, and no empty line that ends it")
            self._at += 1
        if not blocks:
            raise self._malformed("binary data starts with its kind and size")
        return b"".join(self._lines[start : self._at])


def _split(data: bytes) -> list[bytes]:
    """Lines that end at newlines alone: a carriage return is content."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _what_is(line: bytes) -> str:
    if line.startswith((b"diff --cc", b"diff --combined")):
        return "a combined diff of a merge"
    if line.startswith(b"@@ "):
        return "a hunk without a file"
    return "neither the header of a file nor a part of one"
