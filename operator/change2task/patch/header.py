"""The header of one file in a patch: names, modes, object ids, and every contradiction between them.

Git itself reads some contradictory headers and then trusts one of the two names; here they are refused, so that the
paths a patch says it touches are those it does.
"""

from __future__ import annotations

import re

from change2task.patch.cursor import Cursor

_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_MODE = re.compile(rb"[0-7]{6}")
_QUOTED = rb'"(?:[^"\\]|\\.)*"'
_HEADER_NAMES = re.compile(
    rb"(" + _QUOTED + rb"|[^\"].*?) (" + _QUOTED + rb")|(" + _QUOTED + rb") ([^\"].*)", re.DOTALL
)


class Header:
    """What the extended header of one file said."""

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
        self.old_path: bytes | None = None
        self.new_path: bytes | None = None


class HeaderReader:
    """Reads headers where the cursor stands."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def git(self) -> Header:
        """The header that starts with `diff --git`, up to the first hunk or binary data. Raises MalformedPatch."""
        start = self._cursor.at
        header = Header()
        header.names = self._header_names(self._cursor.text()[len(b"diff --git ") :])
        self._cursor.at += 1
        while self._extended(header):
            self._cursor.at += 1
        if self._cursor.peek().startswith(b"--- "):
            header.sides = self._sides()
        header.old_path, header.new_path = self._paths(header, start)
        return header

    def plain(self) -> Header:
        """The two lines `---` and `+++` of a diff that git did not make. Raises MalformedPatch."""
        start = self._cursor.at
        header = Header()
        header.sides = self._sides()
        header.old_path, header.new_path = header.sides
        if header.old_path is None and header.new_path is None:
            raise self._cursor.malformed("both sides are /dev/null", start)
        if None not in header.sides and header.old_path != header.new_path:
            raise self._cursor.malformed("two different names without a rename in the header", start)
        return header

    def _extended(self, header: Header) -> bool:
        line = self._cursor.peek()
        for key in (b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode "):
            if line.startswith(key):
                self._mode(header, key, self._cursor.text()[len(key) :])
                return True
        for key in (b"rename from ", b"rename to ", b"copy from ", b"copy to "):
            if line.startswith(key):
                if key in header.moved:
                    raise self._cursor.malformed("the line is there twice")
                header.moved[key] = self._cursor.name(self._cursor.text()[len(key) :])
                return True
        if line.startswith(b"index "):
            match = _INDEX.fullmatch(self._cursor.text())
            if not match or header.old_oid is not None:
                raise self._cursor.malformed("no index line that git would print")
            header.old_oid, header.new_oid = match[1].decode(), match[2].decode()
            if match[3]:
                header.old_mode = header.new_mode = int(match[3], 8)
            return True
        return line.startswith((b"similarity index ", b"dissimilarity index "))

    def _mode(self, header: Header, key: bytes, text: bytes) -> None:
        if not _MODE.fullmatch(text):
            raise self._cursor.malformed("a mode has six octal digits")
        mode = int(text, 8)
        old = key in (b"old mode ", b"deleted file mode ")
        if (header.old_mode if old else header.new_mode) is not None:
            raise self._cursor.malformed("the mode is there twice")
        if old:
            header.old_mode = mode
        else:
            header.new_mode = mode
        header.deleted = header.deleted or key == b"deleted file mode "
        header.created = header.created or key == b"new file mode "
        if header.deleted and header.created:
            raise self._cursor.malformed("the file is made and deleted at once")

    def _header_names(self, text: bytes) -> tuple[bytes, bytes] | None:
        """Both names of `diff --git`, when they can be told apart without looking at other lines."""
        match = _HEADER_NAMES.fullmatch(text)
        if match:
            old, new = (match[1], match[2]) if match[2] else (match[3], match[4])
            return self._cursor.stripped(self._cursor.name(old)), self._cursor.stripped(self._cursor.name(new))
        if text.startswith(b'"'):
            raise self._cursor.malformed("the names cannot be read")
        # Unquoted names may hold blanks; they are told apart only when they are the same.
        half = len(text) // 2
        if len(text) % 2 and text[half : half + 1] == b" ":
            old, new = text[:half], text[half + 1 :]
            if old.partition(b"/")[2] and old.partition(b"/")[2] == new.partition(b"/")[2]:
                return self._cursor.stripped(old), self._cursor.stripped(new)
        return None

    def _sides(self) -> tuple[bytes | None, bytes | None]:
        old = self._side(b"--- ")
        self._cursor.at += 1
        if not self._cursor.peek().startswith(b"+++ "):
            raise self._cursor.malformed("'---' is not followed by '+++'")
        new = self._side(b"+++ ")
        self._cursor.at += 1
        return old, new

    def _side(self, key: bytes) -> bytes | None:
        raw = self._cursor.text()[len(key) :]
        # Behind a tab stands a time, or nothing when the name holds blanks.
        raw = raw if raw.startswith(b'"') else raw.partition(b"\t")[0]
        if raw == b"/dev/null":
            return None
        return self._cursor.stripped(self._cursor.name(raw.rstrip(b"\t")))

    def _paths(self, header: Header, start: int) -> tuple[bytes | None, bytes | None]:
        old, new = self._both(header, start)
        if header.sides:
            for said, named in zip(header.sides, (old, new), strict=True):
                if said is not None and said != named:
                    raise self._cursor.malformed("the names of 'diff --git' and of '---' and '+++' differ", start)
            if (header.sides[0] is None) != header.created or (header.sides[1] is None) != header.deleted:
                raise self._cursor.malformed("/dev/null and the modes of the header contradict each other", start)
        return None if header.created else old, None if header.deleted else new

    def _both(self, header: Header, start: int) -> tuple[bytes, bytes]:
        if header.moved:
            kinds = {key.split()[0] for key in header.moved}
            if len(header.moved) != 2 or len(kinds) != 1 or header.created or header.deleted:
                raise self._cursor.malformed("a rename or copy needs both names, nothing made or deleted", start)
            kind = kinds.pop()
            moved = header.moved[kind + b" from "], header.moved[kind + b" to "]
            if header.names and header.names != moved:
                raise self._cursor.malformed("the names of 'diff --git' and of the rename differ", start)
            return moved
        if header.names is None and header.sides:
            sides = {side for side in header.sides if side is not None}
            if len(sides) == 1:
                only = sides.pop()
                header.names = only, only
        if header.names is None or header.names[0] != header.names[1]:
            raise self._cursor.malformed("the file has two names, or none that can be told, and no rename", start)
        return header.names
