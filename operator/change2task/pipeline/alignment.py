"""From a change's evidence and a base's inventory to a case: which checks are targets, which regression.

The paper's alignment stage ("Establishing the Modern Task Base"): a candidate advances only when its checks
exist on the base and pass there. Ends with a ``Case`` that construction and gates work on, or a rejection.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import CheckSpec, OracleDemand, Profile, TaskCandidateSpec
from change2task.checks.mapping import HistoricalTest, Inventoried, TestMap, map_tests
from change2task.checks.naming import Naming, TestName, naming
from change2task.construct.models import Assignment, SourceFile
from change2task.families.contract import FamilyContract, stated
from change2task.history.models import ChangeUnusable, Evidence, Role
from change2task.patch.paths import quote, unquote
from change2task.pipeline.footprints import footprints
from change2task.pipeline.ports import BaseOnHand
from change2task.syntax.languages import language_of
from change2task.syntax.symbols import names_used
from change2task.syntax.tests import test_units
from change2task.syntax.tokens import Word, code_words
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.written import written
from change2task.vcs.repository import Repository

_ALIKE = 0.5


class Alignment(Model):
    """What aligning found, as kept in the evidence."""

    tests: TestMap
    beside: tuple[CheckSpec, ...]
    assignment: Assignment
    permitted: tuple[str, ...]
    introduced: tuple[str, ...]


def align(
    repository: Repository,
    base: BaseOnHand,
    spec: TaskCandidateSpec,
    evidence: Evidence,
    contract: FamilyContract,
    profile: Profile,
) -> tuple[Case, Alignment]:
    """The case of a candidate; raises ChangeUnusable.

    Its reasons: StatementTooPoor, StatedCheckUnusable, NoTargetChecks, NoRegressionChecks.
    """
    if evidence.silent and contract.oracle.behaviour_must_fail:
        raise ChangeUnusable(Reason.STATEMENT_TOO_POOR, _nothing_said(evidence))
    names = naming(base.check_format)
    inventory = Inventoried(healthy=tuple(sorted(base.healthy)), other=base.other)
    tests = TestMap(mapped=(), lost=())
    assignment = _assignment(repository, base, evidence)
    refuse_unknown(spec.checks or (), base.healthy, base.other)
    if given := stated(spec, "test"):
        tests = _given([check.id for check in given], names)
    elif contract.oracle.behaviour_must_fail:
        tests = map_tests(_historical(evidence), inventory, names, _Namesakes(repository, assignment, names).is_own)
    beside = contract.oracle.beside
    if not tests.mapped and not any(check.role == "target" for check in beside):
        raise ChangeUnusable(Reason.NO_TARGET_CHECKS, _no_targets(evidence, tests, base.name))
    if not base.healthy - set(tests.ids):
        raise ChangeUnusable(
            Reason.NO_REGRESSION_CHECKS, "all healthy checks of the base belong to the change; none is left to protect"
        )
    sources = base.sources()
    permitted = frozenset(
        path
        for file in assignment.files
        for path in (file.before, file.modern)
        if path is not None and (path in sources or repository.entry(base.tree, unquote(path)) is None)
    )
    introduced = _introduced(repository, assignment)
    beside_source = footprints(repository, base, evidence, assignment)
    case = Case(
        healthy_tree=base.tree,
        before_tree=assignment.before_tree,
        after_tree=assignment.after_tree,
        permitted=permitted,
        roles={file.path: file.role.value for file in evidence.files},
        tests=tests,
        healthy=base.healthy,
        naming=names,
        demand=Demand.ALL if profile is Profile.PAPER else Demand.ANY,
        source_profile=evidence.profile,
        historical_regression=_untouched(repository, evidence, assignment.before_tree, names),
        introduced=introduced,
        test_paths=_test_paths(repository, evidence, assignment, base),
        statement=evidence.statement,
        answers_to_hidden_checks=contract.oracle.grading == "checks",
        build=base.build,
        sources=sources,
        unhealthy_own=frozenset((t.scope, t.historical.function) for t in tests.lost if t.scope is not None),
        own_added=_own_added(evidence, tests),
        test_files=beside_source.test_files,
        documents=beside_source.documents,
        change_logs=beside_source.change_logs,
        traces=beside_source.traces,
        helpers=beside_source.helpers,
        names=beside_source.names,
        beside=beside,
        stated_targets=frozenset(c.id for c in (*(spec.checks or ()), *beside) if c.role == "target"),
        stated_regression=frozenset(c.id for c in spec.checks or () if c.role == "regression"),
        task_repeats=spec.validation.task_repeats,
        oracle=spec.validation.oracle or OracleDemand(),
        healthy_repeats=spec.validation.healthy_repeats,
    )
    alignment = Alignment(
        tests=tests,
        beside=beside,
        assignment=assignment,
        permitted=tuple(sorted(permitted)),
        introduced=tuple(sorted(introduced)),
    )
    return case, alignment


def refuse_unknown(checks: Sequence[CheckSpec], healthy: Collection[str], other: Mapping[str, str]) -> None:
    """Raise ChangeUnusable for a stated test that does not pass on the base, or another check with a test's name."""
    for check in checks:
        known = check.id in healthy or check.id in other
        if check.kind != "test" and known:
            message = f"spec.checks: {check.kind} check {check.id!r} has the name of a test; give it another id"
            raise ChangeUnusable(Reason.STATED_CHECK_UNUSABLE, message)
        if check.kind == "test" and check.id not in healthy:
            state = other.get(check.id, "not known")
            message = f"spec.checks: {check.role} {check.id!r} is {state} on the base{_instead(check.id, healthy)}"
            raise ChangeUnusable(Reason.STATED_CHECK_UNUSABLE, message)


