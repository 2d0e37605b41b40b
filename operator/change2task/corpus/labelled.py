"""A published task's labels in words; tasks made before there were labels bear those that their checks show."""

from __future__ import annotations

from collections.abc import Iterator

from change2task.api.labels import Label
from change2task.api.taskvariant import TaskVariantSpec

EVERYTHING = "*"
"""In place of a path: all that names the change was left."""


def labels(spec: TaskVariantSpec) -> tuple[Label, ...]:
    """The labels, in the order of their list."""
    static = any(check.kind == "static" for check in spec.checks.targets)
    borne = {*spec.labels, *((Label.STATIC_ORACLE,) if static else ())}
    return tuple(label for label in Label if label in borne)


def warnings(spec: TaskVariantSpec) -> tuple[str, ...]:
    """What whoever reads a grade of this task must know of it, a sentence each."""
    return tuple(label.sentence for label in labels(spec) if label is Label.STATIC_ORACLE)


def traces_left(spec: TaskVariantSpec) -> Iterator[str]:
    """What of the change stays in the agent's tree, and why, in plain words."""
    for path, why in spec.traces_left.items():
        what = "all that names the change, its own passing tests too, is" if path == EVERYTHING else f"{path} is"
        yield f"{what} left in the agent's tree because {why}"
