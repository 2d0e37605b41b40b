"""Everything below a folder searched for a task's answer: files, what is packed in them, links, git's data.

A copy of a file, a line, a name: each is told with its place. What third parties published may hold a line or a name
by chance, and is taken for a copy only when it holds several of them. What is meant for readers, documents, is told
apart from what is code or history, since it is what a statement may say as well.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from change2task.api.model import Model
from change2task.corpus.leaks.needles import Needles, digests, squeezed
from change2task.corpus.leaks.unpacking import Unpacker

Weight = Literal["code", "history", "document"]
LARGEST_FILE = 1 << 30
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc", ".html")
_BYTE_CODE = re.compile(r"^(.*/|)__pycache__/([^/.]+)\.[^/]+\.pyc$")
_CHANCE = 3
"""Different lines or names that a file of somebody else's must hold to be a copy."""
_TOLD = 3


class Finding(Model):
    """A place that gives the answer away: what of it stands there, and how much that weighs."""

    place: str
    weight: Weight
    what: Literal["file", "line", "name", "outside"]
    detail: str


@dataclass
class Scan:
    """One search; grows with each folder. ``unread`` tells what was not looked into."""

    needles: Needles
    findings: list[Finding] = field(default_factory=list)
    files: int = 0
    size: int = 0
    unpacker: Unpacker = field(default_factory=Unpacker)

    @property
    def unread(self) -> list[str]:
        """Places that could not be looked into, each with the reason."""
        return self.unpacker.unread

    def folder(self, root: Path, title: str, foreign: Container[str] = ()) -> None:
        """Everything below ``root``, links not followed; ``foreign`` are paths below it of third parties' files."""
        for folder, names, files in os.walk(root):
            names.sort()
            for name in sorted(files) + [n for n in names if (Path(folder) / n).is_symlink()]:
                path = Path(folder) / name
                below = str(path.relative_to(root))
                self._file(path, f"{title}/{below}", foreign=_source_of(below) in foreign)

    def known_to(self, root: Path, foreign: Iterable[str]) -> None:
        """Names that third parties use in these files below ``root`` tell nothing, and are looked for no longer."""
        known: set[str] = set()
        for below in foreign:
            path = root / below
            if self.needles.pattern is not None and path.is_file() and not path.is_symlink():
                known |= {name.decode() for name in self.needles.pattern.findall(path.read_bytes())}
        self.needles = self.needles.without(known)

    def content(self, place: str, data: bytes, *, foreign: bool = False) -> None:
        """One content that is no file: a variable, a label, a log."""
        self.files += 1
        self.size += len(data)
        for inner, content in self.unpacker.within(place, data):
            self.findings += self._found(inner, content, foreign=foreign)

    def _file(self, path: Path, place: str, *, foreign: bool) -> None:
        try:
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                self.content(place, os.fsencode(path.readlink()), foreign=foreign)
            elif stat.S_ISREG(status.st_mode) and status.st_size > LARGEST_FILE:
                self.unread.append(f"{place}: larger than {LARGEST_FILE >> 30} GiB")
            elif stat.S_ISREG(status.st_mode):
                data = path.read_bytes()
                self.content(place, data, foreign=foreign)
                if place.endswith("objects/info/alternates"):
                    self._alternates(path, place, data)
        except OSError as error:
            self.unread.append(f"{place}: {error.strerror}")

    def _alternates(self, path: Path, place: str, data: bytes) -> None:
        """Objects that git reads from elsewhere are as good as there."""
        for line in filter(None, data.splitlines()):
            lender = path.parent.parent / os.fsdecode(line)
            self.findings.append(
                Finding(place=place, weight="history", what="outside", detail=f"borrows objects of {lender}"[:300])
            )

    def _found(self, place: str, data: bytes, *, foreign: bool) -> Iterator[Finding]:
        needles, weight = self.needles, _weight(place)
        path = next((needles.digests[one] for one in digests(data) if one in needles.digests), None)
        if path is not None:
            yield Finding(place=place, weight=weight, what="file", detail=f"the whole of {path}")
            return
        bare = squeezed(data)
        lines = [line for key, line in needles.lines.items() if key in bare]
        names = sorted({found.decode() for found in needles.pattern.findall(data)}) if needles.pattern else []
        if foreign and len(lines) < _CHANCE:
            return
        for line in lines[:_TOLD]:
            yield Finding(place=place, weight=weight, what="line", detail=line[:300])
        if not lines and not foreign:
            for name in names[:_TOLD]:
                yield Finding(place=place, weight=weight, what="name", detail=name)


def _source_of(path: str) -> str:
    """The source of byte code, which installers do not record; of anything else the path itself."""
    return _BYTE_CODE.sub(r"\1\2.py", path)


def _weight(place: str) -> Weight:
    parts = place.replace("!", "/").split("/")
    if ".git" in parts or "objects" in parts:
        return "history"
    return "document" if parts[-1].lower().endswith(_DOCUMENTS) else "code"
