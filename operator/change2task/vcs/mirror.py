"""A repository fetched once into a bare mirror of our own, with every branch, tag and request.

The URL is what the world calls the repository and what the mirror is found by; the source is where it is really read.
A mirror is built under another name and renamed when it is whole, so that a killed run leaves none that only looks it.
Turning an error into a verdict is left to the rooms above.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

import structlog
from filelock import FileLock, Timeout

from change2task.vcs.errors import (
    EmptyRepository,
    GitFailed,
    MirrorBusy,
    MirrorUnreachable,
    NotARepository,
    PathNotFound,
    masked,
)
from change2task.vcs.local import copy_objects, wanted_refs
from change2task.vcs.names import Names
from change2task.vcs.objects import is_oid
from change2task.vcs.place import create_git_dir, locate
from change2task.vcs.process import Git, network_variables
from change2task.vcs.repository import Repository

SECONDS = 3600.0
REFSPECS = (
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    "+refs/pull/*/head:refs/pull/*/head",
    "+refs/merge-requests/*/head:refs/merge-requests/*/head",
)
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_USUAL_BRANCHES = ("main", "master", "trunk", "develop", "default")
_NO_REPOSITORY = re.compile(
    r"does not appear to be a git repository|not a git repository|is this a git repository|invalid gitfile", re.I
)
_SYMREF = re.compile(rb"^ref: refs/heads/(.+)\tHEAD$", re.M)
_log = structlog.get_logger(__name__)


def mirror_path(url: str, folder: Path) -> Path:
    """Where the mirror of a URL lies in the folder of all mirrors; no two URLs share one."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", masked(url).rstrip("/").removesuffix(".git").rpartition("/")[2])
    return (
        folder.absolute()
        / f"{name.strip('-.')[:60] or 'repository'}-{hashlib.sha256(url.encode()).hexdigest()[:16]}.git"
    )


