"""Run by the Python of an image: Python sources in, their byte-code out, both as tar archives.

Only the interpreter that will load byte-code can make it, and that one may live in a container engine or below a
foreign root, where nothing but its standard streams is shared with us. So this module is sent as text, needs the
standard library alone, and writes no file. The byte-code is of the unchecked kind (PEP 552): it names no time, so it is
the same for the same sources, and it is taken without looking at them.
"""

from __future__ import annotations

import importlib.util
import io
import marshal
import sys
import tarfile

UNCHECKED = (1).to_bytes(4, "little")


def byte_code(source: bytes, path: str) -> bytes | None:
    """The file beside ``/path``; None where the source is not of this Python (templates, other versions)."""
    try:
        code = compile(source, path, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError):
        return None
    return importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source) + marshal.dumps(code)


def main() -> None:
    """Members are named by their path in the image, without the leading slash."""
    with (
        tarfile.open(fileobj=sys.stdin.buffer, mode="r|") as sources,
        tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as made,
    ):
        for member in sources:
            file = sources.extractfile(member)
            found = byte_code(file.read(), f"/{member.name}") if file else None
            if found is not None:
                info = tarfile.TarInfo(importlib.util.cache_from_source(member.name))
                info.size = len(found)
                made.addfile(info, io.BytesIO(found))


if __name__ == "__main__":
    main()
