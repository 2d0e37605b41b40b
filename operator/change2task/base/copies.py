"""Finds copies of a project's own code where they would leak the answer: in the environment, in what setup left.

It exists because a healthy copy beside the task state gives every task away. A copy is told by its bytes, by the
share of a source file's own lines it holds (so a transpiled, concatenated or older copy is found too), also inside
archives; compiled code of the project's own distribution by where it lies. A small file is told by its bytes and its
module's name together. Minified code, and a small file under another name, is not recognised.
"""

from __future__ import annotations

import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from change2task.base.namesakes import same_module, says_something

_CODE_NAMES = (
    "py pyi pyx pxd pxi c h cc cpp cxx hh hpp hxx m mm go rs js mjs cjs jsx ts tsx mts cts vue svelte java kt kts"
    " scala groovy cs fs rb php pl pm swift lua sh bash zsh el erl ex exs hs ml mli jl r sql proto g4 html jinja j2"
    " css scss"
)
_COMPILED_NAMES = "so pyd dylib dll o a obj class jar war exe wasm node rlib"
_OTHERS = "node_modules vendor _vendor vendored third_party thirdparty extern site-packages"
_CODE = frozenset(_CODE_NAMES.split())
_COMPILED = frozenset(_COMPILED_NAMES.split())
_THIRD_PARTY = frozenset(_OTHERS.split())
_COMMENT = (b"#", b"//", b"/*", b"*", b"--", b";", b"%", b"<!--", b"import ", b"from ", b"package ", b"using ")
_MARKS = b" \t\r\v\f*#/;"
_SHORTEST = 20
_SHARE = 0.30
_FOREIGN_SHARE = 0.80
_FEWEST = 10
_COMMON = 4
_SMALL = 200
_LARGEST_FILE = 64 << 20
_LARGEST_ARCHIVE = 1 << 30
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


class Finding(NamedTuple):
    """A copy: where it was found (relative, with ``!`` before a path inside an archive), of which file, and why."""

    where: str
    source: str
    why: str


class Fingerprints:
    """What the project's own code looks like: digests of whole files, and lines that are few files' own."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        """``files``: tracked paths with their bytes; those that are no code, or of others, are left out."""
        self._names: list[str] = []
        self._digests: dict[bytes, int] = {}
        self._small: defaultdict[bytes, list[str]] = defaultdict(list)
        owners: dict[bytes, set[int]] = {}
        for name, data in files:
            if not _is_code(name) or len(data) > _LARGEST_FILE:
                continue
            if len(data) < _SMALL:
                if says_something(data):
                    self._small[sha256(data).digest()].append(name)
                continue
            number = len(self._names)
            self._names.append(name)
            self._digests.setdefault(sha256(data).digest(), number)
            for line in data.split(b"\n"):
                bare = line.strip(_MARKS)
                if len(bare) >= _SHORTEST and not line.lstrip().startswith(_COMMENT):
                    owners.setdefault(bare, set()).add(number)
        self._lines = {line: tuple(who) for line, who in owners.items() if len(who) <= _COMMON}
        self._total = Counter(number for who in self._lines.values() for number in who)

    def match(self, where: str, data: bytes, share: float = _SHARE) -> tuple[str, str] | None:
        """The source file that ``data`` copies and in what way, or None; ``share`` of its lines make a copy.

        ``where`` the data lies decides for small files only.
        """
        digest = sha256(data).digest()
        if len(data) < _SMALL:
            names = (name for name in self._small.get(digest, ()) if same_module(where, name))
            return next(((name, "the same bytes in the same module") for name in names), None)
        same = self._digests.get(digest)
        if same is not None:
            return self._names[same], "the same bytes"
        held: Counter[int] = Counter()
        seen: set[bytes] = set()
        for line in data.split(b"\n"):
            bare = line.strip(_MARKS)
            if bare in self._lines and bare not in seen:
                seen.add(bare)
                held.update(self._lines[bare])
        for number, count in held.most_common():
            if count >= _FEWEST and count >= share * self._total[number]:
                return self._names[number], f"{count} of its {self._total[number]} distinctive lines"
        return None


def _is_code(name: str) -> bool:
    parts = name.lower().split("/")
    return not _THIRD_PARTY & set(parts[:-1]) and parts[-1].rpartition(".")[2] in _CODE


def in_folder(prints: Fingerprints, root: Path, foreign: Container[str] = ()) -> Iterator[Finding]:
    """Copies below a folder. Links are not followed.

    ``foreign`` are relative paths of other distributions' files: they may resemble the project (forks, plugins), and
    are copies only if they hold nearly all of a source file, as vendored ones do.
    """
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = Path(folder) / name
            where = str(path.relative_to(root))
            status = path.lstat()
            if _is_metadata(where):
                continue
            if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
                continue
            share = _FOREIGN_SHARE if where in foreign else _SHARE
            if _archive(path) and status.st_size <= _LARGEST_ARCHIVE:
                yield from _in_archive(prints, path, where, share)
            elif status.st_size <= _LARGEST_FILE and (found := prints.match(where, path.read_bytes(), share)):
                yield Finding(where, *found)


def _is_metadata(where: str) -> bool:
    """Whether it is a distribution's description, which is the README that every state holds anyway."""
    folder, _, name = where.rpartition("/")
    return name in {"PKG-INFO", "METADATA"} and (not folder or folder.endswith((".egg-info", ".dist-info")))


