"""What is known of a merged change, as values that cross borders: the change, its files, its tests, its purpose.

Everything later stages decide on a change is decided on these, so that a verdict can be explained from stored
evidence alone. Finding and measuring are left to the other modules of this room.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from change2task.api.fidelity import ChangeProfile
from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import StaticOracle
from change2task.api.taskvariant import Statement


class Role(StrEnum):
    """The part a file plays; only ``source`` is ever undone."""

    SOURCE = "source"
    TESTS = "tests"
    DOCS = "docs"
    METADATA = "metadata"
    GENERATED = "generated"


class ChangeUnusable(Exception):
    """A change that cannot become a task: the reason is a verdict, never a fault of the machine."""

    def __init__(self, reason: Reason, message: str) -> None:
        """``message``: one or two sentences with the names at hand and, where there is one, the way out."""
        super().__init__(message)
        self.reason = reason
        self.message = message


class MergedChange(Model):
    """One merged change: everything between a before-state and an after-state of the base's history."""

    commit: str = Field(description="The after-state.")
    parent: str | None = Field(description="The before-state: first parent, or a range's start; None: empty tree.")
    kind: Literal["merge", "squash", "commit", "range", "pullRequestHead"]
    pull_request: int | None = None
    proof: Literal["given", "forge", "secondParent", "patchId", "named"] = Field(
        description="What ties the commits to the reference: the reference itself, a forge's record, the merge's"
        " second parent, equal patch-ids, or only the name in the subject."
    )
    title: str = Field(description="First paragraph of the commit that speaks for the change, as written.")
    body: str = ""
    commits: tuple[str, ...] = Field(description="Every commit of the change, oldest first, the after-state last.")
    reverts: str | None = Field(default=None, description="The commit that this change says it takes back.")


class FileChange(Model):
    """One file of a change; paths are quoted as git prints them with core.quotePath=false."""

    path: str = Field(description="Path after the change; the old one of a deleted file.")
    old_path: str | None = Field(default=None, description="Path before, of a renamed file.")
    status: Literal["added", "deleted", "modified", "renamed", "modeChanged", "typeChanged"]
    role: Role
    binary: bool = False
    language: str | None = None
    submodule: bool = False
    symlink: bool = False
    protected: bool = Field(default=False, description="Matched by the base's scope.protected.")

    @property
    def undone(self) -> bool:
        """Whether a task may undo this file: permitted source, binary files and links among it; no submodule."""
        return self.role is Role.SOURCE and not (self.protected or self.submodule)


class TouchedTests(Model):
    """The tests of one file that a change added, altered or removed, by the names a runner gives them."""

    path: str
    old_path: str | None = None
    added: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    untouched: int = Field(default=0, ge=0, description="Tests of the file at the change's parent that it left alone.")


class Signals(Model):
    """What speaks for one family or another, as found; deciding is left to ``families``."""

    bug_words: tuple[str, ...] = ()
    feature_words: tuple[str, ...] = ()
    security_words: tuple[str, ...] = ()
    migration_words: tuple[str, ...] = ()
    test_words: tuple[str, ...] = ()
    conventional: str | None = Field(default=None, description="Kind of a conventional title: feat, fix, ….")
    labels: tuple[str, ...] = ()
    advisories: tuple[str, ...] = Field(default=(), description="CVE and GHSA ids, of messages and change logs.")
    merged_from_private_fork: bool = Field(default=False, description="GitHub's 'Merge commit from fork'.")
    news_kinds: tuple[str, ...] = Field(default=(), description="Kinds of news fragments: feature, bugfix, ….")
    news: tuple[str, ...] = Field(default=(), description="Added lines of change logs and news fragments, shortened.")
    new_public_symbols: tuple[str, ...] = ()
    migration: StaticOracle | None = Field(default=None, description="Old and new API, where they are unambiguous.")
    migration_detail: str = ""


class Evidence(Model):
    """All that is known of one change on one base, before anything is constructed or run."""

    change: MergedChange
    head: str = Field(description="Commit of the base.")
    files: tuple[FileChange, ...]
    statement: Statement
    silent: bool = Field(default=False, description="Nobody said what the change is for: its statement is a place.")
    touched_tests: tuple[TouchedTests, ...] = ()
    symbols: tuple[str, ...] = Field(default=(), description="path::symbol, each touched symbol of both sides once.")
    profile: ChangeProfile
    signals: Signals = Signals()
    modern_paths: dict[str, str | None] = Field(
        default_factory=dict, description="Path after the change to its path on the base; None: deleted since."
    )
    patch_digest: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the source patch's bytes.")

    @property
    def advisories(self) -> tuple[str, ...]:
        """Advisory ids; provenance of a security repair."""
        return self.signals.advisories

    def with_role(self, role: Role) -> tuple[FileChange, ...]:
        """The files that play this part."""
        return tuple(f for f in self.files if f.role is role)
