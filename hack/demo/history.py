"""Make a git history out of a package's releases: a commit a release, a tag on it, the same ids everywhere.

Before each release stands a commit that moves the version number alone, as most projects do it by hand: else every
release would touch one same line, and none could be undone on a later one. Ids depend on the archives' bytes and
the pinned dates only: no clock, no user, no configuration of this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hack.demo.archive import File
from hack.demo.changelog import release_notes

WHO = b"release <noreply@example.invalid>"
BRANCH = b"refs/heads/main"


@dataclass(frozen=True)
class Release:
    """One release: its version, when it was published (aware), and its files by path."""

    version: str
    published: datetime
    files: Mapping[bytes, File]


class HistoryError(Exception):
    """git would not build the history; the message holds what it said."""


def build_history(target: Path, releases: Sequence[Release]) -> None:
    """Write the bare repository ``target`` anew; it appears whole or not at all."""
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    _git("init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(partial))
    _git("-C", str(partial), "fast-import", "--quiet", "--force", stdin=b"".join(_stream(releases)))
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)


def version_moved(old: Release, new: Release) -> dict[bytes, File]:
    """The old release's files, but for lines that name its version: those as the new release has them."""
    result = dict(old.files)
    for path, file in old.files.items():
        later = new.files.get(path)
        if later is None or later == file or b"\0" in file.data:
            continue
        wanted = set(later.data.splitlines(keepends=True))
        lines = [_moved(line, old.version, new.version, wanted) for line in file.data.splitlines(keepends=True)]
        result[path] = File(file.mode, b"".join(lines))
    return result


def _moved(line: bytes, old: str, new: str, wanted: set[bytes]) -> bytes:
    if b"version" not in line.lower() or line in wanted:
        return line
    moved = line
    for separator in (".", ", "):
        was, now = (v.replace(".", separator).encode() for v in (old, new))
        moved = re.sub(rb"(?<![\w.])" + re.escape(was) + rb"(?![\w.])", now.replace(b"\\", b"\\\\"), moved)
    return moved if moved in wanted else line


def _stream(releases: Sequence[Release]) -> Iterator[bytes]:
    """The history in git's fast-import format."""
    before: Release | None = None
    for release in releases:
        if before is not None:
            moved = version_moved(before, release)
            if moved != before.files:
                yield from _commit(release, moved, f"Version {release.version}")
        notes = release_notes({path: file.data for path, file in release.files.items()}, release.version)
        yield from _commit(release, release.files, f"Release {release.version}" + (f"\n\n{notes}" if notes else ""))
        yield b"reset refs/tags/%s\nfrom %s\n\n" % (release.version.encode(), BRANCH)
        before = release


def _commit(release: Release, files: Mapping[bytes, File], message: str) -> Iterator[bytes]:
    when = b"%d +0000" % int(release.published.timestamp())
    yield b"commit %s\nauthor %s %s\ncommitter %s %s\n" % (BRANCH, WHO, when, WHO, when)
    yield _data(message.encode() + b"\n")
    yield b"deleteall\n"
    for path, file in sorted(files.items()):
        yield b"M %06o inline %s\n" % (file.mode, _quoted(path))
        yield _data(file.data)
    yield b"\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _quoted(path: bytes) -> bytes:
    return b'"' + b"".join(b"\\%03o" % c if c < 32 or c in b'"\\' else bytes([c]) for c in path) + b'"'


def _git(*arguments: str, stdin: bytes = b"") -> None:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(("git", *arguments), input=stdin, capture_output=True, env=environment, check=False)
    if done.returncode:
        raise HistoryError(f"git {arguments[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
