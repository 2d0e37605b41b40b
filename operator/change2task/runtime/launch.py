"""The first thing that runs inside, a shell that lowers its own limits and becomes the command, and its exit code.

It exists because limits must be set between fork and exec, which Python can only do unsafely in a process with
threads; a shell does it everywhere alike, and answers 127 and 126 for a program that is missing or cannot be run.
"""

from __future__ import annotations

import resource
import signal
from collections.abc import Sequence

from change2task.runtime.models import Limits

OPEN_FILES = 4096
_BLOCK = 512
# One file may exceed the disk limit by a little, so that the excess is seen and named rather than met as EFBIG.
_SLACK_BLOCKS = 128

_SCRIPT = 'ulimit -c 0; ulimit -f "$1"; ulimit -n "$2" 2>/dev/null || :; shift 2; exec "$@"'


def limited(argv: Sequence[str], limits: Limits) -> tuple[str, ...]:
    """`argv` behind a shell without core dumps, with bounded file size and number of open files."""
    blocks = file_bytes(limits) // _BLOCK
    return ("/bin/sh", "-c", _SCRIPT, "sh", str(blocks), str(OPEN_FILES), *argv)


def file_bytes(limits: Limits) -> int:
    """How large one file may become."""
    return (limits.disk_bytes // _BLOCK + _SLACK_BLOCKS) * _BLOCK


def machine_file_limit(limits: Limits) -> str | None:
    """A sentence when this machine lets files grow less than a command may make them, which binds the command too."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if hard == resource.RLIM_INFINITY or hard >= file_bytes(limits):
        return None
    return (
        f"this machine lets no file grow beyond {hard >> 10} KiB (ulimit -f), and a command may write"
        f" {limits.disk_bytes >> 20} MiB; raise that limit and run again"
    )


def exit_or_signal(code: int) -> tuple[int | None, int | None]:
    """(exit code, signal), one of them None; 128+n counts as signal n, which is how shells and sandboxes tell it."""
    number = -code if code < 0 else code - 128
    if 0 < number <= signal.SIGRTMAX:
        return None, number
    return code, None
