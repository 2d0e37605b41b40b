"""Whether a small file is a copy of a project's own: it says something, and is the same module in both places.

It exists because a few lines may be equal by chance in unrelated packages, so that equal bytes alone prove nothing
below some size. How larger files are compared is left to ``copies``.
"""

from __future__ import annotations

import re

_STORES = frozenset(["site-packages", "dist-packages", "node_modules", "vendor", "_vendor", "vendored", "gomod"])
_ROOTS = frozenset(["src", "lib", "build", "source", "python", "purelib", "platlib"])
_ANYBODYS = frozenset(["tests", "test", "docs", "doc", "examples", "scripts", "tools", "bin"])
_SILENT = (b"#", b"//", b"/*", b"*", b"--", b";", b"%", b"<!--", b"package ")
_DOCSTRING = re.compile(rb"""\A[rRuU]?(\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*')\Z""", re.S)


def says_something(data: bytes) -> bool:
    """Whether a file holds more than comments, a docstring and blank lines."""
    lines = (line.strip() for line in data.splitlines())
    left = b"\n".join(line for line in lines if line and not line.startswith(_SILENT))
    return bool(left) and _DOCSTRING.match(left) is None


def same_module(where: str, source: str) -> bool:
    """Whether the file at ``where`` would be taken for the project's ``source``: it has its module's name.

    Among what is installed that is the whole name it is imported under; elsewhere it may lie in other folders.
    """
    there, stored = _module(where)
    own, _ = _module(source)
    if there == own[-len(there) :]:
        return len(there) == len(own) or there[-1] != "__init__.py" or len(there) > 1
    return not stored and len(own) > 1 and own[0] not in _ANYBODYS and there[-len(own) :] == own


def _module(path: str) -> tuple[tuple[str, ...], bool]:
    """What of a path is the module's name, and whether the path leads into a store of installed packages."""
    parts = tuple(path.split("/"))
    for folders, stored in ((_STORES, True), (_ROOTS, False)):
        found = [place for place, part in enumerate(parts[:-1]) if part in folders]
        if found:
            return parts[(found[-1] if stored else found[0]) + 1 :], stored
    return parts, False
