"""Path globs as manifests write them: ``**`` crosses folders, ``*`` does not, the pattern covers the whole path.

One place decides what a glob means, so that roles, scopes and edit contracts cannot disagree. Paths are git's
bytes; they are matched as text with undecodable bytes kept (surrogateescape).
"""

from __future__ import annotations

from collections.abc import Iterable

from wcmatch import glob

_FLAGS = glob.GLOBSTAR | glob.DOTGLOB | glob.FORCEUNIX | glob.CASE


def as_text(path: bytes) -> str:
    """The path as text; bytes that are not UTF-8 become lone surrogates."""
    return path.decode("utf-8", "surrogateescape")


def matches(path: bytes, patterns: Iterable[str]) -> bool:
    """Whether any pattern covers the path; case counts, a leading ``/`` or ``./`` of a pattern does not."""
    name = as_text(path)
    return any(glob.globmatch(name, _normal(pattern), flags=_FLAGS) for pattern in patterns)


def may_match(pattern: str) -> bool:
    """Whether there can be a path of a repository that the pattern covers: none has an empty part, ``.`` or ``..``."""
    return not {"", ".", ".."} & set(_normal(pattern).split("/"))


def literal(path: bytes) -> str:
    """A pattern that covers this path alone; where its bytes are not UTF-8, any character there."""
    return glob.escape("".join("\0" if "\ud800" <= c <= "\udfff" else c for c in as_text(path))).replace("\0", "?")


def is_folder_glob(pattern: str) -> bool:
    """Whether the pattern takes a folder as a whole (``src/**``) rather than naming files in it (``src/*.py``)."""
    last = _normal(pattern).rsplit("/", 1)[-1]
    return last in {"*", "**"}


def _normal(pattern: str) -> str:
    pattern = pattern.removeprefix("./").lstrip("/")
    return pattern + "**" if pattern.endswith("/") else pattern
