"""Where a git process looks: a git directory of ours that borrows the objects of a repository and nothing else.

A repository made by others carries configuration, attributes, replacements and grafts that steer git or make it run
programs. All commands that read or make objects therefore run in an empty git directory of this process, with only
the object folder of the repository; its own git directory is entered for nothing but the names of its references.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from change2task.vcs.errors import GitFailed, NotARepository, PathNotFound
from change2task.vcs.process import Git, git_version

ALGORITHMS = {"sha1": 20, "sha256": 32}


@dataclass(frozen=True, slots=True)
class Place:
    """A repository's parts: where references are named, where objects lie, how they are hashed."""

    git_dir: Path
    objects: Path
    algorithm: str
    shallow: Path | None

    @property
    def oid_bytes(self) -> int:
        """How long an object id is in a tree."""
        return ALGORITHMS[self.algorithm]

    def names(self, objects: Path | None = None) -> Git:
        """Git for the names of references, optionally with another object folder that borrows from these."""
        return Git(self.git_dir, {"GIT_OBJECT_DIRECTORY": str(objects)} if objects else {})

    def contents(self, objects: Path | None = None) -> Git:
        """Git for objects, optionally of another folder that borrows from these."""
        variables = {"GIT_OBJECT_DIRECTORY": str(objects or self.objects)}
        if self.shallow is not None:
            variables["GIT_SHALLOW_FILE"] = str(self.shallow)
        return Git(empty_git_dir(self.algorithm), variables)


def locate(path: Path) -> Place:
    """The parts of the repository at `path`: a bare one, one with a work tree, or a linked work tree.

    Folders above `path` are never searched. Raises PathNotFound, NotARepository.
    """
    git_version()
    if not path.exists():
        raise PathNotFound(str(path))
    inner = path / ".git"
    asked = Git((inner if inner.exists() else path).absolute())
    try:
        said = asked.run("rev-parse", "--show-object-format", "--git-common-dir", seconds=30).stdout
    except GitFailed as error:
        raise NotARepository(str(path), error.detail) from error
    algorithm, _, common = said.decode(errors="surrogateescape").rstrip("\n").partition("\n")
    git_dir = Path(common).absolute()
    if algorithm not in ALGORITHMS:
        raise NotARepository(str(path), f"object format {algorithm} is not known")
    shallow = git_dir / "shallow"
    return Place(git_dir, git_dir / "objects", algorithm, shallow if shallow.exists() else None)


@cache
def empty_git_dir(algorithm: str) -> Path:
    """A git directory of this process in which nothing is, for names made by one of ``ALGORITHMS``."""
    folder = Path(tempfile.mkdtemp(prefix="change2task-git-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    create_git_dir(folder, algorithm)
    return folder


def create_git_dir(folder: Path, algorithm: str) -> None:
    """A bare git directory with neither references nor objects; written by hand, so that no template gets into it."""
    for name in ("objects/info", "objects/pack", "refs/heads"):
        (folder / name).mkdir(parents=True)
    extension = "[extensions]\n\tobjectFormat = sha256\n" if algorithm == "sha256" else ""
    version = 1 if extension else 0
    (folder / "config").write_text(
        f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{extension}", encoding="utf-8"
    )
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
