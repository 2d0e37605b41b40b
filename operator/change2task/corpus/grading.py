"""The runs behind a grade: an answer's tree with the hidden checks back in it, or an answer's tests on both states.

Which changes of an answer count is decided by ``submission``, what the runs mean by ``verdicts``. Results come from
the runner, outside of the sandbox; docs/grading.md says what that cannot exclude.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.api.taskcandidate import CheckSpec
from change2task.api.taskvariant import TaskVariant
from change2task.checks.naming import Naming
from change2task.checks.passes import PassOrder, PassRunner, perturbation
from change2task.checks.results import SuiteResult
from change2task.corpus.asked import selection_of, whole_regression
from change2task.corpus.disguise import disguised
from change2task.corpus.submission import Submission, taken_out, unhidden, with_files_of
from change2task.corpus.verdicts import (
    Forged,
    Grade,
    NoGrade,
    Repeats,
    Told,
    Wanted,
    added_tests,
    judge_patch,
    judge_tests,
)
from change2task.patch.paths import quote, unquote
from change2task.syntax.languages import language_of
from change2task.syntax.tests import test_units
from change2task.validate import oracles, rounds
from change2task.validate.lifecycle import State
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry, Tree

REPEATS = 3
"""How often an answer's tests are run on each state, each time under another perturbation; fewer where they fail."""