def _instead(check: str, healthy: Collection[str]) -> str:
    cases = sorted(other for other in healthy if other.startswith((f"{check}[", f"{check}/")))
    if cases:
        return f"; it has cases, name them one by one, like {cases[0]!r}"
    function = check.rpartition("::")[2]
    same = sorted(other for other in healthy if other.rpartition("::")[2] == function)
    return f"; did you mean {same[0]!r}?" if same else "; name a check that passes there"


class _Body(NamedTuple):
    """What a test is written of: its code word by word, and the identifiers in it."""

    words: tuple[Word, ...]
    names: frozenset[str]


class _Namesakes:
    """Tells the change's own tests from others of the same name elsewhere; read only where it is asked."""

    def __init__(self, repository: Repository, assignment: Assignment, names: Naming) -> None:
        self._repository, self._trees, self._names = repository, assignment, names

    def is_own(self, test: HistoricalTest, place: tuple[str, str]) -> bool:
        """Whether the test at ``place`` is younger than the change's parent and like the historical one."""
        if self._body(self._trees.before_tree, *place) is not None:
            return False
        then = self._body(self._trees.after_tree, self._names.scope_of(test.path), test.function)
        now = self._body(self._trees.healthy_tree, *place)
        if then is None or now is None or not _alike(then.words, now.words):
            return False
        return bool((then.names & now.names) - {function for _, function in (place, ("", test.function))})

    def _body(self, tree: str, scope: str, function: str) -> _Body | None:
        for one in written(self._repository, tree, TestName(scope, function, ""), self._names):
            return _Body(code_words(one.language, one.source, one.start, one.end), names_used(one.language, one.text))
        return None


def _alike(one: tuple[Word, ...], other: tuple[Word, ...]) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _historical(evidence: Evidence) -> list[HistoricalTest]:
    return [
        HistoricalTest(path=file.path, modern_path=evidence.modern_paths.get(file.path), function=function)
        for file in evidence.touched_tests
        for function in (*file.added, *file.altered)
    ]


def _own_added(evidence: Evidence, tests: TestMap) -> frozenset[tuple[str, str]]:
    """The tests that the change added and did not merely alter, where they stand on the base."""
    added = {(file.path, function) for file in evidence.touched_tests for function in file.added}
    return frozenset(
        (test.scope, test.function)
        for test in tests.mapped
        if (test.historical.path, test.historical.function) in added
    )


