"""An agent's patch on the agent's tree: what of it counts, and the trees it is graded on.

Grading restores protected and hidden files first (design, "Checks, hidden and visible"): whatever the agent did
to files outside its contract is put back and named, so that weakening a test earns nothing. A patch is hostile
input. Running checks is left to ``grading``.
"""

from __future__ import annotations

from collections.abc import Callable

from change2task.api.model import Model
from change2task.api.taskvariant import OutputContract, TaskVariant
from change2task.history.models import Role
from change2task.patch.paths import quote
from change2task.patch.unified import MalformedPatch
from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository
from change2task.vcs.trees import SUBMODULE, Entry, Tree

RoleOf = Callable[[bytes], Role]


class PatchUnusable(Exception):
    """The patch is not one, or does not apply to the agent's tree; the message says where."""


class Submission(Model):
    """What is graded: quoted paths that count and that were put back, and the agent's tree with what counts."""

    tree: str
    counted: tuple[str, ...]
    put_back: tuple[str, ...]


def submission(repository: Repository, variant: TaskVariant, patch: bytes, role_of: RoleOf) -> Submission:
    """Apply ``patch`` to the agent's tree and keep what the contract permits; raises PatchUnusable."""
    agent_tree = variant.spec.trees.agent
    try:
        submitted = repository.apply(agent_tree, patch) if patch.strip() else agent_tree
    except (PatchDoesNotApply, MalformedPatch) as refusal:
        raise PatchUnusable(f"the patch does not apply to the task's tree: {refusal}") from refusal
    before = repository.tree(agent_tree)
    entries: dict[bytes, Entry] = dict(before)
    counted: list[str] = []
    put_back: list[str] = []
    for change in repository.changed_paths(agent_tree, submitted):
        if not _counts(variant.spec.output, change.path, change.new, role_of):
            put_back.append(quote(change.path))
            continue
        counted.append(quote(change.path))
        if change.new is None:
            entries.pop(change.path, None)
        else:
            entries[change.path] = change.new
    tree = repository.write_tree(Tree(entries))
    return Submission(tree=tree, counted=tuple(counted), put_back=tuple(put_back))


def with_files_of(repository: Repository, tree: str, source: str, paths: list[bytes]) -> str:
    """``tree`` with these paths as they are in ``source`` (absent there: removed)."""
    entries: dict[bytes, Entry] = dict(repository.tree(tree))
    for path in paths:
        entry = repository.entry(source, path)
        if entry is None:
            entries.pop(path, None)
        else:
            entries[path] = entry
    return repository.write_tree(Tree(entries))


def _counts(contract: OutputContract, path: bytes, new: Entry | None, role_of: RoleOf) -> bool:
    if new is not None and new.mode == SUBMODULE:
        return False
    role = role_of(path)
    if contract.output == "tests":
        return role is Role.TESTS and quote(path) not in contract.protected
    return role in {Role.SOURCE, Role.DOCS}
