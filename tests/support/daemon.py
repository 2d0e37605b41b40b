"""A git server on this machine, so that fetching over a network is tested without one."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def git_daemon(folder: Path) -> Iterator[str]:
    """Serve every repository below a folder; gives the address that their relative paths are joined to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    git = shutil.which("git")
    assert git is not None
    words = ["daemon", "--export-all", "--listen=127.0.0.1", f"--port={port}", f"--base-path={folder}"]
    server = subprocess.Popen([git, *words, str(folder)], stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        _wait_for(port)
        yield f"git://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, "the git server does not answer"
            time.sleep(0.02)
        else:
            return
