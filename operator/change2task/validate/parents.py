"""What the change's parent says of a check that fails on the task state: its earlier version is run there.

A later version of an old test may itself demand the change; only its version at the change's parent can tell
(design, "Checks, hidden and visible"). Deciding the role is left to ``checks.roles``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from change2task.checks.naming import Naming
from change2task.checks.passes import PassOrder, PassRunner, perturbation
from change2task.checks.results import SuiteResult
from change2task.checks.roles import FailedCheck, RoleVerdict, role_of_failed
from change2task.patch.paths import quote, unquote
from change2task.syntax.imports import imports
from change2task.syntax.languages import Language, language_of
from change2task.syntax.symbols import names_used
from change2task.syntax.tests import test_units
from change2task.validate.case import Case
from change2task.validate.lifecycle import name_some
from change2task.validate.rounds import fault_of, run_settled, told
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Tree

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_LARGEST = 2 << 20

AtParent = Literal["absent", "passed", "failed", "same", "case"]


class BrokenByHiding(Exception):
    """Checks that pass on the task state fail where the hidden checks are cut out; the message names them."""


def classify(
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, failing: Iterable[str], seen: SuiteResult
) -> tuple[RoleVerdict, ...]:
    """The role of each check that fails on the task state as ``seen`` in the agent's tree.

    Raises BrokenByHiding, InfrastructureFault and Cancelled.
    """
    failing = sorted(failing)
    _refuse_broken_by_hiding(repository, runner, case, task_tree, failing, seen)
    by_file: dict[str, list[str]] = defaultdict(list)
    for check in failing:
        by_file[case.naming.name(check).scope].append(check)
    if not by_file:
        return ()
    fresh = _fresh(repository, case)
    verdicts: list[RoleVerdict] = []
    for scope, checks in sorted(by_file.items()):
        at_parent = _at_parent(repository, runner, case, task_tree, scope, checks)
        at_parent |= {check: "case" for check in checks if _comes_and_goes(case, check, seen)}
        for check in sorted(checks):
            failed = FailedCheck(
                id=check, at_parent=at_parent[check], names_change=_names_change(repository, case, check, fresh)
            )
            verdicts.append(role_of_failed(failed))
    return tuple(verdicts)


def _refuse_broken_by_hiding(
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, failing: Sequence[str], seen: SuiteResult
) -> None:
    """Only T's cut can be why a check fails in the agent's tree and passes in the whole task state."""
    errors = {error.file: error.signature for error in seen.collection_errors}
    for scope in sorted({case.naming.name(check).scope for check in failing} & errors.keys()):
        if scope in case.test_paths and repository.entry(case.before_tree, unquote(case.test_paths[scope])) is not None:
            raise BrokenByHiding(f"{scope} stood before the change and no longer loads without it: {errors[scope]}")
    order = PassOrder(tree=task_tree, ids=tuple(failing), perturbation=perturbation(0), label="task-unhidden")
    record = run_settled(runner, order)
    if fault_of(record) is not None:
        return
    whole = [check for check in failing if told(record.suite, check)[0] == "passed"]
    if whole:
        raise BrokenByHiding(f"{len(whole)} checks fail only where the hidden ones are cut out: {name_some(whole)}")


def _comes_and_goes(case: Case, check: str, seen: SuiteResult) -> bool:
    """Whether the case is not even listed on the task state though others of its function are."""
    name = case.naming.name(check)
    if not name.case or check in seen.collected:
        return False
    return any(case.naming.name(other).place == name.place for other in seen.collected)


def _at_parent(
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, scope: str, checks: list[str]
) -> dict[str, AtParent]:
    earlier_path = case.test_paths.get(scope)
    earlier = repository.entry(case.before_tree, unquote(earlier_path)) if earlier_path is not None else None
    if earlier is None:
        return dict.fromkeys(checks, "absent")
    path = unquote(scope)
    if repository.entry(task_tree, path) == earlier:
        return dict.fromkeys(checks, "same")
    tree = repository.write_tree(Tree({**dict(repository.tree(task_tree)), path: earlier}))
    order = PassOrder(tree=tree, ids=tuple(sorted(checks)), perturbation=perturbation(0), label="task-at-parent")
    record = run_settled(runner, order)
    if fault_of(record) is not None:
        return dict.fromkeys(checks, "failed")
    suite = record.suite
    if any(error.file == scope for error in suite.collection_errors) or not suite.finished:
        return dict.fromkeys(checks, "failed")
    result: dict[str, AtParent] = {}
    for check in checks:
        told = suite.results.get(check)
        result[check] = "absent" if told is None else "passed" if told.outcome == "passed" else "failed"
    return result


def _fresh(repository: Repository, case: Case) -> frozenset[str]:
    """Identifiers of the change that stood nowhere in the repository before it.

    A younger test that uses a word as common as ``key`` says nothing of the change; one that uses a word the
    change coined does.
    """
    left = set(case.introduced)
    for entry in repository.tree(case.before_tree).values():
        if not left:
            break
        if entry.mode not in {FILE, EXECUTABLE}:
            continue
        content = repository.blob(entry.oid)
        if len(content) <= _LARGEST:
            left.difference_update(word.decode() for word in _WORD.findall(content))
    return frozenset(left)


def _names_change(repository: Repository, case: Case, check: str, fresh: frozenset[str]) -> bool:
    name = case.naming.name(check)
    for path, source in _sources(repository, case.healthy_tree, name.scope, case.naming):
        language = language_of(path, source[:256])
        if language is None:
            continue
        if quote(path) not in case.test_paths and _imported(language, source) & fresh:
            return True
        for unit in test_units(language, path, source):
            if unit.name == name.function:
                text = source[unit.unit.span.start : unit.unit.span.end]
                return bool(names_used(language, text) & fresh)
    return False


def _imported(language: Language, source: bytes) -> frozenset[str]:
    """Names that a file as a whole cannot do without: what it imports."""
    return frozenset(binding.name for one in imports(language, source) for binding in one.bindings)


def _sources(repository: Repository, tree: str, scope: str, naming: Naming) -> Iterable[tuple[bytes, bytes]]:
    entry = repository.entry(tree, unquote(scope)) if scope else None
    if entry is not None:
        yield unquote(scope), repository.blob(entry.oid)
        return
    for path, leaf in repository.tree(tree).items():
        if path.endswith(b"_test.go") and naming.scope_of(path.decode("utf-8", "replace")) == scope:
            yield path, repository.blob(leaf.oid)
