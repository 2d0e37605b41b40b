"""What gives a task's answer away wherever it is found: whole files of the restored state, its lines, its names.

Of sources that the restoration brings back, and of tests that are hidden: they are the answer where tests are asked
for, and hold the values that are wanted where code is.

Only what an agent cannot know is looked for. A line or a name that stands anywhere in the agent's own tree tells
nothing, and neither do short lines. Lines are compared without blanks, quotes and escapes, so that it does not matter
how they are wrapped, indented or written into another format.
"""

from __future__ import annotations

import builtins
import hashlib
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from change2task.api.taskvariant import TaskVariant
from change2task.construct.standing import standing
from change2task.patch.paths import quote
from change2task.syntax.languages import language_of
from change2task.syntax.symbols import names_used
from change2task.validate.solution import UNUSUAL, code_lines
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

LEAST_SIGNS = 20
"""Signs of a line, blanks apart, below which that it stands elsewhere may be chance (issue: lines of 20 characters)."""
_LEAST_NAME = 8
_MOST = 2000
_ESCAPED_BLANK = re.compile(rb"\\[nrt]")
_ESCAPED_SIGN = re.compile(rb"\\u([0-9a-fA-F]{4})")
_IGNORED = b" \t\r\n\v\f\\\"'"


_EVERYBODYS = frozenset(sys.stdlib_module_names) | frozenset(dir(builtins))
"""Names that come with an interpreter."""


def squeezed(content: bytes) -> bytes:
    """Content without blanks, quotes and escapes; a sign that is written by its number stands for itself."""
    if b"\\u" in content:
        content = _ESCAPED_SIGN.sub(lambda found: chr(int(found[1], 16)).encode("utf-8", "surrogatepass"), content)
    return _ESCAPED_BLANK.sub(b"", content).translate(None, _IGNORED)


@dataclass(frozen=True)
class Needles:
    """What to look for.

    ``files``: contents of the restored state's files that the agent's tree lacks, by quoted path. ``lines``: each line
    as it is written, by its squeezed form. ``names``: identifiers.
    """

    files: Mapping[str, bytes]
    lines: Mapping[bytes, str]
    names: frozenset[str]

    def without(self, names: Collection[str]) -> Needles:
        """The same but for these names."""
        return Needles(self.files, self.lines, self.names - frozenset(names))

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """Quoted path by the content's SHA-1 and SHA-256 as a git blob, and its SHA-256 as a file."""
        return {digest: path for path, content in self.files.items() for digest in digests(content)}

    @cached_property
    def pattern(self) -> re.Pattern[bytes] | None:
        """Finds any of the names as a whole word."""
        if not self.names:
            return None
        words = b"|".join(re.escape(name.encode()) for name in sorted(self.names))
        return re.compile(rb"(?<![A-Za-z0-9_])(?:" + words + rb")(?![A-Za-z0-9_])")


def digests(content: bytes) -> tuple[str, str, str]:
    """The names of a content: as a git blob in SHA-1 and SHA-256, and its plain SHA-256."""
    blob = b"blob %d\0" % len(content) + content
    return (
        hashlib.sha1(blob, usedforsecurity=False).hexdigest(),
        hashlib.sha256(blob).hexdigest(),
        hashlib.sha256(content).hexdigest(),
    )


def needles_of(repository: Repository, variant: TaskVariant) -> Needles:
    """The needles of a task whose trees are laid in ``repository``."""
    trees = variant.spec.trees
    files: dict[str, bytes] = {}
    lines: dict[bytes, str] = {}
    names: set[str] = set()
    undone = {change.path for change in repository.changed_paths(trees.task, trees.healthy)}
    for change in repository.changed_paths(trees.agent, trees.healthy):
        before, after = (_content(repository, tree, change.path) for tree in (trees.agent, trees.healthy))
        language = language_of(change.path, after[:256])
        # Of what was hidden only code tells: change logs and documents went because they name the change.
        if not after or (language is None and change.path not in undone):
            continue
        files[quote(change.path)] = after
        for line in sorted(code_lines(language, after) - code_lines(language, before)):
            if len(bare := squeezed(line.encode())) >= LEAST_SIGNS:
                lines.setdefault(bare, line)
        if language is not None:
            names |= names_used(language, after) - names_used(language, before)
    names = {name for name in names if len(name) >= _LEAST_NAME and name.isascii() and UNUSUAL.search(name)}
    names -= _EVERYBODYS
    names -= standing(repository, trees.agent, names)
    return _unknown_to(repository, trees.agent, Needles(files, dict(list(lines.items())[:_MOST]), frozenset(names)))


def _unknown_to(repository: Repository, agent_tree: str, needles: Needles) -> Needles:
    """The needles that stand nowhere in the agent's tree."""
    left, files = dict(needles.lines), dict(needles.files)
    held = {entry.oid for entry in repository.tree(agent_tree).values()}
    for oid in held:
        content = repository.blob(oid) if repository.find(oid) is not None else b""
        bare = squeezed(content)
        for line in [line for line in left if line in bare]:
            del left[line]
    known = {path for path, content in files.items() if {*digests(content)} & held}
    return Needles({p: c for p, c in files.items() if p not in known}, left, needles.names)


def _content(repository: Repository, tree: str, path: bytes) -> bytes:
    entry = repository.entry(tree, path)
    return repository.blob(entry.oid) if entry is not None and entry.mode in {FILE, EXECUTABLE} else b""
