"""Everything the gates need to know of one candidate on one base, gathered once before any proposal is tried."""

from __future__ import annotations

from dataclasses import dataclass, field

from change2task.api.fidelity import ChangeProfile
from change2task.api.taskcandidate import CheckSpec, OracleDemand
from change2task.api.taskvariant import Statement
from change2task.checks.mapping import TestMap
from change2task.checks.naming import Naming
from change2task.checks.passes import ScriptCall
from change2task.construct.helpers import Helper
from change2task.construct.traces import Names, Trace
from change2task.validate.lifecycle import Demand


@dataclass(frozen=True)
class Case:
    """One candidate: trees as git ids, paths quoted, checks by id.

    ``healthy`` are the ids that pass on every repeat on the base. ``beside`` are the checks that are no tests.
    ``stated_targets`` must each fail on the task state, ``stated_regression`` may never be taken for observers; both
    are ids of any kind. ``introduced`` are identifiers that the change brought into its source files;
    ``historical_regression`` the untouched test functions, as (scope on the base, function), of the test files
    that the change touched. ``test_paths`` gives, for a test file on the base, its path at the change's parent.
    ``sources`` are the base's source files. ``unhealthy_own`` are the change's own tests, as (scope, function), that
    stand on the base without being healthy: no target, but hidden like one. ``statement`` is what the agent
    is told; ``build`` finds out whether all of the project builds, where that is a thing of its own.
    ``own_added`` are tests that the change added, as (scope, function) on the base; ``test_files``, ``documents`` and
    ``change_logs`` the base's files of these kinds, of documents those that hold no check. ``traces`` and ``names`` are
    what else of the change stands on the base, and by what it is known. ``helpers`` are files beside the tests that the
    change altered and that hold no test.
    ``answers_to_hidden_checks`` is false where the agent's answer are tests, which no hidden test calls.
    """

    healthy_tree: str
    before_tree: str
    after_tree: str
    permitted: frozenset[str]
    roles: dict[str, str]
    tests: TestMap
    healthy: frozenset[str]
    naming: Naming
    demand: Demand
    source_profile: ChangeProfile
    historical_regression: frozenset[tuple[str, str]]
    introduced: frozenset[str]
    test_paths: dict[str, str]
    statement: Statement
    answers_to_hidden_checks: bool = True
    build: ScriptCall | None = None
    sources: frozenset[str] = frozenset()
    unhealthy_own: frozenset[tuple[str, str]] = frozenset()
    own_added: frozenset[tuple[str, str]] = frozenset()
    test_files: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    change_logs: frozenset[str] = frozenset()
    traces: tuple[Trace, ...] = ()
    names: Names = field(default_factory=Names)
    helpers: tuple[Helper, ...] = ()
    beside: tuple[CheckSpec, ...] = ()
    stated_targets: frozenset[str] = frozenset()
    stated_regression: frozenset[str] = frozenset()
    task_repeats: int = 3
    healthy_repeats: int = 2
    oracle: OracleDemand = field(default_factory=OracleDemand)
