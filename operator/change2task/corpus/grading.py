"""Grades an agent's patch: hidden checks on the files put back, regression on what the agent saw.

For tasks whose output is tests it is graded the other way round: every test the agent added passes on the
restored state, and at least one fails in its call phase on the task state; an import error is no witness.
Verdicts are made outside the sandbox from the runner's results; a crash of the harness is no grade.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from change2task.api.model import Model
from change2task.api.taskvariant import TaskVariant
from change2task.checks.naming import Naming
from change2task.checks.passes import PassOrder, PassRunner, perturbation
from change2task.checks.results import SuiteResult
from change2task.corpus.submission import Submission, with_files_of
from change2task.patch.paths import unquote
from change2task.validate.lifecycle import name_some
from change2task.validate.rounds import fault_of, run_settled, told
from change2task.vcs.repository import Repository


class NoGrade(Exception):
    """The harness gave no verdict, twice; the message says why."""


class Grade(Model):
    """The outcome: solved or not, why, and every check that decided it."""

    variant: str
    solved: bool
    message: str
    failed_targets: tuple[str, ...] = ()
    failed_observers: tuple[str, ...] = ()
    failed_regression: tuple[str, ...] = ()
    targets: int
    regression: int
    counted: tuple[str, ...]
    put_back: tuple[str, ...]
    outcomes: dict[str, str] = {}


class Grader:
    """Grades submissions for variants of one base."""

    def __init__(
        self,
        repository: Repository,
        runner: PassRunner,
        naming: Naming,
        static: Callable[[str], Mapping[str, str]],
    ) -> None:
        self._repository = repository
        self._runner = runner
        self._naming = naming
        self._static = static

    def grade(self, variant: TaskVariant, regression: tuple[str, ...], submitted: Submission) -> Grade:
        """The grade of a submission; raises NoGrade, InfrastructureFault and Cancelled."""
        if variant.spec.output.output == "tests":
            return self._grade_tests(variant, submitted)
        return self._grade_patch(variant, regression, submitted)

    def _grade_patch(self, variant: TaskVariant, regression: tuple[str, ...], submitted: Submission) -> Grade:
        checks = variant.spec.checks
        hidden_paths = [unquote(path) for path in checks.hidden_files]
        full = with_files_of(self._repository, submitted.tree, variant.spec.trees.task, hidden_paths)
        hidden_places = {
            self._naming.name(c.id).place for c in (*checks.targets, *checks.observers) if c.kind == "test"
        }
        beside = tuple(c for c in regression if self._naming.name(c).place in hidden_places)
        open_ids = tuple(c for c in regression if self._naming.name(c).place not in hidden_places)
        graded = tuple(c.id for c in (*checks.targets, *checks.observers) if c.kind == "test")
        outcomes: dict[str, str] = dict(self._static(submitted.tree))
        for label, tree, ids in (("hidden", full, (*graded, *beside)), ("open", submitted.tree, open_ids)):
            if ids:
                suite = self._run(tree, tuple(sorted(ids)), f"grade-{label}")
                outcomes.update({check: told(suite, check)[0] for check in ids})

        def failed(ids: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(check for check in ids if outcomes.get(check) != "passed")

        targets = failed(tuple(c.id for c in checks.targets))
        observers = failed(tuple(c.id for c in checks.observers))
        broken = failed(regression)
        return Grade(
            variant=variant.metadata.name,
            solved=not (targets or observers or broken),
            message=_why(len(checks.targets), targets, observers, broken, submitted),
            failed_targets=targets,
            failed_observers=observers,
            failed_regression=broken,
            targets=len(checks.targets),
            regression=len(regression),
            counted=submitted.counted,
            put_back=submitted.put_back,
            outcomes={check: outcome for check, outcome in sorted(outcomes.items()) if outcome != "passed"},
        )

    def _grade_tests(self, variant: TaskVariant, submitted: Submission) -> Grade:
        trees = variant.spec.trees
        scopes = {self._naming.scope_of(path) for path in submitted.counted}
        paths = [unquote(path) for path in submitted.counted]
        on_task = self._added(submitted.tree, trees.agent, scopes, "grade-task")
        restored_open = with_files_of(self._repository, trees.healthy, trees.agent, self._hidden(variant))
        restored = with_files_of(self._repository, restored_open, submitted.tree, paths)
        on_restored = self._added(restored, restored_open, scopes, "grade-restored")
        added = sorted({*on_task[1], *on_restored[1]})
        witnesses = [check for check in added if _fails_in_call(on_task[0], check)]
        broken = tuple(check for check in added if told(on_restored[0], check)[0] != "passed")
        if not added:
            message = "the patch adds no test"
        elif broken:
            message = f"{len(broken)} added tests do not pass on the restored state: {name_some(broken)}"
        elif not witnesses:
            message = f"none of the {len(added)} added tests fails in its call phase on the task state"
        else:
            message = f"{len(witnesses)} of {len(added)} added tests witness the task condition"
        return Grade(
            variant=variant.metadata.name,
            solved=bool(added and witnesses and not broken),
            message=message,
            failed_targets=() if witnesses else tuple(added),
            failed_regression=broken,
            targets=len(added),
            regression=len(added),
            counted=submitted.counted,
            put_back=submitted.put_back,
        )

    def _hidden(self, variant: TaskVariant) -> list[bytes]:
        return [unquote(path) for path in variant.spec.checks.hidden_files]

    def _added(self, tree: str, before: str, scopes: set[str], label: str) -> tuple[SuiteResult, set[str]]:
        after = self._run(tree, None, label)
        known = set(self._run(before, None, f"{label}-before").collected)
        added = {c for c in after.collected if c not in known and self._naming.name(c).scope in scopes}
        return after, added

    def _run(self, tree: str, ids: tuple[str, ...] | None, label: str) -> SuiteResult:
        order = PassOrder(tree=tree, ids=ids, perturbation=perturbation(0), label=label)
        record = run_settled(self._runner, order)
        if (fault := fault_of(record)) is not None:
            raise NoGrade(f"{label}, twice: {fault[1]}")
        return record.suite


def _fails_in_call(suite: SuiteResult, check: str) -> bool:
    result = suite.results.get(check)
    return result is not None and result.outcome in {"failed", "crashed", "hung"} and result.phase in {"call", None}


def _why(
    total: int,
    targets: tuple[str, ...],
    observers: tuple[str, ...],
    broken: tuple[str, ...],
    submitted: Submission,
) -> str:
    parts = []
    if targets:
        parts.append(f"{len(targets)} of {total} target checks fail: {name_some(targets)}")
    if observers:
        parts.append(f"{len(observers)} observers fail: {name_some(observers)}")
    if broken:
        parts.append(f"{len(broken)} regression checks fail: {name_some(broken)}")
    if submitted.put_back:
        parts.append(f"changes outside the contract were put back: {name_some(submitted.put_back)}")
    return "; ".join(parts) or f"all {total} target checks and all regression checks pass"
