"""A file that appears whole or not at all, whatever ends the program while it is written."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write beside ``path``, sync, rename; a file that is there keeps its permissions. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        mode = path.stat().st_mode & 0o777
    temporary = path.parent / f".tmp-{os.getpid()}-{secrets.token_hex(6)}"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
