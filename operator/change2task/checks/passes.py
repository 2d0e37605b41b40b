"""One pass as its callers see it: a tree and a selection in, a result out, whatever runs it.

The protocol is the seam that lets a pass be run in a sandbox, taken from the journal of a killed run, or be
counted by a benchmark. What a result means is left to the gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from change2task.api.model import Model
from change2task.checks.plan import Perturbation
from change2task.checks.results import SuiteResult

_ZONES = ("UTC", "Asia/Kathmandu")
ASKED_OF_THE_BASE = len(_ZONES)
"""Ways in which preflight runs the whole suite on the healthy base."""


class InfrastructureFault(Exception):
    """The machine failed, so nothing can be concluded about the code that was run."""


class Cancelled(Exception):
    """The run was asked to stop; what was won before stands."""


class ScriptCall(Model):
    """A script check: its name, the program and its words, and the files that lie beside it by relative path.

    ``patient``: it may take as long as the whole suite, not only as long as one test.
    """

    id: str
    command: tuple[str, ...]
    files: dict[str, str] = {}
    patient: bool = False


class PassOrder(Model):
    """One pass: the git tree to lay out, the ids to run (None: all), what is varied, and a label for logs.

    `scopes`: of all tests that the project's command finds, only those of these scopes. `script`: that script
    instead of the project's command.
    """

    tree: str
    ids: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    script: ScriptCall | None = None
    perturbation: Perturbation
    label: str

    def key(self) -> str:
        """Hash of everything that decides the result; the label does not."""
        return self.replacing(label="").content_hash()


class PassRecord(Model):
    """What came of a pass: the suite's result, its cost in seconds of wall time, and the limit that ended it."""

    suite: SuiteResult
    seconds: float
    stopped_by: str | None = None
    durations: dict[str, float] = {}


class PassRunner(Protocol):
    """Runs passes of one base."""

    def run(self, order: PassOrder) -> PassRecord:
        """Run one pass on a fresh tree; raises InfrastructureFault or Cancelled, never for what tests do."""
        ...

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """These are most likely asked for next, in this order: a runner that pays for each start may run them together.

        Never a promise, and never needed for a right answer.
        """
        ...


def perturbation(repeat: int) -> Perturbation:
    """What repeat ``repeat`` varies: order, hash seed and time zone; the first keeps the suite's own order.

    The same for preflight and validation, so that a check that cannot bear it is known before a task rests on it:
    order and zone go round in as many ways as preflight asks of the healthy base, only the hash seed goes on.
    """
    turn = repeat % ASKED_OF_THE_BASE
    return Perturbation(
        hash_seed=repeat,
        order_seed=None if turn == 0 else turn,
        time_zone=_ZONES[turn],
    )
