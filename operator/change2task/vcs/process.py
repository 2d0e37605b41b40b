"""How git is started: one complete environment, one configuration, a deadline; nothing of the caller or the repository.

GitPython starts the processes, but hands its own environment down; `env -i` in front makes the environment of each
exactly what is listed here. The configuration file beside this module is given twice, as the global one (it reaches
processes that git itself starts in another repository) and on the command level (it stands above a repository's
own). What the commands mean is left to the other modules of this room.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from change2task.vcs.errors import GitFailed, GitMissing, GitSaidTooMuch, GitTimedOut, detail_of

# GitPython tries git when it is imported and would refuse the import; a missing git is our own error, when it is
# needed.
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")

from git.cmd import Git as GitPython

CONFIGURATION = Path(__file__).with_name("hardened.gitconfig")
OLDEST_GIT = (2, 38)
SECONDS = 600.0
OUTPUT_BYTES = 1 << 30
_STDERR_BYTES = 1 << 16
_CHUNK = 1 << 20

_VARIABLES = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "TZ": "UTC",
    "TERM": "dumb",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": str(CONFIGURATION),
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "include.path",
    "GIT_CONFIG_VALUE_0": str(CONFIGURATION),
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ADVICE": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=30",
    "GIT_SSH_VARIANT": "ssh",
}
_NETWORK_VARIABLES = (
    "HOME",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
)

Word = str | bytes | Path


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended."""

    code: int
    stdout: bytes
    stderr: bytes