class Grader:
    """Grades submissions for variants of one base; ``beside`` are a variant's checks that are no tests."""

    def __init__(self, repository: Repository, runner: PassRunner, naming: Naming, beside: Sequence[CheckSpec]) -> None:
        self._repository = repository
        self._runner = runner
        self._naming = naming
        self._beside = beside

    def grade(self, variant: TaskVariant, regression: tuple[str, ...], submitted: Submission) -> Grade:
        """The grade of a submission; raises NoGrade, InfrastructureFault and Cancelled."""
        if variant.spec.output.output == "tests":
            return self._grade_tests(variant, submitted)
        return self._grade_patch(variant, regression, submitted)

    def _grade_patch(self, variant: TaskVariant, regression: tuple[str, ...], submitted: Submission) -> Grade:
        checks = variant.spec.checks
        hidden_paths = taken_out(variant)
        full = unhidden(self._repository, variant, submitted, hidden_paths)
        selection = selection_of(variant, regression, self._naming)
        told = self._told_beside(variant, submitted)
        for label, tree, ids in (("hidden", full, selection.hidden), ("open", submitted.tree, selection.open)):
            if ids:
                told = self._told(tree, ids, f"grade-{label}", told)
        wanted = Wanted(
            targets=tuple(c.id for c in checks.targets),
            observers=tuple(c.id for c in checks.observers),
            regression=whole_regression(variant, regression),
        )
        return judge_patch(variant.metadata.name, wanted, told, submitted)

    def _told_beside(self, variant: TaskVariant, submitted: Submission) -> Told:
        changed = [unquote(path) for path in submitted.counted]
        read = oracles.readings_of_answer(self._repository, self._beside, variant.spec.trees.healthy, changed)
        told = Told()
        for script in (None, *oracles.scripts(self._beside)):
            part = rounds.Beside(read if script is None else lambda _: {}, () if script is None else (script,))
            seen = rounds.observe_beside(self._runner, State.TASK, 0, submitted.tree, part)
            told = Told(
                outcomes={**told.outcomes, **seen.outcomes},
                signatures={**told.signatures, **seen.signatures},
                no_verdict=(*told.no_verdict, *((seen.detail,) if seen.fault else ())),
            )
        return told

    def _told(self, tree: str, ids: tuple[str, ...], label: str, before: Told) -> Told:
        order = PassOrder(tree=tree, ids=ids, perturbation=perturbation(0), label=label)
        record = rounds.run_settled(self._runner, order)
        if (fault := rounds.fault_of(record)) is not None:
            said = f"{label}: {fault[1]}"
            if fault[0] == "forged":
                return before.replacing(forged=(*before.forged, said))
            return before.replacing(no_verdict=(*before.no_verdict, said))
        found = {check: rounds.told(record.suite, check) for check in ids}
        return before.replacing(
            outcomes={**before.outcomes, **{check: said[0] for check, said in found.items()}},
            signatures={**before.signatures, **{check: said[1] for check, said in found.items() if said[1]}},
        )

    def _grade_tests(self, variant: TaskVariant, submitted: Submission) -> Grade:
        trees = variant.spec.trees
        scopes, paths = self._scopes(submitted), [unquote(path) for path in submitted.counted]
        if not paths:
            return judge_tests(variant.metadata.name, Repeats(), submitted)
        bare = with_files_of(self._repository, trees.healthy, trees.agent, taken_out(variant))
        before = self._before({State.TASK: trees.agent, State.RESTORED: bare}, scopes)
        runs: dict[State, list[SuiteResult]] = {State.TASK: [], State.RESTORED: []}
        for repeat in range(REPEATS):
            task, restored = submitted.tree, with_files_of(self._repository, bare, submitted.tree, paths)
            if repeat:
                task, restored = self._disguised(variant, task, restored)
            order = ((State.TASK, task), (State.RESTORED, restored))
            # Alternating, so that the clock does not tell a test which state it is on.
            for state, tree in order if repeat % 2 == 0 else reversed(order):
                try:
                    runs[state].append(self._suite(tree, scopes, repeat, f"grade-{state.value}-{repeat}"))
                except Forged as forged:
                    return judge_tests(variant.metadata.name, Repeats(forged=str(forged)), submitted)
            grade = judge_tests(variant.metadata.name, self._repeats(runs, before, scopes), submitted)
            if not grade.solved:
                break
        return grade

    def _repeats(
        self, runs: dict[State, list[SuiteResult]], before: list[SuiteResult], scopes: tuple[str, ...] | None
    ) -> Repeats:
        everything = [*runs[State.TASK], *runs[State.RESTORED]]
        return Repeats(
            task=tuple(suite.results for suite in runs[State.TASK]),
            restored=tuple(suite.results for suite in runs[State.RESTORED]),
            added=added_tests(
                [self._within(scopes, suite) for suite in everything],
                frozenset().union(*(self._within(scopes, suite) for suite in before)),
                lambda check: self._naming.name(check).place,
            ),
            healthy=_passing(before[-1]) if before else frozenset(),
            lost=tuple(dict.fromkeys(f"{e.file}: {e.signature}" for s in everything for e in s.collection_errors)),
        )

    def _before(self, trees: dict[State, str], scopes: tuple[str, ...] | None) -> list[SuiteResult]:
        """Both states without the answer, as far as the scopes were there; what is wrong there is not the answer's."""
        held = {state: tree for state, tree in trees.items() if scopes is None or self._holds(tree, scopes)}
        try:
            return [self._suite(tree, scopes, 0, f"grade-before-{state.value}") for state, tree in held.items()]
        except Forged as forged:
            raise NoGrade(str(forged)) from forged

    def _scopes(self, submitted: Submission) -> tuple[str, ...] | None:
        """Scopes of the counted files that hold tests; None, which is all, where only tests that are there use them."""
        found: dict[str, None] = {}
        for path in submitted.counted:
            raw = unquote(path)
            entry = self._repository.entry(submitted.tree, raw)
            if entry is None or entry.mode not in {FILE, EXECUTABLE}:
                continue
            content = self._repository.blob(entry.oid)
            language = language_of(raw, content[:256])
            if language is not None and test_units(language, raw, content):
                found[self._naming.scope_of(path)] = None
        return tuple(found) or None

    def _holds(self, tree: str, scopes: tuple[str, ...]) -> bool:
        """Whether any file of these scopes is in a tree; where none is, nothing was there before the answer."""
        return any(self._naming.scope_of(quote(path)) in scopes for path in self._repository.tree(tree))

    def _within(self, scopes: tuple[str, ...] | None, suite: SuiteResult) -> frozenset[str]:
        names = self._naming.name
        return frozenset(check for check in suite.collected if scopes is None or names(check).scope in scopes)

    def _suite(self, tree: str, scopes: tuple[str, ...] | None, repeat: int, label: str) -> SuiteResult:
        order = PassOrder(tree=tree, scopes=scopes, perturbation=perturbation(repeat), label=label)
        record = rounds.run_settled(self._runner, order)
        if (fault := rounds.fault_of(record)) is not None:
            said = f"{label}, twice: {fault[1]}"
            raise Forged(said) if fault[0] == "forged" else NoGrade(said)
        return record.suite

    def _disguised(self, variant: TaskVariant, task: str, restored: str) -> tuple[str, str]:
        """Both trees with the sources in which the states differ disguised as each other."""
        trees, repository = variant.spec.trees, self._repository
        changed = [change.path for change in repository.changed_paths(trees.task, trees.healthy)]
        task_files, healthy_files = (oracles.contents(repository, of, changed) for of in (trees.task, trees.healthy))
        return (
            self._rewritten(task, {p: disguised(p, own, healthy_files.get(p, b"")) for p, own in task_files.items()}),
            self._rewritten(
                restored, {p: disguised(p, own, task_files.get(p, b"")) for p, own in healthy_files.items()}
            ),
        )

    def _rewritten(self, tree: str, files: dict[bytes, bytes]) -> str:
        entries = dict(self._repository.tree(tree))
        for path, content in files.items():
            if path in entries:
                entries[path] = Entry(entries[path].mode, self._repository.write_blob(content))
        return self._repository.write_tree(Tree(entries))


def _passing(suite: SuiteResult) -> frozenset[str]:
    return frozenset(check for check, result in suite.results.items() if result.outcome == "passed")
