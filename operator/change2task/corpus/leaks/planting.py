"""Leaks of every kind planted on purpose, so that a search which misses one is known to be blind.

Each plant is the answer itself, put where real leaks were seen: beside the tree, in packages and caches, in
history that nothing names any more, in what builds and editors leave. They are made in a folder of their own that is
searched like everything else; nothing of the task is touched.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import marshal
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from change2task.corpus.leaks.needles import Needles, squeezed
from change2task.corpus.leaks.scanning import Scan

Content = tuple[str, bytes]
"""A name and the content that is planted."""


def plants(needles: Needles) -> list[tuple[str, Callable[[Path], None]]]:
    """Every kind of leak with what plants it below an empty folder; none where there is nothing to look for."""
    path, content = max(needles.files.items(), key=lambda item: _worth(needles, item[1]), default=("", b""))
    if not content:
        return []
    name = Path(path).name
    archive = gzip.compress(_tarred(name, content), mtime=0)
    kinds: list[tuple[str, Callable[[Path], None]]] = [
        ("source", _writes("project", name, content)),
        ("site-packages", _writes("lib/python3/site-packages/project", name, content)),
        ("build", _writes("build/lib", name, content)),
        ("backup", _writes("project", f"{name}~", content)),
        ("wheel", _writes("cache/pip/wheels", "project-1.0-py3-none-any.whl", _zipped(name, content))),
        ("jar", _writes(".m2/repository/project", "project-1.0-sources.jar", _zipped(name, content))),
        ("go-module", _writes("go/pkg/mod/cache/download", "v1.0.0.zip", _zipped(name, content))),
        ("sdist", _writes("cache/pip/http", "project-1.0.tar.gz", archive)),
        ("npm", _writes(".npm/_cacache/content-v2", "0a", archive)),
        (
            "crate",
            _writes(".cargo/registry/cache", "project-1.0.crate", archive),
        ),
        ("image-layer", _writes("layers", "layer.tar", _tarred(f"usr/{name}", content))),
        ("loose-object", _writes(".git/objects/aa", "bb", zlib.compress(b"blob %d\0" % len(content) + content))),
        ("pack", _writes(".git/objects/pack", "pack-1.pack", _pack(content))),
        ("alternates", _writes(".git/objects/info", "alternates", b"/elsewhere/objects\n")),
    ]
    if _worth(needles, content)[0]:
        kinds.append(("editor", _writes("project", f".{name}.swp", b"b0VIM 9.1\0" + content)))
    if needles.lines:
        line = max(needles.lines.values(), key=len)
        half = len(line) // 2
        wrapped = f"{line[:half]}\n        {line[half:]}"
        kinds += [
            ("line", _writes("notes", "scratch", f"# remember\n{line}\n".encode())),
            ("wrapped-line", _writes("notes", "scratch", f"x\n{wrapped}\n".encode())),
            ("label", _writes("image", "config.json", json.dumps({"Labels": {"hint": line}}).encode())),
            ("variable", _writes("proc", "environ", f"HOME=/\0HINT={line}\0".encode())),
            ("patch", _writes("project", f"{name}.orig.rej", f"@@ -1 +1 @@\n-x\n+{line}\n".encode())),
        ]
    if needles.names:
        compiled = marshal.dumps(compile(f"{min(needles.names)} = 1\n", "m", "exec"))
        kinds.append(("byte-code", _writes("project/__pycache__", "m.cpython-311.pyc", b"\0" * 16 + compiled)))
    return kinds


def _worth(needles: Needles, content: bytes) -> tuple[int, int]:
    """How much of a content is told by its parts, and its size: what is planted should be found in either way."""
    bare = squeezed(content)
    names = needles.pattern.findall(content) if needles.pattern else []
    return sum(line in bare for line in needles.lines) + len(names), len(content)


def missed(needles: Needles, folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All kinds that were planted below ``folder``, and those of them that a search does not find."""
    planted = plants(needles)
    blind: list[str] = []
    for kind, plant in planted:
        place = folder / kind
        place.mkdir(parents=True)
        plant(place)
        scan = Scan(needles)
        scan.folder(place, kind)
        if not scan.findings:
            blind.append(kind)
    return tuple(kind for kind, _ in planted), tuple(blind)


def _writes(folder: str, name: str, content: bytes) -> Callable[[Path], None]:
    def plant(root: Path) -> None:
        (root / folder).mkdir(parents=True)
        (root / folder / name).write_bytes(content)

    return plant


def _zipped(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"project/{name}", content)
    return buffer.getvalue()


def _tarred(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _pack(content: bytes) -> bytes:
    """A pack of one blob (git's gitformat-pack: type and size in sevens of bits, then zlib, then SHA-1 of all)."""
    size, first = len(content) >> 4, 0x30 | (len(content) & 0x0F)
    header = bytearray([first | (0x80 if size else 0)])
    while size:
        header.append((size & 0x7F) | (0x80 if size >> 7 else 0))
        size >>= 7
    body = b"PACK" + (2).to_bytes(4) + (1).to_bytes(4) + bytes(header) + zlib.compress(content)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()
