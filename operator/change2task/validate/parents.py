"""What the change's parent says of a check that fails on the task state: its earlier version is run there.

A later version of an old test may itself demand the change; only its version at the change's parent can tell
(design, "Checks, hidden and visible"). Deciding the role is left to ``checks.roles``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from change2task.checks.passes import PassOrder, PassRunner, perturbation
from change2task.checks.results import SuiteResult
from change2task.checks.roles import FailedCheck, RoleVerdict, role_of_failed
from change2task.construct.standing import standing
from change2task.patch.paths import quote, unquote
from change2task.syntax.imports import imports
from change2task.syntax.languages import Language, language_of
from change2task.syntax.symbols import names_used
from change2task.validate.case import Case
from change2task.validate.heirs import is_heir
from change2task.validate.lifecycle import name_some
from change2task.validate.rounds import fault_of, run_settled, told
from change2task.validate.written import files_of, written
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Tree

AtParent = Literal["absent", "passed", "failed", "same", "case", "own"]


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
    if not failing:
        return ()
    coined = case.introduced - standing(repository, case.before_tree, case.introduced)
    at_parent = _at_parent(repository, runner, case, task_tree, failing)
    at_parent |= {check: "case" for check in failing if _comes_and_goes(case, check, seen)}
    at_parent |= {
        check: "own" for check in failing if is_heir(repository, case, case.naming.name(check), case.tests.places)
    }
    return tuple(
        role_of_failed(
            FailedCheck(
                id=check, at_parent=at_parent[check], names_change=_names_change(repository, case, check, coined)
            )
        )
        for check in failing
    )


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
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, failing: Sequence[str]
) -> dict[str, AtParent]:
    """How each check's version at the change's parent does on the task state, file by file."""
    by_file: dict[bytes | None, list[str]] = defaultdict(list)
    for check in failing:
        by_file[_file_of(repository, case, check)].append(check)
    result: dict[str, AtParent] = {}
    for path, checks in by_file.items():
        result |= _in_file(repository, runner, case, task_tree, path, checks)
    return result


def _file_of(repository: Repository, case: Case, check: str) -> bytes | None:
    """The file on the healthy base in which a check is written."""
    return next(iter(files_of(repository, case.healthy_tree, case.naming.name(check), case.naming)), None)


def _in_file(
    repository: Repository, runner: PassRunner, case: Case, task_tree: str, path: bytes | None, checks: list[str]
) -> dict[str, AtParent]:
    earlier_path = None if path is None else case.test_paths.get(quote(path))
    earlier = None if earlier_path is None else repository.entry(case.before_tree, unquote(earlier_path))
    if path is None or earlier is None:
        return {check: _moved(repository, case, check) for check in checks}
    if repository.entry(task_tree, path) == earlier:
        return dict.fromkeys(checks, "same")
    tree = repository.write_tree(Tree({**dict(repository.tree(task_tree)), path: earlier}))
    order = PassOrder(tree=tree, ids=tuple(sorted(checks)), perturbation=perturbation(0), label="task-at-parent")
    record = run_settled(runner, order)
    suite = record.suite
    scopes = {case.naming.name(check).scope for check in checks}
    if fault_of(record) is not None or not suite.finished or any(e.file in scopes for e in suite.collection_errors):
        # What that version does not hold is younger, whether it loads today or not.
        held = {check: bool(written(repository, tree, case.naming.name(check), case.naming)) for check in checks}
        return {check: "failed" if held[check] else _moved(repository, case, check) for check in checks}
    found: dict[str, AtParent] = {}
    for check in checks:
        told = suite.results.get(check)
        found[check] = (
            _moved(repository, case, check) if told is None else ("passed" if told.outcome == "passed" else "failed")
        )
    return found


def _moved(repository: Repository, case: Case, check: str) -> AtParent:
    """A check that its file's earlier form does not hold: younger, unless its scope held it in another file then."""
    if written(repository, case.before_tree, case.naming.name(check), case.naming):
        return "failed"
    return "absent"


def _names_change(repository: Repository, case: Case, check: str, coined: frozenset[str]) -> bool:
    """Whether a check's own lines, or the imports of a file that the change's parent did not have, use such a word.

    A younger test that uses a word as common as ``key`` says nothing of the change; one that uses a word the
    change coined does.
    """
    for one in written(repository, case.healthy_tree, case.naming.name(check), case.naming):
        if quote(one.path) not in case.test_paths and _imported(one.language, one.source) & coined:
            return True
        return bool(names_used(one.language, one.text) & coined)
    for path in files_of(repository, case.healthy_tree, case.naming.name(check), case.naming):
        source = repository.file(case.healthy_tree, path) or b""
        language = language_of(path, source[:256])
        if language is not None and quote(path) not in case.test_paths and _imported(language, source) & coined:
            return True
    return False


def _imported(language: Language, source: bytes) -> frozenset[str]:
    """Names that a file as a whole cannot do without: what it imports."""
    return frozenset(binding.name for one in imports(language, source) for binding in one.bindings)
