"""Which tasks of a store are asked for by names and selectors, and why none is where none is.

A rejected candidate is no reason where a word was misspelt, so words are held against what tasks really have.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from change2task.api.modernbase import ModernBase
from change2task.api.problems import listed
from change2task.api.shapes import nearest
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.cli.failures import InputError
from change2task.cli.lookup import unknown, whole_name
from change2task.corpus.store import Store


class Term(NamedTuple):
    """One selector: whether a task's label has this value, or (not ``equal``) has it not."""

    key: str
    value: str
    equal: bool

    @classmethod
    def read(cls, text: str) -> Term:
        """The term as it is written; raises InputError."""
        key, mark, value = text.partition("!=") if "!=" in text else text.partition("=")
        if not mark or not key:
            raise InputError(f"--selector {text}: write it as KEY=VALUE or KEY!=VALUE")
        return cls(key, value.removeprefix("="), mark == "=")

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether a task of these labels is meant."""
        return (labels.get(self.key) == self.value) is self.equal

    def __str__(self) -> str:
        return f"{self.key}{'=' if self.equal else '!='}{self.value}"


class Selection:
    """What is asked of a store; it remembers the labels of the tasks it was asked about."""

    def __init__(self, store: Store, names: Sequence[str], terms: Sequence[Term]) -> None:
        """Raises InputError for the first name that the store does not hold, or that has no task."""
        self._store, self._terms = store, terms
        self._bases = {name for name in names if store.base(name) is not None}
        self._asked = {name: _task_of(store, whole_name(store, name)) for name in names}
        self._labels: dict[str, Mapping[str, str]] = {}

    def wants(self, candidate: TaskCandidate, variant: TaskVariant) -> bool:
        """Whether this task is asked for."""
        name, labels = variant.metadata.name, labels_of(candidate, variant)
        self._labels[name] = labels
        named = not self._asked or variant.spec.base.name in self._bases or name in self._asked.values()
        return named and all(term.holds(labels) for term in self._terms)

    def check(self, found: Collection[str], left_out: Mapping[str, str]) -> None:
        """Every name stands for a task that was found, and there is one; raises InputError. Names are of tasks."""
        for name, meant in self._asked.items():
            if meant is None or name in self._bases or meant in found:
                continue
            if meant in left_out:
                raise InputError(f"{name} cannot be exported: {meant}: {left_out[meant]}")
            if meant not in self._labels:
                raise InputError(f"{name} is a task that no candidate of {self._store.path} has any more")
            against = next(term for term in self._terms if not term.holds(self._labels[meant]))
            raise InputError(f"{name} is left out by --selector {against}; take away the one or the other")
        if not found:
            raise InputError(f"there is no task to export: {self._why_none(left_out)}")

    def _why_none(self, left_out: Mapping[str, str]) -> str:
        tasks = self._labels
        wanted = [name for name in left_out if name in tasks and all(term.holds(tasks[name]) for term in self._terms)]
        if not tasks or wanted or not (self._terms or self._asked):
            name = next(iter(wanted or left_out), None)
            return "the store holds none" if name is None else f"{name}: {left_out[name]}"
        for term in self._terms:
            if not any(term.holds(labels) for labels in tasks.values()):
                return _not_there(term, list(tasks.values()))
        if self._terms and not self._asked:
            return f"no task has {' and '.join(map(str, self._terms))} at once"
        of = f"no task is of {listed(self._asked)}"
        return f"{of} and has {' and '.join(map(str, self._terms))}" if self._terms else of


def labels_of(candidate: TaskCandidate, variant: TaskVariant) -> dict[str, str]:
    """What selectors read: the candidate's labels, and what is known of every task."""
    spec = variant.spec
    return {
        **candidate.metadata.labels,
        "base": spec.base.name,
        "family": spec.family.value,
        "level": str(spec.level),
        "strategy": spec.strategy,
        "output": spec.output.output,
        "repository": spec.base.repository,
    }


def _task_of(store: Store, name: str) -> str | None:
    """The task of this name, or of the candidate of this name; None for a base. Raises InputError."""
    if store.variant(name) is not None:
        return name
    candidate = store.candidate(name)
    if candidate is not None and candidate.status.variant_ref is not None:
        return candidate.status.variant_ref.name
    if store.base(name) is not None:
        return None
    if candidate is None:
        raise unknown(store, name, TaskCandidate, TaskVariant, ModernBase)
    raise InputError(f"{name} has no task; change2task explain {name} says why")


def _not_there(term: Term, tasks: Sequence[Mapping[str, str]]) -> str:
    if not term.equal:
        return f"every task has {term.key}={term.value}"
    values = {labels[term.key] for labels in tasks if term.key in labels}
    if not values:
        keys = {key for labels in tasks for key in labels}
        near = nearest(term.key, keys)
        return f"no task has a label {term.key!r}; {f'did you mean {near}?' if near else f'tasks have {listed(keys)}'}"
    near = nearest(term.value, values)
    return f"no task has {term}; {f'did you mean {near}? ' if near else ''}{term.key} of the tasks is {listed(values)}"
