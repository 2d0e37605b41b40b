"""Oracle strength: which parts of the restoration could be left out of an answer without any check noticing.

Each part is left out once and the hidden checks are run, then, where they all pass, the open ones: what a grader runs.
A part that nobody notices is kept in the task, so that its user knows what the checks do not ask for; whether there may
be such parts at all is the candidate's to say (``spec.validation.oracle``). A part of the task patch that changes no
outcome of a hidden check even when it alone is undone is told as idle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import OracleDemand
from change2task.api.taskvariant import OraclePart, OracleStrength
from change2task.checks.labels import LabelledRunner
from change2task.checks.passes import PassOrder, PassRunner
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


@dataclass(frozen=True)
class Trial:
    """What is to be left out of one proposal's restoration, and the states without each part."""

    parts: tuple[Part, ...]
    untried: int
    trees: Mapping[Part, StateTrees]
    alone: Mapping[Part, StateTrees]


def trial_of(repository: Repository, case: Case, patches: TaskPatches) -> Trial | None:
    """The parts that are tried; None where nothing is asked. The task state itself is noticed already, and not run."""
    if case.oracle.parts == 0:
        return None
    parts = parts_of(repository, patches.task_tree, patches.healthy_tree)
    tried = largest(parts, case.oracle.parts)
    run = [part for part in tried if part.without != patches.task_tree]

    def trees(full: str) -> StateTrees:
        way = repository.diff(patches.task_tree, full)
        return StateTrees(full=full, open=repository.apply(patches.agent_tree, way) if way else patches.agent_tree)

    return Trial(
        parts=tuple(tried),
        untried=len(parts) - len(tried),
        trees={part: trees(part.without) for part in run},
        alone={part: trees(part.alone) for part in run if part.alone is not None},
    )


def ahead(trial: Trial | None, case: Case, beside: Beside, result: Qualification) -> list[PassOrder]:
    """The passes that are asked for in any case, so that they can be run together with what comes before."""
    hidden_only = Selection(hidden=hidden.selection(case, result).hidden, open=())
    return [] if trial is None else _orders(trial.trees, "without", hidden_only, beside)


def measure(
    runner: PassRunner, case: Case, trial: Trial | None, task: Observation, beside: Beside, result: Qualification
) -> OracleStrength | None:
    """How strong the checks of an otherwise accepted proposal are; ``task`` is what they said of its task state.

    Raises InfrastructureFault and Cancelled.
    """
    if trial is None:
        return None
    selection = hidden.selection(case, result)
    first, rest = Selection(hidden=selection.hidden, open=()), Selection(hidden=(), open=selection.open)
    found = _observed(runner, trial.trees, "without", first, beside)
    quiet = {part: trial.trees[part] for part, one in found.items() if _all_pass(one)}
    alone = {part: trial.alone[part] for part in quiet if part in trial.alone}
    nothing = Beside(lambda _tree: {})
    runner.foresee([*_orders(quiet, "without", rest, nothing), *_orders(alone, "alone", first, beside)])
    still = _observed(runner, quiet, "without", rest, nothing)
    unnoticed = [part for part in trial.parts if part in still and _all_pass(still[part])]
    lonely = _observed(runner, {part: alone[part] for part in unnoticed if part in alone}, "alone", first, beside)
    idle = {part for part, one in lonely.items() if _says_as(one, task)}
    return OracleStrength(
        parts=len(trial.parts),
        noticed=len(trial.parts) - len(unnoticed),
        untried=trial.untried,
        unnoticed=tuple(
            OraclePart(kind=part.kind, path=part.path, line=part.line, name=part.name, idle=part in idle)
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


def _observed(
    runner: PassRunner, trees: Mapping[Part, StateTrees], word: str, selection: Selection, beside: Beside
) -> dict[Part, Observation]:
    return {
        part: rounds.observe(LabelledRunner(runner, _label(word, part)), State.RESTORED, 0, each, selection, beside)
        for part, each in trees.items()
    }


def _orders(trees: Mapping[Part, StateTrees], word: str, selection: Selection, beside: Beside) -> list[PassOrder]:
    return [
        order.replacing(label=f"{_label(word, part)}/{order.label}")
        for part, each in trees.items()
        for order in rounds.orders_of(State.RESTORED, 0, each, selection, beside)
    ]


def _all_pass(one: Observation) -> bool:
    return one.fault is None and all(outcome == "passed" for outcome in one.outcomes.values())


def _says_as(one: Observation, task: Observation) -> bool:
    """Whether every check ends as it does on the task state."""
    return one.fault is None and all(task.outcomes.get(check) == outcome for check, outcome in one.outcomes.items())


def _label(word: str, part: Part) -> str:
    """What its passes are called by in logs."""
    return f"{word}-{part.without[:12]}"