def _given(ids: list[str], names: Naming) -> TestMap:
    historical = [HistoricalTest(path=n.scope, modern_path=n.scope, function=n.function) for n in map(names.name, ids)]
    return map_tests(historical, Inventoried(healthy=tuple(ids), other={}), names)


def _nothing_said(evidence: Evidence) -> str:
    return (
        f"no message, news entry or forge record says what {evidence.change.commit[:12]} is for (its title is"
        f" {evidence.change.title[:100]!r}); say in spec.intent what is asked for"
    )


def _no_targets(evidence: Evidence, tests: TestMap, base: str) -> str:
    if tests.lost:
        shown = "; ".join(f"{lost.historical.path}::{lost.historical.function}: {lost.why}" for lost in tests.lost[:3])
        more = f" and {len(tests.lost) - 3} more" if len(tests.lost) > 3 else ""
        there = any("counterpart" in lost.why for lost in tests.lost)
        way = f"; change2task explain {base} says what is wrong with them there" if there else ""
        return f"none of the {len(tests.lost)} tests added or altered is healthy on the base: {shown}{more}{way}"
    if evidence.with_role(Role.TESTS):
        return "the change touches test files but adds or alters no test function; state the checks in spec.checks"
    return "the change touches no test; state the checks in spec.checks"


def _assignment(repository: Repository, base: BaseOnHand, evidence: Evidence) -> Assignment:
    change = evidence.change
    files = tuple(
        SourceFile(
            before=None if file.status == "added" else file.old_path or file.path,
            after=None if file.status == "deleted" else file.path,
            modern=evidence.modern_paths.get(file.path),
            binary=file.binary,
        )
        for file in evidence.files
        if file.undone
    )
    before = repository.tree_of(change.parent) if change.parent is not None else repository.empty_tree
    return Assignment(
        healthy_tree=base.tree,
        before_tree=before,
        after_tree=repository.tree_of(change.commit),
        files=files,
        change_commit=change.commit,
        healthy_commit=base.commit,
        sources=tuple(sorted(base.sources())),
    )


def _untouched(repository: Repository, evidence: Evidence, before: str, names: Naming) -> frozenset[tuple[str, str]]:
    """The historical regression checks, named as they would be on the base."""
    places: set[tuple[str, str]] = set()
    for file in evidence.touched_tests:
        earlier = file.old_path or file.path
        raw = unquote(earlier)
        source = repository.file(before, raw)
        if source is None:
            continue
        language = language_of(raw, source[:256])
        if language is None:
            continue
        gone = {*file.altered, *file.removed}
        scope = names.scope_of(evidence.modern_paths.get(file.path) or file.path)
        places.update((scope, unit.name) for unit in test_units(language, raw, source) if unit.name not in gone)
    return frozenset(places)


def _introduced(repository: Repository, assignment: Assignment) -> frozenset[str]:
    before: set[str] = set()
    after: set[str] = set()
    for file in assignment.files:
        for tree, path, names in (
            (assignment.before_tree, file.before, before),
            (assignment.after_tree, file.after, after),
        ):
            source = None if path is None else repository.file(tree, unquote(path))
            if path is None or source is None or file.binary:
                continue
            language = language_of(unquote(path), source[:256])
            if language is not None:
                names.update(names_used(language, source))
    return frozenset(after - before)


def _test_paths(repository: Repository, evidence: Evidence, assignment: Assignment, base: BaseOnHand) -> dict[str, str]:
    """For each file of the base, the path of its form at the change's parent, where one is known."""
    before = repository.tree(assignment.before_tree)
    paths = {quote(path): quote(path) for path in repository.tree(base.tree) if path in before}
    for file in evidence.touched_tests:
        modern = evidence.modern_paths.get(file.path)
        earlier = file.old_path or file.path
        if modern is not None and unquote(earlier) in before:
            paths[modern] = earlier
    return paths
