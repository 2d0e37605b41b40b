"""Where a project keeps the news of its changes, one file each, as its own tools are told: towncrier, scriv, reno.

Names alone say too little: fragments lie inside packages, and data of a product can be called like one. Where the
project configures such a tool that decides; where it does not, nothing is said here, and names are all there is.
Configuration is hostile text: what cannot be read says nothing.
"""

from __future__ import annotations

import configparser
import posixpath
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from change2task.history.globs import as_text
from change2task.history.names import CODE_SUFFIXES, suffix

_CONFIGURED = frozenset({"pyproject.toml", "towncrier.toml", "setup.cfg", "tox.ini", "scriv.ini"})
_RENO = "releasenotes/notes"
_MOST = 50
"""Configurations of one project that are read, the outermost first."""
_LARGEST = 1 << 20
_BESIDE = ("README", ".", "_")
"""How names begin that stand among fragments and are none: templates, what keeps a folder."""


class Fragments:
    """The folders of a project's news fragments, from its root; none where it configures no such tool."""

    def __init__(self, folders: Iterable[str] = ()) -> None:
        self._folders = frozenset(folders)

    def says(self, path: bytes) -> bool | None:
        """Whether the file is a news fragment; None where the project's configuration says nothing."""
        if not self._folders:
            return None
        folder, _, name = as_text(path).rpartition("/")
        if name.startswith(_BESIDE) or suffix(name) in CODE_SUFFIXES or suffix(name) in {"ini", "j2"}:
            return False
        return any(folder == one or folder.startswith(f"{one}/") for one in self._folders)


def fragments_of(paths: Iterable[bytes], read: Callable[[bytes], bytes | None]) -> Fragments:
    """The fragments of a tree with these paths, ``read`` file by file."""
    configurations: list[bytes] = []
    folders: set[str] = set()
    for path in paths:
        text = as_text(path)
        if text.rpartition("/")[2] in _CONFIGURED:
            configurations.append(path)
        elif text.startswith(f"{_RENO}/") and text.endswith(".yaml"):
            folders.add(_RENO)
    for path in sorted(configurations, key=lambda one: (one.count(b"/"), one))[:_MOST]:
        content = read(path)
        if content is not None and len(content) <= _LARGEST:
            folders.update(_folders(as_text(path), content))
    return Fragments(folders)


@lru_cache(maxsize=1024)
def _folders(path: str, content: bytes) -> tuple[str, ...]:
    root, _, name = path.rpartition("/")
    below = _of_toml(content) if name.endswith(".toml") else _of_ini(name, content)
    return tuple(inside for one in below if (inside := _inside(root, one)) is not None)


def _of_toml(content: bytes) -> Iterator[str]:
    try:
        tool = _table(tomllib.loads(content.decode()).get("tool")) or {}
    except (ValueError, RecursionError):
        return
    towncrier, scriv = (_table(tool.get(name)) for name in ("towncrier", "scriv"))
    if towncrier is not None:
        yield from _of_towncrier(towncrier)
    if scriv is not None:
        yield _word(scriv.get("fragment_directory")) or "changelog.d"


def _of_towncrier(table: dict[str, Any]) -> Iterator[str]:
    directory, package = _word(table.get("directory")), _word(table.get("package"))
    if directory or not package:
        yield directory or "newsfragments"
        return
    home = posixpath.join(_word(table.get("package_dir")) or ".", package.replace(".", "/"))
    sections = table.get("section")
    inside = [_word(one.get("path")) for one in sections if isinstance(one, dict)] if isinstance(sections, list) else []
    yield from (posixpath.join(home, section, "newsfragments") for section in dict.fromkeys(("", *inside)))


def _of_ini(name: str, content: bytes) -> Iterator[str]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(content.decode())
    except (ValueError, configparser.Error):
        return
    for section in ("tool:scriv", "scriv"):
        if parser.has_section(section):
            # In a file of its own, which lies among the fragments, scriv's folder is that file's.
            default = "." if name == "scriv.ini" else "changelog.d"
            yield parser.get(section, "fragment_directory", fallback="") or default


def _table(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _inside(root: str, folder: str) -> str | None:
    """A folder from the project's root; None where it is that root itself, or outside of it."""
    whole = posixpath.normpath(posixpath.join(root, folder))
    return None if whole in {".", ".."} or whole.startswith(("../", "/")) else whole
