"""Run a command with a Docker engine: the one that answers, else one of our own for as long as the command runs.

    python -m hack.engine make test

Our own needs root and dockerd (Debian: docker.io). Everything of it lies in one temporary folder, it makes no bridge
and no firewall rule, and it is ended by its process number, also when this program dies. Where there is neither, the
command runs without, and its tests say what that means.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from change2task.runtime.docker.engine import Engine
from change2task.runtime.errors import SandboxError

# Networks are left to the host: tests use its own, or none.
_WITHOUT_NETWORKS = ("--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false")
_START_SECONDS = 60
_STOP_SECONDS = 60


def main() -> int:
    """Run the words after the program's name; returns their exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with engine() as variables:
        return subprocess.run(sys.argv[1:], env={**os.environ, **variables}, check=False).returncode


@contextmanager
def engine() -> Iterator[Mapping[str, str]]:
    """The variables by which an engine is found; none where there is none to be had."""
    absent = _absent({})
    if absent is None:
        yield {}
        return
    dockerd = shutil.which("dockerd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if dockerd is None or os.geteuid() != 0:
        print(f"!!! NO DOCKER ENGINE ({absent}); to start one takes root and dockerd !!!", file=sys.stderr)
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="c2t-engine-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        # Who may use the engine is said by its socket's group, as with the system's own.
        folder.chmod(0o711)
        try:
            yield from _started(Path(dockerd), folder)
        finally:
            _unmount(folder)


def _started(dockerd: Path, folder: Path) -> Iterator[Mapping[str, str]]:
    variables = {"DOCKER_HOST": f"unix://{folder}/docker.sock"}
    words = [str(dockerd), "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile",
             f"{folder}/docker.pid", "--host", variables["DOCKER_HOST"], *_WITHOUT_NETWORKS]  # fmt: skip
    guard = shutil.which("setpriv")
    if guard is not None:
        words = [guard, "--pdeathsig", "TERM", *words]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + _START_SECONDS
        while (absent := _absent(variables)) is not None and process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        if absent is not None:
            tail = (folder / "log").read_text(errors="replace")[-2000:]
            print(f"!!! dockerd does not answer: {absent}\n{tail}!!!", file=sys.stderr)
            yield {}
        else:
            yield variables
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _absent(variables: Mapping[str, str]) -> str | None:
    try:
        Engine.connect({**os.environ, **variables})
    except SandboxError as error:
        return str(error)
    return None


def _unmount(folder: Path) -> None:
    """Take away what the engine left mounted, so that its folder can be removed."""
    mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for place in sorted((one for one in mounted if one.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", place], check=False)


if __name__ == "__main__":
    sys.exit(main())
