"""Oracle strength: which parts of the restoration could be left out of an answer without any check noticing.

Each part is left out once and the hidden checks are run, then, where they all pass, the open ones: what a grader runs.
A part that nobody notices is kept in the task, so that its user knows what the checks do not ask for; whether there may
be such parts at all is the candidate's to say (``spec.validation.oracle``). A part of the task patch that changes no
outcome of a hidden check even when it alone is undone is told as idle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import OracleDemand
from change2task.api.taskvariant import OraclePart, OracleStrength
from change2task.checks.labels import LabelledRunner
from change2task.checks.passes import PassRunner
from change2task.construct.parts import Part, parts_of
from change2task.construct.patches import TaskPatches
from change2task.validate import hidden, rounds
from change2task.validate.case import Case
from change2task.validate.lifecycle import Observation, State
from change2task.validate.qualification import Qualification
from change2task.validate.rounds import Beside, Selection, StateTrees
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository

GATE = "oracle"
NAMED = 50
"""Unnoticed parts that a task names."""


def measure(
    repository: Repository, runner: PassRunner, case: Case, patches: TaskPatches, beside: Beside, result: Qualification
) -> OracleStrength | None:
    """How strong the checks of an otherwise accepted proposal are; None where nothing was asked.

    Raises InfrastructureFault and Cancelled.
    """
    if case.oracle.parts == 0:
        return None
    parts = parts_of(repository, patches.task_tree, patches.healthy_tree)
    tried = largest(parts, case.oracle.parts)
    probe = _Probe(repository, runner, patches, beside, hidden.selection(case, result))
    told = probe.noticed([part for part in tried if part.without != patches.task_tree])
    unnoticed = [part for part in tried if told.get(part) is False]
    return OracleStrength(
        parts=len(tried),
        noticed=len(tried) - len(unnoticed),
        untried=len(parts) - len(tried),
        unnoticed=tuple(
            OraclePart(kind=part.kind, path=part.path, line=part.line, name=part.name, idle=probe.is_idle(part))
            for part in unnoticed[:NAMED]
        ),
    )


def judge(strength: OracleStrength | None, demand: OracleDemand) -> Verdict:
    """The gate: passes unless the candidate asks for more than was found; names the first parts nobody notices."""
    if strength is None:
        return passed(GATE, Reason.VALIDATED, "oracle strength was not measured")
    said = f"{strength.noticed} of {strength.parts} parts of the restoration are noticed by the checks"
    missed = ", ".join(f"{part.path}:{part.line}" for part in strength.unnoticed[:3])
    message = f"{said}; not noticed: {missed}" if missed else said
    evidence = strength.document()
    if demand.minimum is not None and strength.noticed < demand.minimum * strength.parts:
        asked = f"{message}; spec.validation.oracle.minimum asks for {demand.minimum:.0%}"
        return refused(GATE, Reason.ORACLE_TOO_WEAK, asked, **evidence)
    return passed(GATE, Reason.VALIDATED, message, **evidence)


def largest(parts: list[Part], bound: int) -> list[Part]:
    """At most ``bound`` parts, those that change most lines, in their order; hunks before files before functions."""
    kept = set(sorted(range(len(parts)), key=lambda number: (-parts[number].lines, number))[:bound])
    return [part for number, part in enumerate(parts) if number in kept]


class _Probe:
    """Runs the checks where one part is missing."""

    def __init__(
        self,
        repository: Repository,
        runner: PassRunner,
        patches: TaskPatches,
        beside: Beside,
        selection: Selection,
    ) -> None:
        self._repository, self._runner, self._patches, self._beside = repository, runner, patches, beside
        self._first = Selection(hidden=selection.hidden, open=())
        self._rest = Selection(hidden=(), open=selection.open)
        self._task: Observation | None = None

    def noticed(self, parts: Iterable[Part]) -> Mapping[Part, bool]:
        """Whether some check is not passed without each part: the hidden ones first, the open ones where they pass."""
        trees = {part: self._trees(part.without) for part in parts}
        found = self._all_pass(trees, self._first, self._beside)
        quiet = {part: trees[part] for part, all_pass in found.items() if all_pass}
        still = self._all_pass(quiet, self._rest, Beside(lambda _tree: {}))
        return {part: not (found[part] and still[part]) for part in trees}

    def is_idle(self, part: Part) -> bool:
        """Whether every hidden check ends as on the task state when this part alone is restored."""
        if part.alone is None:
            return False
        if self._task is None:
            self._task = self._observe("task", self._trees(self._patches.task_tree), self._first, self._beside)
        alone = self._observe(f"alone-{_label(part)}", self._trees(part.alone), self._first, self._beside)
        return alone.fault is None and alone.outcomes == self._task.outcomes

    def _all_pass(self, trees: Mapping[Part, StateTrees], selection: Selection, beside: Beside) -> dict[Part, bool]:
        orders = [
            LabelledRunner(self._runner, f"without-{_label(part)}").labelled(order)
            for part, each in trees.items()
            for order in rounds.orders_of(State.RESTORED, 0, each, selection, beside)
        ]
        self._runner.foresee(orders)
        observed = {
            part: self._observe(f"without-{_label(part)}", each, selection, beside) for part, each in trees.items()
        }
        return {
            part: one.fault is None and all(outcome == "passed" for outcome in one.outcomes.values())
            for part, one in observed.items()
        }

    def _observe(self, label: str, trees: StateTrees, selection: Selection, beside: Beside) -> Observation:
        runner = LabelledRunner(self._runner, label)
        return rounds.observe(runner, State.RESTORED, 0, trees, selection, beside)

    def _trees(self, full: str) -> StateTrees:
        """A state's trees, from the one that holds the hidden checks."""
        patches = self._patches
        if full == patches.task_tree:
            return StateTrees(full=full, open=patches.agent_tree)
        way = self._repository.diff(patches.task_tree, full)
        return StateTrees(full=full, open=self._repository.apply(patches.agent_tree, way))


def _label(part: Part) -> str:
    """What its passes are called by in logs."""
    return part.without[:12]
