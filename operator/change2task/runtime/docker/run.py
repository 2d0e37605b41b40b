"""One command in one container: made, started, listened to, ended, and gone.

It is what the local sandboxes' watch sees of a container (see ``local.LocalProcess``). A thread carries the container's
output over and tells of its end; limits, deadline and cancelling are the watch's.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import structlog
from docker.errors import APIError, NotFound

from change2task.runtime import supervise
from change2task.runtime.docker.container import NO_FOLDER
from change2task.runtime.docker.engine import FAULTS, Engine
from change2task.runtime.pipes import Pipe

_HEADER = 8
_PIECE = 1 << 18
_KILLED = 137
_REMOVED = "the container was ended or removed by someone else while it ran"
_QUESTION_SECONDS = 1.0
_COUNT_SECONDS = 2.0
_NOTHING = supervise.Usage((), 0, 0)

log = structlog.get_logger(__name__)


class Contained:
    """A command in a container of its own; nothing of it is left once ``ended`` has answered.

    ``keep`` is called with the container's id before it is removed, if the command ended by itself with exit code 0.
    """

    def __init__(
        self,
        engine: Engine,
        configuration: Mapping[str, Any],
        mark: str,
        status: Pipe,
        output: Pipe,
        keep: Callable[[str], None] | None,
    ) -> None:
        self.status_fd, self.output_fd = status.reader, output.reader
        self.out_of_memory = False
        self._engine, self._mark, self._keep = engine, mark, keep
        self._killed = False
        self._started = threading.Event()
        client = engine.client
        made = client.create_container_from_config(dict(configuration))  # type: ignore[no-untyped-call]
        self._id: str = made["Id"]
        try:
            attached = client.attach_socket(self._id, params={"stdout": 1, "stderr": 1, "stream": 1})
            self._thread = threading.Thread(
                target=self._carry,
                args=(attached, os.dup(output.writer), os.dup(status.writer)),
                name=f"container-{self._id[:12]}",
                daemon=True,
            )
            self._thread.start()
            status.close_writer()
            output.close_writer()
            client.start(self._id)
            state = client.inspect_container(self._id)["State"]
        except BaseException:
            self._remove()
            raise
        finally:
            self._started.set()
        self._written = 0
        self._next_count = time.monotonic() + _COUNT_SECONDS
        self._next_question = time.monotonic() + _QUESTION_SECONDS
        self._shim = _shim(self._id, int(state["Pid"]))

    def _carry(self, attached: Any, output: int, status: int) -> None:
        """Carry the output over until it ends, wait for the container's end, and tell of it by closing the pipe."""
        try:
            _carry_output(attached, output)
        except OSError as error:
            log.debug("container.output", container=self._id[:12], error=str(error))
        finally:
            os.close(output)
            attached.close()
        try:
            self._started.wait()
            self._engine.client.wait(self._id, timeout=None)
        except FAULTS as error:
            log.debug("container.wait", container=self._id[:12], error=str(error))
        finally:
            os.close(status)
            self._engine.close()

    def status(self, data: bytes) -> None:
        """See Started.status."""
        raise AssertionError("a container's status is its end alone")

    def usage(self) -> supervise.Usage:
        """See Started.usage; nothing where the engine's processes are not this machine's."""
        if time.monotonic() >= self._next_question:
            self._next_question = time.monotonic() + _QUESTION_SECONDS
            # The kernel may have ended a child of the command only, which goes on.
            if self._engine.facts.memory and self._told("oom", int(time.time())):
                self.out_of_memory = True
                self.kill()
        return _NOTHING if self._shim is None else supervise.usage_below(self._shim)

    def written(self) -> int:
        """Bytes written to the image's own files; asked every two seconds at most, for the engine counts them anew."""
        if time.monotonic() >= self._next_count:
            [one] = self._engine.client.containers(all=True, size=True, filters={"id": self._id}) or [{}]
            self._written = int(one.get("SizeRw", 0))
            self._next_count = time.monotonic() + _COUNT_SECONDS
        return self._written

    def kill(self) -> None:
        """See Started.kill."""
        self._killed = True
        # What has ended already, or is not there any more, needs no ending.
        with contextlib.suppress(APIError):
            self._engine.client.kill(self._id, "SIGKILL")

    def kill_hard(self) -> None:
        """See Started.kill_hard."""
        self._remove()

    def ended(self, said: bytes) -> tuple[int | None, str | None]:
        """See LocalProcess.ended."""
        try:
            state = self._engine.client.inspect_container(self._id)["State"]
            code = int(state["ExitCode"])
            self.out_of_memory |= bool(state["OOMKilled"])
            if code == NO_FOLDER and said.startswith(self._mark.encode()):
                return None, self._mark.partition(": ")[2]
            if code == _KILLED and not self._killed and not self.out_of_memory and self._told("kill", _next_second()):
                return None, _REMOVED
            if self._keep is not None and code == 0 and not self._killed and not self.out_of_memory:
                self._keep(self._id)
            return code, None
        except NotFound:
            return None, None if self._killed else _REMOVED
        except FAULTS as error:
            return None, f"the Docker engine does not answer any more: {error}"
        finally:
            self._remove()

    def _told(self, event: str, until: int) -> bool:
        """Whether the engine knows of an event of the container, until a second of the clock, which is waited for."""
        filters = {"container": self._id, "event": event}
        # Without a beginning there would be none of the past; nothing of a container is older than itself.
        told = self._engine.client.events(since=1, until=until, filters=filters, decode=True)
        return any(event == str(one.get("Action")).partition(":")[0] for one in told)

    def _remove(self) -> None:
        try:
            self._engine.client.remove_container(self._id, force=True, v=True)
        except NotFound:
            return
        except FAULTS as error:
            log.warning("container.not_removed", container=self._id[:12], error=str(error))


def _carry_output(attached: Any, output: int) -> None:
    """Unpack the engine's frames (a kind, three zeros, a length, the bytes) and write what they hold."""
    connection: socket.socket = getattr(attached, "_sock", attached)
    waiting = bytearray()
    left = 0
    while piece := connection.recv(_PIECE):
        waiting += piece
        start = 0
        while True:
            if left:
                taken = waiting[start : start + left]
                _write(output, taken)
                left -= len(taken)
                start += len(taken)
            if left or len(waiting) - start < _HEADER:
                break
            left = int.from_bytes(waiting[start + 4 : start + _HEADER], "big")
            start += _HEADER
        del waiting[:start]


def _next_second() -> int:
    return int(time.time()) + 1


def _write(output: int, data: bytes | bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(output, view) :]


def _shim(container: str, pid: int) -> int | None:
    """The parent of the container's first process, if this machine's process of that number really is it."""
    try:
        groups = Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return None
    return supervise.parent(pid) if container in groups else None
