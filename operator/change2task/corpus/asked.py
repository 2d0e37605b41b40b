"""What is asked of a stored task's checks: its tests by where they run, and everything that may not break.

A variant names its targets, its observers and those regression checks that are no tests; the ids of its regression
tests lie in the store by their digest and are given.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.api.taskvariant import TaskVariant
from change2task.checks.naming import Naming, split
from change2task.validate.rounds import Selection


def named_tests(variant: TaskVariant) -> tuple[str, ...]:
    """The tests among the targets and observers, which are hidden from the agent."""
    checks = variant.spec.checks
    return tuple(check.id for check in (*checks.targets, *checks.observers) if check.kind == "test")


def selection_of(variant: TaskVariant, regression: Sequence[str], naming: Naming) -> Selection:
    """All tests of the task by the tree on which they run."""
    named = named_tests(variant)
    own = (naming.name(check).place for check in variant.spec.checks.hidden_regression)
    beside, seen = split(naming, regression, named, own)
    return Selection(hidden=tuple(sorted({*named, *beside})), open=seen)


def whole_regression(variant: TaskVariant, regression: Sequence[str]) -> tuple[str, ...]:
    """The regression tests, and the regression checks that are no tests."""
    return (*regression, *(check.id for check in variant.spec.checks.regression))
