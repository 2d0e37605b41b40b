"""Grades an agent's patch: hidden checks on the files put back, regression on what the agent saw.

For tasks whose output is tests it is graded the other way round: every test the agent added passes on the
restored state, and at least one fails in its call phase on the task state; an import error is no witness.
Verdicts are made outside the sandbox from the runner's results; a crash of the harness is no grade.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

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


class _Added(NamedTuple):
    """A pass over a tree with the agent's tests, and the ids of those."""

    suite: SuiteResult
    ids: frozenset[str]


_NOTHING = _Added(SuiteResult(finished=True, ending="finished"), frozenset())


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
        restored_open = with_files_of(self._repository, trees.healthy, trees.agent, self._hidden(variant))
        answered = with_files_of(
            self._repository, restored_open, submitted.tree, [unquote(path) for path in submitted.counted]
        )
        task = restored = _NOTHING
        if submitted.counted:
            task = self._added(submitted.tree, trees.agent, submitted.counted, "grade-task")
            restored = self._added(answered, restored_open, submitted.counted, "grade-restored")
        added = tuple(sorted({*task.ids, *restored.ids}))
        broken = tuple(check for check in added if told(restored.suite, check)[0] != "passed")
        witnesses = tuple(check for check in added if _fails_in_call(task.suite, check))
        if witnesses and not broken:
            # Once more in another order, zone and hash seed, so that a test that fails at random is no witness.
            again = self._run(answered, added, "grade-restored-again", 1)
            broken = tuple(check for check in added if told(again, check)[0] != "passed")
            again = self._run(submitted.tree, witnesses, "grade-task-again", 1)
            witnesses = tuple(check for check in witnesses if _fails_in_call(again, check))
        return Grade(
            variant=variant.metadata.name,
            solved=bool(witnesses and not broken),
            message=_why_tests(added, broken, witnesses, submitted),
            failed_targets=() if witnesses else added,
            failed_regression=broken,
            targets=len(added),
            regression=len(added),
            counted=submitted.counted,
            put_back=submitted.put_back,
        )

    def _hidden(self, variant: TaskVariant) -> list[bytes]:
        return [unquote(path) for path in variant.spec.checks.hidden_files]

    def _added(self, tree: str, before: str, paths: tuple[str, ...], label: str) -> _Added:
        """The tests that a tree has and had not before, in the files of these paths."""
        after = self._run(tree, None, label)
        known: frozenset[str] = frozenset()
        if any(self._repository.entry(before, unquote(path)) for path in paths):
            known = frozenset(self._run(before, None, f"{label}-before").collected)
        scopes = {self._naming.scope_of(path) for path in paths}
        ids = {c for c in after.collected if c not in known and self._naming.name(c).scope in scopes}
        return _Added(after, frozenset(ids))

    def _run(self, tree: str, ids: tuple[str, ...] | None, label: str, repeat: int = 0) -> SuiteResult:
        order = PassOrder(tree=tree, ids=ids, perturbation=perturbation(repeat), label=label)
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
    said = "; ".join(parts) or f"all {total} target checks and all regression checks pass"
    return said + _what_was_put_back(submitted)


def _why_tests(
    added: tuple[str, ...], broken: tuple[str, ...], witnesses: tuple[str, ...], submitted: Submission
) -> str:
    if not added:
        said = "the patch adds no test"
    elif broken:
        said = f"{len(broken)} added tests do not pass on the restored state: {name_some(broken)}"
    elif not witnesses:
        said = f"none of the {len(added)} added tests fails in its call phase on the task state: {name_some(added)}"
    else:
        said = f"{len(witnesses)} of {len(added)} added tests witness the task condition"
    return said + _what_was_put_back(submitted)


def _what_was_put_back(submitted: Submission) -> str:
    if not submitted.put_back:
        return ""
    return f"; changes outside the contract were put back: {name_some(submitted.put_back)}"
