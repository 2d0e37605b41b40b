"""A patch's lines and a place among them; every fault knows its line."""

from __future__ import annotations

from change2task.patch.model import MalformedPatch
from change2task.patch.paths import MalformedPath, unquote_bytes


class Cursor:
    """The line that is read next."""

    def __init__(self, data: bytes) -> None:
        self.lines = _split(data)
        self.at = 0

    def peek(self) -> bytes:
        """The line with its newline; nothing at the end."""
        return self.lines[self.at] if self.at < len(self.lines) else b""

    def since(self, start: int) -> bytes:
        """The bytes from a line up to here."""
        return b"".join(self.lines[start : self.at])

    def malformed(self, reason: str, at: int | None = None) -> MalformedPatch:
        """The fault of this line, or of another one."""
        return MalformedPatch((self.at if at is None else at) + 1, reason)

    def text(self) -> bytes:
        """The line of a header, without its newline. Raises MalformedPatch."""
        line = self.peek()
        if not line.endswith(b"\n"):
            raise self.malformed("the patch ends inside a header")
        if line.endswith(b"\r\n"):
            raise self.malformed("the header ends with a carriage return: the patch's own line ends were changed")
        return line[:-1]

    def name(self, raw: bytes) -> bytes:
        """A path as it stands in a header. Raises MalformedPatch."""
        try:
            name = unquote_bytes(raw)
        except MalformedPath as error:
            raise self.malformed(str(error)) from error
        if not name or b"\0" in name:
            raise self.malformed("a path is empty or holds a NUL")
        return name

    def stripped(self, name: bytes) -> bytes:
        """A path without its first folder, which is a/ or b/. Raises MalformedPatch."""
        _, slash, rest = name.partition(b"/")
        if not slash or not rest or name.startswith(b"/"):
            raise self.malformed("a path does not start with a folder to strip, such as a/ or b/")
        return rest


def _split(data: bytes) -> list[bytes]:
    """Lines that end at newlines alone: a carriage return is content."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