class Running:
    """One git process: its output as a stream, its complaints collected, killed with its children at the deadline."""

    def __init__(self, process: GitPython.AutoInterrupt, command: Sequence[str], seconds: float | None) -> None:
        self._interrupt = process
        self._process = cast("subprocess.Popen[bytes]", process.proc)
        self._command = command
        self._seconds = seconds
        self._stderr = bytearray()
        self._timed_out = False
        self._drain = threading.Thread(target=self._collect, name="git-stderr", daemon=True)
        self._drain.start()
        self._timer: threading.Timer | None = None
        if seconds is not None:
            self._timer = threading.Timer(seconds, self._expire)
            self._timer.daemon = True
            self._timer.start()

    @property
    def stdout(self) -> IO[bytes]:
        """What the process prints."""
        return cast("IO[bytes]", self._process.stdout)

    @property
    def stdin(self) -> IO[bytes]:
        """What the process reads; only when it was started with a pipe."""
        return cast("IO[bytes]", self._process.stdin)

    def _collect(self) -> None:
        stderr = cast("IO[bytes]", self._process.stderr)
        with contextlib.suppress(ValueError, OSError):  # the stream is closed under us when the process is given up
            while chunk := os.read(stderr.fileno(), 1 << 14):
                self._stderr += chunk
                del self._stderr[:-_STDERR_BYTES]

    def _expire(self) -> None:
        self._timed_out = True
        self.kill()

    def kill(self) -> None:
        """End the process and everything it started."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def read(self, limit: int) -> bytes:
        """All output, at most `limit` bytes. Raises GitSaidTooMuch."""
        chunks: list[bytes] = []
        size = 0
        while chunk := self.stdout.read(_CHUNK):
            size += len(chunk)
            if size > limit:
                self.kill()
                raise GitSaidTooMuch(self._command, limit)
            chunks.append(chunk)
        return b"".join(chunks)

    def feed(self, data: bytes) -> threading.Thread:
        """Write `data` from a thread and close the input, so that reading can go on meanwhile."""

        def write() -> None:
            # A process that ended early says so by its exit code.
            with contextlib.suppress(BrokenPipeError, ValueError), self.stdin as stdin:
                stdin.write(data)

        thread = threading.Thread(target=write, name="git-stdin", daemon=True)
        thread.start()
        return thread

    def complaint(self) -> str:
        """What the process wrote to its standard error, once it has ended."""
        self._drain.join(timeout=5)
        return detail_of(bytes(self._stderr))

    def finish(self, codes: Sequence[int] = (0,)) -> Completed:
        """Wait for the end; anything but the expected exit codes raises."""
        code = self._process.wait()
        self._drain.join(timeout=5)
        if self._timer:
            self._timer.cancel()
        if self._timed_out:
            raise GitTimedOut(self._command, self._seconds or 0)
        if code == 127:
            raise GitMissing("git is not installed, or not on the PATH")
        if code not in codes:
            raise GitFailed(self._command, code, detail_of(bytes(self._stderr)))
        return Completed(code, b"", bytes(self._stderr))

    def close(self) -> None:
        """Give the process up, whatever it is doing."""
        if self._timer:
            self._timer.cancel()
        self.kill()
        self._process.wait()
        self._drain.join(timeout=5)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Git:
    """Git in one git directory, with the variables that choose what it sees there."""

    def __init__(self, git_dir: Path | None, variables: Mapping[str, str] | None = None) -> None:
        self._variables = {**_VARIABLES, **(variables or {})}
        self._variables["PATH"] = os.environ.get("PATH", os.defpath)
        self._variables.setdefault("HOME", "/nonexistent")
        if git_dir is not None:
            self._variables["GIT_DIR"] = str(git_dir)

    def start(
        self,
        *words: Word,
        stdin: int | None = None,
        variables: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> Running:
        """Start a command; the caller reads, finishes and closes it."""
        command = [os.fsdecode(word) for word in words]
        environment = {**self._variables, **(variables or {})}
        assignments = [f"{name}={value}" for name, value in environment.items()]
        process = GitPython("/").execute(
            ["env", "-i", *assignments, "git", *command],
            istream=stdin,
            as_process=True,
            start_new_session=True,
        )
        return Running(process, command, seconds)

    def run(
        self,
        *words: Word,
        stdin: bytes = b"",
        variables: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
        codes: Sequence[int] = (0,),
        limit: int = OUTPUT_BYTES,
    ) -> Completed:
        """Run a command to its end. Raises GitFailed (GitTimedOut, GitSaidTooMuch) or GitMissing."""
        source = subprocess.PIPE if stdin else None
        with self.start(*words, stdin=source, variables=variables, seconds=seconds) as running:
            feeder = running.feed(stdin) if stdin else None
            output = running.read(limit)
            if feeder:
                feeder.join()
            ended = running.finish(codes)
        return Completed(ended.code, output, ended.stderr)

    def records(self, *words: Word, stdin: bytes = b"", separator: bytes = b"\0") -> Iterator[bytes]:
        """The output of a command cut at `separator`, while it runs; raises like `run`, at the end.

        There is no deadline: how long it takes is up to whoever consumes it.
        """
        source = subprocess.PIPE if stdin else None
        with self.start(*words, stdin=source) as running:
            feeder = running.feed(stdin) if stdin else None
            yield from _cut(running.stdout, separator)
            if feeder:
                feeder.join()
            running.finish()


def _cut(stream: IO[bytes], separator: bytes) -> Iterator[bytes]:
    rest: list[bytes] = []
    while chunk := os.read(stream.fileno(), _CHUNK):
        first, *others = chunk.split(separator)
        rest.append(first)
        for other in others:
            yield b"".join(rest)
            rest = [other]
    if tail := b"".join(rest):
        yield tail


def network_variables() -> dict[str, str]:
    """What a fetch needs more than other commands: transports, and the caller's keys, certificates and proxies."""
    inherited = {name: os.environ[name] for name in _NETWORK_VARIABLES if name in os.environ}
    return {**inherited, "GIT_ALLOW_PROTOCOL": "file:git:ssh:http:https"}


@cache
def git_version() -> tuple[int, ...]:
    """The version of git on this machine. Raises GitMissing, also when it is older than `OLDEST_GIT`."""
    said = Git(None).run("version").stdout.decode(errors="replace")
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
    if not match:
        raise GitMissing(f"git does not say its version: {said.strip()!r}")
    version = tuple(int(part) for part in match.groups() if part)
    if version < OLDEST_GIT:
        raise GitMissing(f"git {'.'.join(map(str, OLDEST_GIT))} or newer is needed, this one is {said.strip()}")
    return version
