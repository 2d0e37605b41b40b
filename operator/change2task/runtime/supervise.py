"""Processes below one process: who they are, what they use, how all of them are ended. Standard library only.

It exists twice over: imported, it gives the monitor its numbers; run as a script, it is the small parent that
every command gets where there is no PID namespace. As a sub-reaper it inherits whatever the command leaves behind
(daemons in sessions of their own included), ends it, and does so too when the program that started it has died.
It starts once a command, so it imports little.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_PAGE = os.sysconf("SC_PAGE_SIZE")
_KILL_SECONDS = 5.0
_PROC = "/proc"


class Process(NamedTuple):
    """A process by number and start time (clock ticks since boot), which together are never used twice."""

    pid: int
    started: int


class Usage(NamedTuple):
    """What a tree of processes uses now; resident bytes count shared pages once for every process."""

    processes: tuple[Process, ...]
    threads: int
    resident_bytes: int


def usage_below(root: int) -> Usage:
    """What all descendants of process `root` use, itself and zombies not counted."""
    processes: list[Process] = []
    threads = resident = 0
    for pid in _descendants(root):
        fields = _stat(pid)
        if fields is None or fields[0] in {b"Z", b"X"}:
            continue
        processes.append(Process(pid, int(fields[19])))
        threads += int(fields[17])
        resident += int(fields[21]) * _PAGE
    return Usage(tuple(processes), threads, resident)


def proportional_bytes(processes: tuple[Process, ...]) -> int | None:
    """Resident bytes with every shared page counted once; None where the kernel does not tell."""
    total = 0
    for process in processes:
        try:
            with open(f"{_PROC}/{process.pid}/smaps_rollup", "rb") as file:  # noqa: PTH123 - see _stat
                lines = file.readlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:
            return None
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
    return total


def process(pid: int) -> Process | None:
    """The process that has a number now, None where none has."""
    fields = _stat(pid)
    return None if fields is None else Process(pid, int(fields[19]))


def parent(pid: int) -> int | None:
    """The number of a process's parent."""
    fields = _stat(pid)
    return None if fields is None else int(fields[1])


def alive(process: Process) -> bool:
    """Whether exactly this process still runs."""
    fields = _stat(process.pid)
    return fields is not None and int(fields[19]) == process.started and fields[0] not in {b"Z", b"X"}


def kill(process: Process) -> None:
    """End one process, unless its number belongs to another by now."""
    if alive(process):
        _signal(process.pid, signal.SIGKILL)


def kill_below(root: int, seconds: float = _KILL_SECONDS) -> bool:
    """End all descendants of `root`, also those that fork while it happens; False if some are left.

    They are stopped first, so that a bomb of forks cannot run ahead.
    """
    until = time.monotonic() + seconds
    while processes := usage_below(root).processes:
        stopped: set[Process] = set()
        while new := [process for process in processes if process not in stopped]:
            for process in new:
                _signal(process.pid, signal.SIGSTOP)
            stopped.update(new)
            processes = usage_below(root).processes
        for process in processes:
            _signal(process.pid, signal.SIGKILL)
        _reap()
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _stat(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat after the name, the state first; None if there is no such process."""
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib is slow, here and to import
            return file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _descendants(root: int) -> Iterator[int]:
    """The process numbers below `root`, by the kernel's lists of children where it keeps them, else by a scan."""
    if not os.path.exists(f"{_PROC}/self/task/{os.getpid()}/children"):  # noqa: PTH110 - see _stat
        yield from _scanned_descendants(root)
        return
    waiting = [root]
    while waiting:
        children = _children(waiting.pop())
        yield from children
        waiting += children


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        threads = os.listdir(f"{_PROC}/{pid}/task")  # noqa: PTH208 - see _stat
    except (FileNotFoundError, ProcessLookupError):
        return found
    for thread in threads:
        try:
            with open(f"{_PROC}/{pid}/task/{thread}/children", "rb") as file:  # noqa: PTH123 - see _stat
                found += map(int, file.read().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def _scanned_descendants(root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir(_PROC):  # noqa: PTH208 - see _stat
        if name.isdigit() and (fields := _stat(int(name))) is not None:
            children.setdefault(int(fields[1]), []).append(int(name))
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        yield from below
        waiting += below


def _reap() -> dict[int, int]:
    """Wait status by process number of all children that have ended."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def _supervise(request: dict[str, Any], control: int) -> dict[str, Any]:
    """Run the request's `argv` until it ends or the control pipe is closed; nothing it started is left then."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        return {"error": f"this kernel has no sub-reapers: {os.strerror(ctypes.get_errno())}"}
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    try:
        os.chdir(request["cwd"])
        main = os.posix_spawn(
            request["argv"][0],
            request["argv"],
            request["env"],
            file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)],
            setsid=True,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM],
            setsigmask=[],
        )
    except OSError as error:
        return {"error": f"{error.strerror}: {error.filename}"}
    answer: dict[str, Any] = {}
    while not answer:
        status = _reap().get(main)
        if status is not None:
            code = os.waitstatus_to_exitcode(status)
            answer = {"exit": code} if code >= 0 else {"signal": -code}
        elif control in select.select([control, wake], [], [])[0]:
            answer = {"stopped": True}
        else:
            os.read(wake, 4096)
    if not kill_below(os.getpid()):
        answer["left"] = [process.pid for process in usage_below(os.getpid()).processes]
    return answer


def main() -> None:
    """Read a request of one line from standard input, run it, write one line of answer to descriptor argv[1]."""
    answers = int(sys.argv[1])
    os.set_inheritable(answers, False)
    with os.fdopen(0, "rb", buffering=0, closefd=False) as control:
        line = b""
        while not line.endswith(b"\n"):
            piece = control.read(65536)
            if not piece:
                return
            line += piece
    answer = _supervise(json.loads(line), 0)
    os.write(answers, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
