"""Runs passes of one base on this machine: a fresh tree, the plan folder, a sandbox, and the reader outside.

This is ``run_state`` of the design for runtimes that are reached from here; all of it that touches repository
code happens in the sandbox. What came back is parsed here, outside, as hostile bytes. Whether a result is a
verdict is left to the gates, repeating included.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import structlog

from change2task.api.model import Model
from change2task.checks.laying import CheckCommand, lay, plan_order, read, variables
from change2task.checks.passes import Cancelled, InfrastructureFault, PassOrder, PassRecord
from change2task.checks.plan import PassPlan
from change2task.checks.results import SuiteResult
from change2task.runtime import errors as runtime_errors
from change2task.runtime import trees
from change2task.runtime.environment import Environment
from change2task.runtime.models import Command, Limits, Outcome
from change2task.runtime.sandbox import Sandbox
from change2task.runtime.workspace import Workspace, Workspaces
from change2task.vcs.repository import Repository

log = structlog.get_logger(__name__)

_HARNESS_SECONDS = 30
"""What run.sh may need beyond the suite's own limit before the sandbox ends it."""
_BROKEN = 70
"""Exit code of run.sh when it could not do its work."""
_STARTS = 20
"""How often run.sh is started again on the same results after hostile code has killed it."""
_OUTPUT = re.compile(r"(?:rebuild|round)\.\d+\.log")
_KEPT_ROUNDS = 5
_KEPT_BYTES = 1 << 20
"""Of a pass's output, in its log."""


class Resources(Model):
    """What one pass may use."""

    memory_bytes: int = 4 << 30
    processes: int = 512
    disk_bytes: int = 8 << 30


class SandboxRunner:
    """Runs passes in a sandbox of this machine; safe to use from several threads."""

    def __init__(
        self,
        *,
        sandbox: Sandbox,
        workspaces: Workspaces,
        environment: Environment,
        repository: Repository,
        checks: CheckCommand,
        logs: Path,
        resources: Resources | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._workspaces = workspaces
        self._environment = environment
        self._repository = repository
        self._checks = checks
        self._logs = logs
        self._resources = resources or Resources()
        self._cancel = cancel or threading.Event()

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """Starting a sandbox costs next to nothing here, so each pass is run when it is asked for."""

    def run(self, order: PassOrder) -> PassRecord:
        """Run one pass; raises InfrastructureFault and Cancelled."""
        started = time.monotonic()
        nonce = secrets.token_hex(8)
        plan = plan_order(order, self._checks, nonce)
        try:
            with self._workspaces.fresh(self._cancel) as workspace:
                lay(order, plan, self._repository, self._environment, workspace.work, workspace.plan)
                stopped_by = self._run_to_completion(plan, workspace, order.label)
                self._keep_output(workspace.results, order.label)
                reading = read(order, self._checks, workspace.results, nonce)
        except runtime_errors.Cancelled as error:
            raise Cancelled(str(error)) from error
        except (runtime_errors.SandboxError, OSError) as error:
            raise InfrastructureFault(f"{order.label}: {error}") from error
        seconds = time.monotonic() - started
        _report(order, reading.suite, seconds)
        return PassRecord(
            suite=reading.suite,
            seconds=seconds,
            stopped_by=stopped_by,
            durations=dict(reading.timings.seconds),
        )

    def _run_to_completion(self, plan: PassPlan, workspace: Workspace, label: str) -> str | None:
        """Start run.sh until it has said that it is done; hostile code may kill it where it is not process 1.

        Returns the limit at which the sandbox ended it, if it did.
        """
        outcome = self._start(plan, workspace, label)
        for _ in range(_STARTS):
            if outcome.infrastructure is not None:
                raise InfrastructureFault(f"{label}: {outcome.infrastructure}")
            if outcome.stopped_by == "cancelled":
                raise Cancelled(label)
            if outcome.stopped_by is not None:
                return outcome.stopped_by
            if (workspace.results / "complete").exists() or outcome.exit_code == _BROKEN:
                return None
            before = _rounds(workspace.results)
            outcome = self._start(plan, workspace, label)
            if _rounds(workspace.results) == before:
                return outcome.stopped_by
        return None

    def _start(self, plan: PassPlan, workspace: Workspace, label: str) -> Outcome:
        layout = self._sandbox.layout
        harness_log = self._logs / f"{label}.harness.log"
        harness_log.parent.mkdir(parents=True, exist_ok=True)
        limits = Limits(
            seconds=plan.total_timeout_seconds + _HARNESS_SECONDS,
            memory_bytes=self._resources.memory_bytes,
            processes=self._resources.processes,
            disk_bytes=self._resources.disk_bytes,
        )
        command = Command(
            argv=("/bin/sh", f"{layout.plan}/run.sh"),
            env=variables(plan, self._environment, layout),
            cwd=layout.work,
            mounts=(*workspace.mounts(layout), *self._environment.mounts(layout)),
            image=self._environment.image,
            limits=limits,
            log=harness_log,
        )
        return self._sandbox.run(command, cancel=self._cancel)

    def _keep_output(self, results: Path, label: str) -> None:
        """Keep what was printed, for people who ask why; nothing is ever concluded from it."""
        names = sorted(path.name for path in results.iterdir() if _OUTPUT.fullmatch(path.name))
        pieces = [trees.read_file(results, name, _KEPT_BYTES) or b"" for name in names[-_KEPT_ROUNDS:]]
        (self._logs / f"{label}.log").write_bytes(b"".join(pieces)[-_KEPT_BYTES:])


def _rounds(results: Path) -> int:
    return sum(1 for _ in results.glob("round.*.start"))


def _report(order: PassOrder, suite: SuiteResult, seconds: float) -> None:
    counts: dict[str, int] = {}
    for result in suite.results.values():
        counts[result.outcome] = counts.get(result.outcome, 0) + 1
    log.debug("pass.ended", label=order.label, ending=suite.ending, seconds=round(seconds, 2), **counts)