def _archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04" or path.name.lower().endswith(_TARS)


def _in_archive(prints: Fingerprints, path: Path, where: str, share: float) -> Iterator[Finding]:
    try:
        for name, data in _members(path):
            if found := prints.match(name, data, share):
                yield Finding(f"{where}!{name}", *found)
    except (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, tarfile.TarError,
            zlib.error):  # fmt: skip
        # Test data are full of broken archives; what cannot be unpacked here is no readable copy either.
        return


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    budget = _LARGEST_ARCHIVE
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                budget -= info.file_size
                if budget < 0:
                    return
                if 0 < info.file_size <= _LARGEST_FILE:
                    yield info.filename, archive.read(info)
        return
    with tarfile.open(path) as archive_:
        for member in archive_:
            budget -= member.size
            if budget < 0:
                return
            file = archive_.extractfile(member) if 0 < member.size <= _LARGEST_FILE else None
            if file is not None:
                yield member.name, file.read()


def compiled_leftovers(paths: Iterable[str]) -> Iterator[Finding]:
    """Compiled code among what setup left in the work folder, third parties' folders excepted."""
    for path in paths:
        parts = path.split("/")
        name = parts[-1].lower()
        suffix = re.sub(r"(\.so)[.\d]+$", r"\1", name).rpartition(".")[2]
        if suffix in _COMPILED and not _THIRD_PARTY & set(parts[:-1]):
            yield Finding(path, "the project", "compiled during setup")


class Installed(NamedTuple):
    """Files below an environment's folder by whose they are: the project's own, other distributions'."""

    own: frozenset[str]
    foreign: frozenset[str]


def installed(root: Path, work: str) -> Installed:
    """Who installed what, by the distributions' own records; the project's own came from the folder ``work``."""
    own: set[str] = set()
    foreign: set[str] = set()
    for folder, _, names in os.walk(root):
        if not folder.endswith(".dist-info") or "RECORD" not in names:
            continue
        site = Path(folder).parent
        mine = f"file://{work}" in _text(Path(folder) / "direct_url.json")
        for line in _text(Path(folder) / "RECORD").splitlines():
            path = os.path.normpath(site / line.rsplit(",", 2)[0].strip('"'))
            (own if mine else foreign).add(os.path.relpath(path, root))
    return Installed(frozenset(own), frozenset(foreign - own))


def compiled_of_project(own: Iterable[str]) -> Iterator[Finding]:
    """Compiled code among the files that the project's own distribution installed."""
    for path in sorted(own):
        if path.rpartition(".")[2].lower() in _COMPILED:
            yield Finding(path, "the project", "compiled during setup")


def _text(path: Path) -> str:
    """A regular file's text; empty for anything else, since what setup wrote may be a link to anywhere."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return ""
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
        return ""
    return path.read_text(errors="replace")
