"""Grading and replaying a stored task on its base: the corpus' graders, given this store's base.

A store that came by version control brings patches and no trees, so the trees of a task are made again from its
patches and must be the ones that were verified.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from change2task.api.model import Model
from change2task.api.taskcandidate import CheckSpec, Script
from change2task.api.taskvariant import Check, TaskVariant, VariantScript
from change2task.checks.labels import LabelledRunner
from change2task.checks.naming import naming
from change2task.checks.passes import InfrastructureFault
from change2task.corpus.asked import named_tests, selection_of, whole_regression
from change2task.corpus.errors import StoreDamaged
from change2task.corpus.grading import Grader
from change2task.corpus.labelled import warnings
from change2task.corpus.store import Store
from change2task.corpus.submission import submission
from change2task.corpus.verdicts import Grade
from change2task.pipeline.ports import BaseOnHand
from change2task.validate import oracles, rounds
from change2task.validate.checkfiles import CheckFiles
from change2task.validate.lifecycle import Expectation, Observation, State, judge
from change2task.validate.rounds import StateTrees
from change2task.validate.verdict import Verdict
from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository


class Replay(Model):
    """Three states run again, compared test by test with the expectation of the stored task."""

    variant: str
    same: bool
    verdict: Verdict
    differences: tuple[str, ...]
    checks: int


def regression_of(store: Store, variant: TaskVariant) -> tuple[str, ...]:
    """The ids of all regression tests of a task; raises StoreDamaged."""
    return tuple(json.loads(store.evidence(variant.spec.checks.regression_digest)))


@dataclass(frozen=True)
class OpenTask:
    """A task whose trees are laid, to be graded any number of times, also by several threads at once."""

    base: BaseOnHand
    variant: TaskVariant
    regression: tuple[str, ...]
    files: CheckFiles
    beside: tuple[CheckSpec, ...]

    def grade(self, patch: bytes, label: str = "") -> Grade:
        """Grade a patch, its logs under ``label``; raises PatchUnusable, NoGrade, InfrastructureFault, Cancelled."""
        base, variant = self.base, self.variant
        submitted = submission(base.repository, variant, patch, base.roles(), self.files, base.modules)
        runner = LabelledRunner(base.runner, "/".join(filter(None, ("grades", variant.metadata.name, label))))
        grader = Grader(base.repository, runner, naming(base.check_format), self.beside)
        return grader.grade(variant, self.regression, submitted).replacing(warnings=warnings(variant.spec))


def open_task(store: Store, base: BaseOnHand, variant: TaskVariant) -> OpenTask:
    """A stored task on its base; raises InfrastructureFault where the base is another, and StoreDamaged."""
    same_base(base, variant)
    lay_trees(store, base.repository, variant)
    names, regression = naming(base.check_format), regression_of(store, variant)
    tests = (*named_tests(variant), *regression)
    files = CheckFiles(base.repository, variant.spec.trees.healthy, tests, names)
    return OpenTask(base, variant, regression, files, _beside(store, variant))


def grade_patch(store: Store, base: BaseOnHand, variant: TaskVariant, patch: bytes) -> Grade:
    """Grade a patch; raises PatchUnusable, NoGrade, InfrastructureFault, Cancelled and StoreDamaged."""
    return open_task(store, base, variant).grade(patch)


def replay(store: Store, base: BaseOnHand, variant: TaskVariant, repeat: int = 0) -> Replay:
    """Run healthy, task and restored state once more, nothing from journal or inventory; raises as grading does."""
    same_base(base, variant)
    restored = lay_trees(store, base.repository, variant)
    spec, tests = variant.spec, regression_of(store, variant)
    targets = tuple(check.id for check in spec.checks.targets)
    observers = tuple(check.id for check in spec.checks.observers)
    regression = whole_regression(variant, tests)
    selection = selection_of(variant, tests, naming(base.check_format))
    states = {
        State.HEALTHY: StateTrees(full=spec.trees.healthy, open=spec.trees.healthy),
        State.TASK: StateTrees(full=spec.trees.task, open=spec.trees.agent),
        State.RESTORED: restored,
    }
    stated = _beside(store, variant)
    others = rounds.Beside(oracles.readings(base.repository, stated), oracles.scripts(stated))
    runner = LabelledRunner(base.runner, f"grades/{variant.metadata.name}")
    runner.foresee(
        [order for state in State for order in rounds.orders_of(state, repeat, states[state], selection, others)]
    )
    observed = [rounds.observe(runner, state, repeat, states[state], selection, others) for state in State]
    expected = Expectation(targets=targets, required=targets, observers=observers, regression=regression)
    return Replay(
        variant=variant.metadata.name,
        same=not (differences := tuple(_differences(observed, targets, observers, regression))),
        verdict=judge(expected, observed),
        differences=differences,
        checks=len(targets) + len(observers) + len(regression),
    )


def lay_trees(store: Store, repository: Repository, variant: TaskVariant) -> StateTrees:
    """The task's and the agent's tree, made again from D and T, and the restored ones; raises StoreDamaged."""
    spec, made = variant.spec, {}
    for name, start, patch, wanted in (
        ("taskPatch", spec.trees.healthy, spec.task_patch, spec.trees.task),
        ("hidingPatch", spec.trees.task, spec.hiding_patch, spec.trees.agent),
        ("restorationPatch", spec.trees.task, spec.restoration_patch, spec.trees.healthy),
    ):
        try:
            made[name] = repository.apply(start, store.patch(patch))
        except PatchDoesNotApply as refusal:
            raise StoreDamaged(store.path_of(variant), f"spec.{name} does not apply: {refusal}") from refusal
        if made[name] != wanted:
            raise StoreDamaged(store.path_of(variant), f"spec.{name} does not lead to the tree that was verified")
    restored_open = repository.apply(spec.trees.agent, store.patch(spec.restoration_patch))
    return StateTrees(full=made["restorationPatch"], open=restored_open)


def same_base(base: BaseOnHand, variant: TaskVariant) -> None:
    """A task is only ever run on the base it was made on."""
    made = variant.spec.base
    if base.key != made.key:
        what = "environment" if base.environment_key != made.environment_key else "packages, checks or revision"
        raise InfrastructureFault(
            f"{variant.metadata.name} was made on base {made.name} ({made.key[:12]}); the one that stands here"
            f" ({base.key[:12]}) differs in {what}; run it where it was made, or run the candidate again"
        )


def _beside(store: Store, variant: TaskVariant) -> tuple[CheckSpec, ...]:
    """The checks of a task that are no tests, with all their files; raises StoreDamaged."""

    def spec(check: Check) -> CheckSpec:
        script = None if check.script is None else _script(store, check.script)
        role = "regression" if check.role == "regression" else "target"
        return CheckSpec(id=check.id, kind=check.kind, role=role, static=check.static, script=script)

    checks = variant.spec.checks
    return tuple(spec(check) for check in (*checks.targets, *checks.regression) if check.kind != "test")


def _script(store: Store, script: VariantScript) -> Script:
    large = {path: store.evidence(digest).decode() for path, digest in script.artifacts.items()}
    return Script(command=script.command, files={**script.files, **large})


def _differences(
    observed: list[Observation], targets: tuple[str, ...], observers: tuple[str, ...], regression: tuple[str, ...]
) -> list[str]:
    found: list[str] = []
    for observation in observed:
        failing = {*targets, *observers} if observation.state is State.TASK else set()
        for check in dict.fromkeys((*targets, *observers, *regression)):
            passes = observation.passes(check)
            if passes == (check in failing):
                outcome = observation.outcomes.get(check, "missing")
                expected = "fail" if check in failing else "pass"
                found.append(f"{observation.state.value}: {check}: {outcome}, expected to {expected}")
    return found
