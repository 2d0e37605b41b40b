"""The reaper of this program, started when the first container is.

It exists once a program and engine, however many sandboxes there are; see ``reaper`` for what it does.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
import threading
from collections.abc import Mapping

from change2task.runtime.docker import owner, reaper

_VARIABLES = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "HOME")
_lock = threading.Lock()
_running: dict[tuple[str | None, ...], subprocess.Popen[bytes]] = {}


def watch(environ: Mapping[str, str]) -> None:
    """See to it that a reaper waits for this program's end, for the engine that ``environ`` names."""
    engine = tuple(environ.get(name) for name in _VARIABLES)
    with _lock:
        process = _running.get(engine)
        if process is not None and process.poll() is None:
            return
        process = _running[engine] = subprocess.Popen(
            [sys.executable, "-I", reaper.__file__, owner.LABEL, owner.this_program()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            cwd="/",
            start_new_session=True,
        )
        atexit.register(_goodbye, process)


def _goodbye(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(reaper.GOODBYE)
        process.stdin.close()
    process.wait()