def ensure_mirror(
    url: str,
    source: str | Path,
    folder: Path,
    *,
    wanted: Collection[str] = (),
    refresh: bool = False,
    depth: int | None = None,
    seconds: float = SECONDS,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Repository:
    """The mirror of `url` in `folder`, fetched from `source` when it is not there yet.

    `source` is a local path, a file:// URL, or any URL that git fetches over git, ssh, http or https. An existing
    mirror is used without asking the source, unless `refresh` is set, one of the `wanted` revisions is not in it, or
    its history was cut and `depth` is None. A revision that is still missing then is no error here. `depth` is ignored
    for local paths. `variables` is what git's environment holds beside the usual, such as who it asks for a password.

    Raises PathNotFound, NotARepository, EmptyRepository, MirrorUnreachable, MirrorBusy, GitMissing.
    """
    target = mirror_path(url, folder)
    if not refresh and (ready := _satisfying(target, wanted, depth)):
        return ready
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(f"{target}.lock", timeout=seconds):
            # Whoever held the lock before may have fetched what is wanted.
            if not refresh and (ready := _satisfying(target, wanted, depth)):
                return ready
            _Fetch(url, source, target, depth, seconds, variables).bring(wanted)
    except Timeout as error:
        raise MirrorBusy(url, seconds) from error
    return Repository.open(target)


def local_path(source: str | Path) -> Path | None:
    """The path of a source on this machine; None when it is read over a network. Raises PathNotFound (another host)."""
    if isinstance(source, Path):
        return source
    if source.lower().startswith("file://"):
        parts = urlsplit(source)
        if parts.netloc not in ("", "localhost"):
            raise PathNotFound(source)
        return Path(unquote(parts.path))
    # Git takes a colon before the first slash for a transport or a host.
    return None if ":" in source.partition("/")[0] else Path(source)


def _satisfying(target: Path, wanted: Collection[str], depth: int | None) -> Repository | None:
    if not target.exists():
        return None
    repository = Repository.open(target)
    shallow_enough = not (repository.is_shallow and depth is None)
    if shallow_enough and all(repository.resolve(revision) for revision in wanted):
        return repository
    repository.close()
    return None


class _Fetch:
    """One fetch, under the lock: into a new mirror that gets its name at the end, or into the one that is there."""

    def __init__(
        self,
        url: str,
        source: str | Path,
        target: Path,
        depth: int | None,
        seconds: float,
        variables: Mapping[str, str],
    ) -> None:
        self._url, self._variables = url, variables
        self._path = local_path(source)
        # Git runs in another folder.
        self._source = str(source if self._path is None else self._path.absolute())
        self._target = target
        self._depth = depth
        self._seconds = seconds

    def bring(self, wanted: Collection[str]) -> None:
        _log.info("fetching", url=masked(self._url), source=masked(self._source))
        if self._target.exists():
            self._fetch_into(self._target, wanted)
            return
        prefix = f".{self._target.name}."
        for left_over in self._target.parent.glob(f"{prefix}*"):
            shutil.rmtree(left_over)
        partial = Path(tempfile.mkdtemp(prefix=prefix, dir=self._target.parent))
        try:
            self._fetch_into(partial, wanted)
            partial.chmod(0o755)
            partial.rename(self._target)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise

    def _fetch_into(self, mirror: Path, wanted: Collection[str]) -> None:
        if self._path is not None and not self._path.exists():
            raise PathNotFound(str(self._path))
        if self._path is not None and self._path.is_dir():
            self._copy(self._path, mirror)
        else:
            self._download(mirror, wanted)
        git = Git(mirror)
        if not Names(git).unpeeled():
            raise EmptyRepository(self._url)
        try:
            git.run("commit-graph", "write", "--reachable", seconds=self._seconds)
        except GitFailed as error:
            # It only makes walks faster, and cannot be written where history has holes.
            _log.debug("no commit graph", url=masked(self._url), detail=error.detail)

    def _copy(self, path: Path, mirror: Path) -> None:
        source = locate(path)
        if not (mirror / "HEAD").exists():
            create_git_dir(mirror, source.algorithm)
        names = Names(source.names())
        try:
            refs = wanted_refs(names)
            head = names.head()
        except GitFailed as error:
            raise NotARepository(str(path), error.detail) from error
        finally:
            names.close()
        copy_objects(source, mirror / "objects")
        shallow = mirror / "shallow"
        if source.shallow is not None:
            shutil.copyfile(source.shallow, shallow)
        else:
            shallow.unlink(missing_ok=True)
        self._set_refs(mirror, refs)
        self._set_head(mirror, head)

    def _set_refs(self, mirror: Path, refs: dict[str, str]) -> None:
        with Repository.open(mirror) as repository:
            broken = repository.objects.absent(refs.values())
            known = repository.names.unpeeled()
        if broken:
            _log.warning(
                "references to objects that are missing are left out", url=masked(self._url), count=len(broken)
            )
        held = {name: oid for name, oid in refs.items() if oid not in broken}
        if not known:
            # A file for each of some thousand references takes seconds to write.
            lines = "".join(f"{oid} {name}\n" for name, oid in sorted(held.items()))
            (mirror / "packed-refs").write_bytes(os.fsencode(lines))
            return
        gone = [name for name in known if name not in held and not name.startswith("refs/change2task/")]
        changed = {name: oid for name, oid in held.items() if known.get(name) != oid}
        # Names that go must be gone before others that need their place, such as a after a/b, are made.
        for commands in ([f"delete {name}\n" for name in gone], [f"update {n} {oid}\n" for n, oid in changed.items()]):
            if commands:
                stdin = os.fsencode("".join(commands))
                Git(mirror).run("update-ref", "--stdin", stdin=stdin, seconds=self._seconds)

    def _set_head(self, mirror: Path, branch: str | None) -> None:
        heads = {
            name.removeprefix("refs/heads/") for name in Names(Git(mirror)).unpeeled() if name.startswith("refs/heads/")
        }
        candidates = [branch, *_USUAL_BRANCHES, *sorted(heads)]
        chosen = next((name for name in candidates if name in heads), None)
        if chosen is not None:
            Git(mirror).run("symbolic-ref", "HEAD", f"refs/heads/{chosen}")

    def _download(self, mirror: Path, wanted: Collection[str]) -> None:
        source = self._source
        if not (mirror / "HEAD").exists():
            create_git_dir(mirror, "sha1")
        listed = self._network(mirror, "ls-remote", "--symref", "--", source, "HEAD")
        depth = self._depth_words(mirror)
        self._network(mirror, *_FETCH, "--prune", "--force", "--update-head-ok", *depth, "--", source, *REFSPECS)
        self._fetch_by_id(mirror, wanted)
        head = _SYMREF.search(listed)
        self._set_head(mirror, head[1].decode(errors="surrogateescape") if head else None)

    def _depth_words(self, mirror: Path) -> tuple[str, ...]:
        if self._depth is not None:
            return (f"--depth={self._depth}",)
        return ("--unshallow",) if (mirror / "shallow").exists() else ()

    def _fetch_by_id(self, mirror: Path, wanted: Collection[str]) -> None:
        """Commits that no reference reaches any more; a forge may still give them."""
        with Repository.open(mirror) as repository:
            missing = [rev for rev in wanted if is_oid(rev) and repository.resolve(rev) is None]
        for oid in missing:
            try:
                self._network(mirror, *_FETCH, "--", self._source, f"{oid}:refs/change2task/wanted/{oid}")
            except MirrorUnreachable as error:
                _log.info("a wanted commit was not given", url=masked(self._url), commit=oid, detail=error.detail)

    def _network(self, git_dir: Path, *words: str) -> bytes:
        try:
            return Git(git_dir, {**network_variables(), **self._variables}).run(*words, seconds=self._seconds).stdout
        except GitFailed as error:
            if _NO_REPOSITORY.search(error.detail):
                raise NotARepository(self._url, error.detail) from error
            raise MirrorUnreachable(self._url, error.detail) from error
