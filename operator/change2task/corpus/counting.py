"""Which of the paths that an agent changed count, and the sentence why one does not.

The contract of the task and the roles of files decide. Two kinds of files count in no answer, because they would decide
over the checks: those that interpreters and runners load by themselves, and new modules that take the name of one that
checks load. In a patch the files of the task's checks count neither. Nothing is applied or run here.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

from change2task.api.taskvariant import OutputContract
from change2task.corpus.shadowing import shadowed
from change2task.history.globs import as_text, matches
from change2task.history.models import Role
from change2task.history.roles import Roles
from change2task.validate.checkfiles import CheckFiles
from change2task.vcs.changes import Change
from change2task.vcs.trees import SUBMODULE, SYMLINK, Entry

_LOADED = re.compile(
    r"(?:.*/)?(?:(?:sitecustomize|usercustomize)(?:\.py|/.*)|[^/]*\.(?:pth|egg-link|pyc|pyo)|__editable__[^/]*"
    r"|[^/]*\.(?:dist-info|egg-info|egg)(?:/.*)?|__pycache__/.*"
    r"|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml)",
    re.IGNORECASE | re.DOTALL,
)
_KINDS = {
    Role.SOURCE: "it is source",
    Role.TESTS: "it belongs to the tests",
    Role.DOCS: "it is a document",
    Role.METADATA: "it configures builds or tools",
    Role.GENERATED: "tools write it",
}
_COUNTING = {"patch": {Role.SOURCE, Role.DOCS}, "tests": {Role.TESTS}}


@dataclass(frozen=True)
class Counting:
    """The rules for one task.

    ``answer``: paths that the restoration touches, which count in a patch whatever their names are. ``taken``: names
    of modules that checks may load. ``before``: the agent's tree. ``checks``: the files of the task's checks.
    """

    contract: OutputContract
    roles: Roles
    answer: Container[bytes]
    taken: Container[str]
    before: Mapping[bytes, Entry]
    checks: CheckFiles

    def why_not(self, change: Change, link: bytes | None, after: Mapping[bytes, Entry]) -> str | None:
        """Why a change does not count, None when it does; ``link`` is the target of a symbolic link."""
        path, new = change.path, change.new
        if new is not None and new.mode == SUBMODULE:
            return "a submodule cannot be part of an answer"
        if new is not None and new.mode == SYMLINK and (link is None or _leads_out(path, link)):
            return "the link leads out of the tree"
        tests = self.contract.output == "tests"
        if path in self.answer and not tests:
            return None
        return (
            self._by_kind(path)
            or self._by_contract(path)
            or (None if tests else self._by_checks(path))
            or (self._by_name(path, after) if new is not None else None)
        )

    def _by_checks(self, path: bytes) -> str | None:
        """Whether the path is a check's file, or would have that file loaded under another name or not at all."""
        if path in self.checks:
            return "checks are written in it"
        if path in self.before:
            return None
        folder, _, name = path.rpartition(b"/")
        if name == b"__init__.py" and self.checks.below(folder):
            return "it would change the name under which checks are loaded"
        above = path.split(b"/")
        modules = (b"/".join(above[:depth]) + b".py" for depth in range(1, len(above)))
        hidden = next((module for module in modules if module in self.checks), None)
        return None if hidden is None else f"it would take the place of {as_text(hidden)}, which holds checks"

    def _by_kind(self, path: bytes) -> str | None:
        if _LOADED.fullmatch(as_text(path)):
            return "interpreters or runners load it by themselves"
        role = self.roles.role(path)
        return None if role in _COUNTING[self.contract.output] else _KINDS[role]

    def _by_contract(self, path: bytes) -> str | None:
        if matches(path, self.contract.protected) or self.roles.protected(path):
            return "it is protected"
        return None if matches(path, self.contract.permitted) else "it lies outside of what may be changed"

    def _by_name(self, path: bytes, after: Mapping[bytes, Entry]) -> str | None:
        if path in self.before:
            return None
        name = shadowed(path, self.before, after, self.taken)
        return None if name is None else f"it would take the place of the module {name}"


def _leads_out(path: bytes, target: bytes) -> bool:
    """Whether a link's target is absolute or climbs above the root, by its text alone."""
    depth = path.count(b"/")
    if target.startswith(b"/"):
        return True
    for part in target.split(b"/"):
        depth += -1 if part == b".." else 0 if part in {b"", b"."} else 1
        if depth < 0:
            return True
    return False
