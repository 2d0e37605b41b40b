"""A task with everything that any export of it holds, as one value that was read beforehand.

It exists so that rendering is pure: the same value gives the same bytes on every machine. Reading it out of a store
and a repository is left to the pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from change2task.api.modernbase import ModernBase
from change2task.api.taskvariant import TaskVariant
from change2task.base.recipe import Recipe

MANIFEST: Final = "MANIFEST.json"
README: Final = "README.md"


class Leaf(NamedTuple):
    """One leaf of a git tree: its mode, and a file's bytes, a link's target, or a submodule's commit in hex."""

    mode: int
    content: bytes


class File(NamedTuple):
    """One file of an export."""

    content: bytes
    executable: bool = False


Files = dict[str, File]
"""An export, or a part of one: relative path with ``/`` to file."""


class NotExportable(Exception):
    """A task cannot be said in this format; str() is the sentence why."""


class Images(NamedTuple):
    """References of images that somebody built of a task's Dockerfiles and pushed; None: none are known."""

    environment: str | None = None
    verifier: str | None = None


_NO_IMAGES: Final = Images()


@dataclass(frozen=True)
class ExportTask:
    """A task.

    ``name`` is the name of the candidate that has it, or its own. ``agent`` is V, ``healthy`` H, each by raw path.
    ``making`` is D and ``hiding`` T. ``hidden`` leads from V to C, ``solution`` is an answer in V that solves the task.
    ``regression`` are ids. ``evidence`` holds by SHA-256 what a grader needs of the store, ``gates`` by kind the digest
    of what the store holds of the verdict. ``changed`` and ``committed`` are seconds of the epoch: when the source
    change and the base were committed. ``licences`` are paths and SPDX ids, an empty text for a licence that was not
    recognised.
    """

    name: str
    variant: TaskVariant
    base: ModernBase
    recipe: Recipe
    lock: str | None
    agent: Mapping[bytes, Leaf]
    healthy: Mapping[bytes, Leaf]
    making: bytes
    hiding: bytes
    hidden: bytes
    solution: bytes
    regression: tuple[str, ...]
    evidence: Mapping[str, bytes]
    changed: int
    committed: int
    gates: Mapping[str, str] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    images: Images = _NO_IMAGES

    @property
    def id(self) -> str:
        """The task's own name, by which every format tells it apart from all others."""
        return self.variant.metadata.name

    @property
    def repository(self) -> str:
        """``owner/name`` of the repository's address, as far as the address has both."""
        address = self.variant.spec.base.repository.removesuffix("/").removesuffix(".git")
        return "/".join(address.replace(":", "/").split("/")[-2:])
