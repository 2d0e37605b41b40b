"""What is mined and where it is read: a base's manifest, a URL or a folder, as one base with its history at hand.

A base that is not written yet is made here, with the commit it was mined under said in it, so that the manifests stay
what they are while the branch moves on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from pydantic import ValidationError

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Revision
from change2task.api.modernbase import Repository as RepositorySpec
from change2task.cli.failures import InputError
from change2task.cli.inputs import read_inputs, read_mirrors
from change2task.corpus.store import Store
from change2task.pipeline.mining import head_of
from change2task.vcs.errors import EmptyRepository, NotARepository, PathNotFound, VcsError, masked
from change2task.vcs.mirror import ensure_mirror, local_path
from change2task.vcs.repository import Repository

_URL = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:", re.IGNORECASE)
_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Ground:
    """A base and its history; ``written``: whether a manifest of it is there already."""

    base: ModernBase
    head: str
    repository: Repository
    written: bool
    told: tuple[str, ...]


@contextmanager
def opened(target: str, mirrors: Sequence[str], store: Path) -> Iterator[Ground]:
    """The base that ``target`` means and its history. Raises InputError, and VcsError where a network fails."""
    base, places, written = _base(target, mirrors)
    url = base.spec.repository.url
    try:
        with _repository(url, places.get(url, url), base, store) as repository:
            head, told = head_of(repository, base.spec.revision)
            if not written:
                spec = base.spec.replacing(revision=Revision(healthy=head))
                base = base.replacing(spec=spec)
            yield Ground(base, head, repository, written, told)
    except (PathNotFound, NotARepository, EmptyRepository) as error:
        raise InputError(f"{target}: {error}") from error


def moment(text: str | None, option: str, *, end: bool = False) -> datetime | None:
    """A day or a time of ISO 8601 as an option gives it; a day without a time is its first second, or its last."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            f"{option} {text}: write a day as 2024-01-31, or a time as 2024-01-31T12:00:00+00:00"
        ) from error
    if end and len(text) <= len("2024-01-31"):
        found = found.replace(hour=23, minute=59, second=59)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _base(target: str, mirrors: Sequence[str]) -> tuple[ModernBase, dict[str, str], bool]:
    path = Path(target)
    if path.is_file():
        inputs = read_inputs([target], mirrors)
        if len(inputs.bases) != 1:
            raise InputError(f"{target}: one ModernBase is mined at a time, and this holds {len(inputs.bases)}")
        return next(iter(inputs.bases.values())), inputs.mirrors, True
    places = read_mirrors(mirrors)
    if path.is_dir():
        return _new_base(path.absolute().as_uri()), places, False
    if not _URL.match(target):
        raise InputError(f"{target}: neither a manifest nor a folder is there, and it is no URL of a repository")
    return _new_base(target), places, False


def _new_base(url: str) -> ModernBase:
    stem = unquote(url).rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2]
    name = _NAME.sub("-", stem.lower()).strip("-")[:63].rstrip("-") or "repository"
    try:
        repository = RepositorySpec(url=url)
    except ValidationError as error:
        raise InputError(
            f"{masked(url)}: not an address that a base can have (https://, ssh://, git://, file:// or user@host:path,"
            " without a password); what git asks for is set in git's own credentials"
        ) from error
    return ModernBase(metadata=ObjectMeta(name=name), spec=ModernBaseSpec(repository=repository))


@contextmanager
def _repository(url: str, source: str, base: ModernBase, store: Path) -> Iterator[Repository]:
    path = local_path(source)
    if path is not None and path.is_dir():
        with Repository.open(path) as repository:
            yield repository
        return
    wanted = [name for name in (base.spec.revision.healthy, base.spec.revision.target) if name is not None]
    mirrors = Store.open(store, create=True).cache / "mirrors"
    try:
        found = ensure_mirror(url, source, mirrors, wanted=wanted, refresh=not wanted, depth=base.spec.history.depth)
    except (PathNotFound, NotARepository, EmptyRepository):
        raise
    except VcsError as error:
        raise VcsError(f"{error}; give --mirror {masked(url)}=PATH where it lies on this machine") from error
    with found as repository:
        yield repository
