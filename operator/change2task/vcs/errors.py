"""What can go wrong with a repository, as types: a caller decides between a verdict and a fault of the machine by them.

Every detail that comes from git or from a URL passes `masked`, so that no message, log or stored evidence
holds a password. Turning an error into a reason is left to the rooms above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from change2task.patch.paths import quote

DETAIL_BYTES = 4096

_USER_INFO = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30}://)[^/\s@]*@")
_TOKEN = re.compile(r"(?P<name>[?&](?:access_token|private_token|oauth_token|token|password)=)[^&\s]+", re.I)

_HEADER = re.compile(r"(?P<name>\bauthorization:\s*(?:basic|bearer|token)\s+)\S+", re.I)
_SHAPES = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,255}"
    r"|pypi-[A-Za-z0-9_-]{40,1000}|npm_[A-Za-z0-9]{30,255}|xox[abprs]-[A-Za-z0-9-]{10,255}|AKIA[A-Z0-9]{16})"
)
"""Tokens that say themselves what they are: GitHub's, GitLab's, PyPI's, npm's, Slack's and AWS's."""


def masked(text: str) -> str:
    """The text without secrets that can be told by their place or shape, each replaced by `***`.

    These are user names and passwords in URLs, tokens in their queries and in headers, and tokens of known shapes.
    """
    text = _TOKEN.sub(r"\g<name>***", _USER_INFO.sub(r"\g<scheme>***@", text))
    return _SHAPES.sub("***", _HEADER.sub(r"\g<name>***", text))


def detail_of(stderr: bytes) -> str:
    """What git said, readable, masked, and at most `DETAIL_BYTES` long (the end is kept: errors come last)."""
    text = masked(stderr.decode(errors="replace").strip())
    if len(text) <= DETAIL_BYTES:
        return text
    return "…" + text[-DETAIL_BYTES:]


class VcsError(Exception):
    """Anything this room refuses or cannot do."""


class GitMissing(VcsError):
    """There is no usable git on this machine."""


class GitFailed(VcsError):
    """A git command ended otherwise than expected and no more precise error is known."""

    def __init__(self, command: Sequence[str], code: int, detail: str) -> None:
        self.command = tuple(masked(word) for word in command)
        self.code = code
        self.detail = detail
        super().__init__(f"git {' '.join(self.command)} ended with {code}: {detail or 'no message'}")


class GitTimedOut(GitFailed):
    """A git command did not end within its deadline and was killed with all its children."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        super().__init__(command, -9, f"no end after {seconds:g} seconds")


class GitSaidTooMuch(GitFailed):
    """A git command printed more than the caller can hold."""

    def __init__(self, command: Sequence[str], limit: int) -> None:
        super().__init__(command, -9, f"more than {limit} bytes of output")


class PathNotFound(VcsError):
    """A local source that is not there."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"{path}: there is no such file or folder")


class NotARepository(VcsError):
    """A place that is there but holds no git repository that can be read."""

    def __init__(self, where: str, detail: str) -> None:
        self.where = masked(where)
        self.detail = detail
        super().__init__(f"{self.where} is not a git repository that can be read: {detail}")


class EmptyRepository(VcsError):
    """A repository without a single branch, tag or request."""

    def __init__(self, url: str) -> None:
        self.url = masked(url)
        super().__init__(f"{self.url} has no commit: no branch, no tag")


class MirrorUnreachable(VcsError):
    """A source that could not be fetched; `detail` is what git or the transport said."""

    def __init__(self, url: str, detail: str) -> None:
        self.url = masked(url)
        self.detail = detail
        super().__init__(f"{self.url} could not be fetched: {detail}")


class MirrorBusy(VcsError):
    """Another process kept the mirror locked for longer than the deadline."""

    def __init__(self, url: str, seconds: float) -> None:
        self.url = masked(url)
        super().__init__(f"{self.url}: its mirror has been locked by another process for {seconds:g} seconds")


class MissingObject(VcsError):
    """An object that history names but the repository does not hold, or holds damaged (shallow, partial, broken)."""

    def __init__(self, oid: str, detail: str = "") -> None:
        self.oid = oid
        self.detail = detail
        super().__init__(f"object {oid} cannot be read{': ' + detail if detail else ''}")


class ObjectTooLarge(VcsError):
    """An object beyond what may be held in memory."""

    def __init__(self, oid: str, size: int, limit: int) -> None:
        self.oid = oid
        self.size = size
        super().__init__(f"object {oid} has {size} bytes, more than the {limit} that are read")


class InvalidTree(VcsError):
    """A set of paths that no git tree can hold."""

    def __init__(self, path: bytes, why: str) -> None:
        self.path = path
        super().__init__(f"{quote(path)}: {why}")


class UnsafePath(VcsError):
    """A path that would leave the folder it is written to, or reach git's own data in it."""

    def __init__(self, path: bytes, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{quote(path)} is not written: {why}")


class NotAnAncestor(VcsError):
    """Two commits that do not lie on one line of history."""

    def __init__(self, start: str, end: str) -> None:
        self.start = start
        self.end = end
        super().__init__(f"{start} is not an ancestor of {end}")


@dataclass(frozen=True, slots=True)
class Refusal:
    """One place where a patch did not apply; `hunk` counts from 1, both are None where git named the file alone."""

    path: bytes
    line: int | None
    hunk: int | None


class PatchDoesNotApply(VcsError):
    """A patch that git refused; the tree it was tried on is unchanged."""

    def __init__(self, detail: str, refusals: tuple[Refusal, ...] = ()) -> None:
        self.detail = detail
        self.refusals = refusals
        places = ", ".join(_place(refusal) for refusal in refusals)
        super().__init__(f"the patch does not apply{' at ' + places if places else ''}: {detail}")


def _place(refusal: Refusal) -> str:
    name = quote(refusal.path)
    if refusal.line is None:
        return name
    return f"{name}:{refusal.line}" + (f" (hunk {refusal.hunk})" if refusal.hunk is not None else "")
