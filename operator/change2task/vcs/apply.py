"""Patches applied to trees by git itself, in an index of their own and never in a work tree.

So no filter, line ending or file system ever touches a byte, and a refused patch leaves nothing behind. What a
refusal means for a candidate is left to the rooms that construct.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from change2task.patch.paths import MalformedPath, unquote_bytes
from change2task.patch.unified import MalformedPatch, parse_patch
from change2task.vcs.errors import PatchDoesNotApply, Refusal, detail_of
from change2task.vcs.process import Git

_FAILED_HUNK = re.compile(rb"^error: patch failed: (?P<path>.+):(?P<line>\d+)$", re.M)
_FAILED_FILE = re.compile(
    rb"^error: (?P<path>.+?): (?:patch does not apply|does not exist in index|already exists in index"
    rb"|does not match index|No such file or directory|wrong type|has type \d+, expected \d+)$",
    re.M,
)
_CONFLICT = re.compile(rb"^U (?P<path>.+)$", re.M)


def apply_patch(git: Git, tree: str, patch: bytes, *, reverse: bool, context: int | None, three_way: bool) -> str:
    """The id of `tree` with the patch applied. Raises PatchDoesNotApply; GitFailed when the tree cannot be read."""
    if not patch.strip():
        return tree
    with tempfile.TemporaryDirectory(prefix="change2task-index-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git.run("read-tree", tree, variables=index)
        words = ["apply", "--cached", "--whitespace=nowarn", "-p1"]
        if reverse:
            words.append("--reverse")
        if context is not None:
            words.append(f"-C{context}")
        if three_way:
            words.append("--3way")
        ended = git.run(*words, "-", stdin=patch, variables=index, codes=(0, 1, 128))
        if ended.code != 0:
            raise PatchDoesNotApply(detail_of(ended.stderr), _refusals(ended.stderr, patch, reverse=reverse))
        return git.run("write-tree", "--missing-ok", variables=index).stdout.decode().strip()


def _refusals(stderr: bytes, patch: bytes, *, reverse: bool) -> tuple[Refusal, ...]:
    found: dict[bytes, Refusal] = {}
    for match in _FAILED_HUNK.finditer(stderr):
        path, line = _name(match["path"]), int(match["line"])
        found[path] = Refusal(path, line, _hunk(patch, path, line, reverse=reverse))
    for pattern in (_FAILED_FILE, _CONFLICT):
        for match in pattern.finditer(stderr):
            path = _name(match["path"])
            found.setdefault(path, Refusal(path, None, None))
    return tuple(found.values())


def _name(raw: bytes) -> bytes:
    try:
        return unquote_bytes(raw)
    except MalformedPath:
        return raw


def _hunk(patch: bytes, path: bytes, line: int, *, reverse: bool) -> int | None:
    try:
        files = parse_patch(patch).files
    except MalformedPatch:
        return None
    for file in files:
        if path in (file.old_path, file.new_path):
            for number, hunk in enumerate(file.hunks, start=1):
                if (hunk.new_start if reverse else hunk.old_start) == line:
                    return number
    return None
