"""Cutting small images out of a Debian tree: a program, and the libraries that its loader asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hack.kind.commands import ClusterError, run
from hack.layers import LayerBuilder

MERGED = ("bin", "lib", "lib64", "sbin")


def bare_root() -> LayerBuilder:
    """An otherwise empty root with the folders and links that programs expect."""
    root = LayerBuilder()
    for name in MERGED:
        root.folder(f"usr/{name}")
        root.link(name, f"usr/{name}")
    for name in ("etc", "run", "var", "usr/local/bin"):
        root.folder(name)
    root.folder("tmp", 0o1777)
    return root


def take(root: LayerBuilder, tree: Path, paths: Iterable[str]) -> None:
    """Put files of a Debian tree into an image, each with every library it is linked with."""
    taken: set[str] = set()
    for path in paths:
        for needed in (path, *_libraries(tree, path)):
            if needed not in taken:
                taken.add(needed)
                source = _followed(tree, needed)
                root.file(needed, source, source.stat().st_mode & 0o777)


def _libraries(tree: Path, path: str) -> list[str]:
    told = run("chroot", tree, "ldd", f"/{path}")
    if absent := re.findall(r"^\s*(\S+) => not found", told, re.MULTILINE):
        raise ClusterError(f"/{path} of the Debian tree needs {', '.join(absent)}, which is not there")
    return [_merged(found) for found in re.findall(r"(?:^|\s)/(\S+) \(0x", told)]


def _merged(path: str) -> str:
    return path if path.startswith("usr/") else f"usr/{path}"


def _followed(tree: Path, path: str) -> Path:
    """A file of the tree behind its links; an absolute link means the tree's root."""
    source = tree / path
    while source.is_symlink():
        target = source.readlink()
        source = tree / str(target).lstrip("/") if target.is_absolute() else source.parent / target
    return source
