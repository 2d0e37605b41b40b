"""Line ends, byte order marks and final newlines brought to the modern file's, so that they never clash."""

from __future__ import annotations

from dataclasses import dataclass

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the modern file does at its edges and at line ends."""

    mark: bool
    carriage: bool
    ended: bool

    @classmethod
    def of(cls, source: bytes) -> Layout:
        """The layout of a file; mixed line ends are no layout and are left as they are."""
        feeds = source.count(b"\n")
        carriage = feeds > 0 and source.count(b"\r\n") == feeds
        return cls(source.startswith(_MARK), carriage, not source or source.endswith(b"\n"))

    def plain(self, source: bytes) -> bytes:
        """A version of the file without mark, ended, and with bare line feeds where the modern file is uniform."""
        text = source.removeprefix(_MARK)
        if Layout.of(source).carriage:
            text = text.replace(b"\r\n", b"\n")
        return text if not text or text.endswith(b"\n") else text + b"\n"

    def dressed(self, plain: bytes) -> bytes:
        """The plain text as the modern file would be written."""
        text = plain if self.ended else plain.removesuffix(b"\n")
        if self.carriage:
            text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        return _MARK + text if self.mark else text
