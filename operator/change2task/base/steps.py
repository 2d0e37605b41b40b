"""Runs setup's commands in the sandbox and tells how one ended: done, the step's fault, or the machine's.

It exists so that building reads as a list of steps. What a fault means for the base is left to ``build``.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from change2task.api.reasons import Reason
from change2task.base.environment import StepRecord
from change2task.base.faults import built_fault
from change2task.base.index import IndexSettings
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.launch import machine_file_limit
from change2task.runtime.models import Command, Limits, Mount, Outcome
from change2task.runtime.sandbox import Sandbox

_TAIL_LINES = 12
_TAIL_BYTES = 2000
_PROBE_SECONDS = 120
_TOO_LARGE = os.strerror(errno.EFBIG)
_STOPPED = {
    "deadline": "it ran longer than {seconds:.0f} s",
    "memory": "it took more than {memory} MiB of memory",
    "processes": "it had more than {processes} processes at once",
    "disk": "it filled its folders with more than {disk} MiB",
}


@dataclass
class Bench:
    """Where setup commands run: sandbox, mounts and variables for all of them, the folder of their logs."""

    sandbox: Sandbox
    mounts: tuple[Mount, ...]
    variables: Mapping[str, str]
    index: IndexSettings
    limits: Limits
    logs: Path
    uv: str
    cancel: threading.Event | None = None
    records: list[StepRecord] = field(default_factory=list)

    def step(self, line: str) -> StepRecord:
        """Run a line for ``sh`` in the work folder with the network open.

        Raises StepFailed, Faulted (a limit was passed), InfrastructureFault, Cancelled.
        """
        name = f"{len(self.records):02d}.log"
        outcome = self.run(("sh", "-c", line), log=self.logs / name, limits=self.limits)
        record = StepRecord(step=line, exit_code=outcome.exit_code, seconds=outcome.seconds, log=name)
        self.records.append(record)
        tail = self.tail(name)
        if outcome.stopped_by is not None:
            limits = self.limits
            how = _STOPPED[outcome.stopped_by].format(
                seconds=limits.seconds,
                memory=limits.memory_bytes >> 20,
                processes=limits.processes,
                disk=limits.disk_bytes >> 20,
            )
            shown = self.index.masked_text(line)
            raise built_fault(
                Reason.SETUP_STOPPED,
                f"setup step {shown!r} was stopped: {how}. Nothing answers if a step asks for input."
                f" Its last lines:\n{tail}",
            )
        if not outcome.succeeded:
            self._blame_machine(line, tail)
            ended = f"exit code {outcome.exit_code}" if outcome.signal is None else f"signal {outcome.signal}"
            raise StepFailed(self.index.masked_text(line), ended, tail)
        return record

    def run(
        self,
        argv: tuple[str, ...],
        *,
        log: Path,
        limits: Limits | None = None,
        network: bool = True,
        extra: Mapping[str, str] | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Outcome:
        """Run one command; its log is masked. Raises InfrastructureFault, Cancelled."""
        variables = {name: value for name, value in self.variables.items() if name not in without}
        limits = limits or self.limits.replacing(seconds=_PROBE_SECONDS)
        command = Command(
            argv=argv,
            env={**variables, **(extra or {})},
            cwd=self.sandbox.layout.work,
            mounts=self.mounts,
            network=network,
            limits=limits,
            log=log,
        )
        outcome = self.sandbox.run(command, cancel=self.cancel)
        if log.is_file():
            log.write_bytes(self.index.masked(log.read_bytes()))
        if outcome.stopped_by == "cancelled":
            raise Cancelled("stopped while an environment was built; the build starts afresh at the next run")
        if outcome.infrastructure is not None:
            raise InfrastructureFault(f"building an environment: {outcome.infrastructure}")
        return outcome

    def _blame_machine(self, line: str, tail: str) -> None:
        """Raise InfrastructureFault where a step met this machine's own limit on files; containers have others."""
        limit = machine_file_limit(self.limits)
        if limit is not None and self.sandbox.name != "docker" and _TOO_LARGE in tail:
            raise InfrastructureFault(f"building an environment: setup step {line!r} failed, and {limit}")

    def tail(self, name: str) -> str:
        """The last lines of a log, at most 12 and 2000 bytes."""
        path = self.logs / name
        text = path.read_bytes()[-_TAIL_BYTES:].decode(errors="replace") if path.is_file() else ""
        return "\n".join(text.strip().splitlines()[-_TAIL_LINES:]) or "(no output)"


class StepFailed(Exception):
    """A step ended with an error; whose fault that is remains to be found out."""

    def __init__(self, step: str, ended: str, tail: str) -> None:
        super().__init__(f"setup step {step!r} ended with {ended}; its last lines:\n{tail}")
        self.step, self.ended, self.tail = step, ended, tail
