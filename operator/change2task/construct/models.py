"""What strategies are given and what they answer."""

from __future__ import annotations

from pydantic import Field

from change2task.api.model import Model


class SourceFile(Model):
    """One source file of the change: quoted paths before and after it, and on the healthy base (None: gone)."""

    before: str | None
    after: str | None
    modern: str | None
    binary: bool = False


class Assignment(Model):
    """Everything a strategy may look at: trees as git ids in one repository, and the change's source files.

    ``change_commit`` and ``healthy_commit`` are the ends of the history between, where there is one; ``sources`` the
    quoted paths of the healthy base's source files, which are the base's and are not kept with the evidence.
    """

    healthy_tree: str
    before_tree: str
    after_tree: str
    files: tuple[SourceFile, ...]
    change_commit: str | None = None
    healthy_commit: str | None = None
    sources: tuple[str, ...] = Field(default=(), exclude=True)


class Region(Model):
    """Provenance of one part of a proposal."""

    path: str
    how: str


class Proposal(Model):
    """A task state one strategy proposes, as a whole tree."""

    strategy: str
    level: int = Field(ge=1, le=3)
    tree: str
    regions: tuple[Region, ...] = ()


class NotApplicable(Model):
    """A strategy's refusal and why, in a sentence that names the place; ``duplicate``: another made the same tree."""

    strategy: str
    level: int = Field(ge=1, le=3)
    why: str
    duplicate: bool = False
