"""What the gates say of one proposal, growing gate by gate; a refusal ends the way.

Kept apart from the gates' order, so that static gates, screening and confirming are files of their own around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from change2task.api.fidelity import Fidelity
from change2task.api.reasons import Reason
from change2task.api.taskvariant import OracleStrength, Statement
from change2task.checks.roles import RoleVerdict
from change2task.construct.patches import TaskPatches
from change2task.validate import lifecycle
from change2task.validate.verdict import Verdict, refused


class Refused(Exception):
    """A gate refused; its verdict is already noted."""


class Left(Enum):
    """How much of what names the change stays in the agent's tree: tried in this order where checks fail without."""

    NOTHING = "nothing that is proved to be the change's"
    NAMED = "documents that code names"
    ALL = "all that need not be hidden"


@dataclass
class Qualification:
    """What the gates said of one proposal, and what came of it as far as they let it.

    ``statement`` is what the agent is told, with the names that hidden checks use; None until that gate has passed.
    ``hidden_files`` and ``traces`` say by quoted path how tests, and what else names the change, went from the agent's
    tree; ``traces_left`` why some stayed. ``own_hidden`` are the change's own functions that pass on the task state and
    are hidden, as (scope, function); ``own_coupled`` those of them that say how an answer is written, so that none is
    asked to pass them. ``left``: how much of what might go stays, since other checks need it; ``traces_doubtful``: what
    went of files that code names, by quoted path; ``older_helpers``: what the change wrote into helpers of tests is
    undone, since older tests need them. ``shared`` is what of the answer the statement holds, ``oracle`` what the
    checks would notice.
    """

    gates: list[Verdict] = field(default_factory=list)
    fidelity: Fidelity | None = None
    patches: TaskPatches | None = None
    statement: Statement | None = None
    targets: tuple[str, ...] = ()
    observers: tuple[str, ...] = ()
    regression: tuple[str, ...] = ()
    hidden_regression: tuple[str, ...] = ()
    hidden_files: dict[str, str] = field(default_factory=dict)
    own_hidden: frozenset[tuple[str, str]] = frozenset()
    own_coupled: frozenset[tuple[str, str]] = frozenset()
    traces: dict[str, str] = field(default_factory=dict)
    traces_left: dict[str, str] = field(default_factory=dict)
    traces_doubtful: frozenset[str] = frozenset()
    left: Left = Left.NOTHING
    older_helpers: bool = False
    shared: tuple[str, ...] = ()
    oracle: OracleStrength | None = None
    roles: tuple[RoleVerdict, ...] = ()
    runs: dict[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether only what must be hidden is."""
        return self.left is Left.ALL

    @property
    def stays(self) -> dict[str, str]:
        """Why what names the change stays in the agent's tree, by quoted path; the path ``*`` means all of it."""
        return {"*": "checks or the build need some of it"} if self.plain else self.traces_left

    @property
    def plainer(self) -> Left | None:
        """How much more can stay in the agent's tree than does; None where nothing more can."""
        if self.left is Left.NOTHING and self.traces_doubtful:
            return Left.NAMED
        return Left.ALL if not self.plain and (self.traces or self.own_hidden) else None

    @property
    def verdict(self) -> Verdict:
        """The last gate's word: a refusal, or the pass of the last gate."""
        return self.gates[-1]

    @property
    def summary(self) -> str:
        """One sentence on what decided: the refusal, or what every run and the fidelity showed."""
        if not self.accepted:
            return self.verdict.message
        last = max(number for number, gate in enumerate(self.gates) if gate.gate == lifecycle.GATE)
        return "; ".join(gate.message for gate in self.gates[last:])

    @property
    def accepted(self) -> bool:
        """Whether every gate passed."""
        return bool(self.gates) and all(gate.passed for gate in self.gates)

    def note(self, verdict: Verdict) -> None:
        """Keep a gate's answer; raises Refused on a refusal."""
        self.gates.append(verdict)
        if not verdict.passed:
            raise Refused

    def refuse(self, gate: str, reason: Reason, message: str) -> Refused:
        """A refusal noted, to be raised."""
        self.gates.append(refused(gate, reason, message))
        return Refused()
