"""Finds what a user names in a store, and says what is there when it is not found."""

from __future__ import annotations

import difflib
from pathlib import Path

from change2task.api.metadata import Reference
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.cli.failures import InputError
from change2task.corpus.store import Store

STORE = Path(".change2task")
"""Where results go when nothing is said."""


def stored_candidate(store: Store, name: str) -> TaskCandidate:
    """The candidate of this name, or the one whose variant has it; raises InputError naming near ones."""
    candidate = store.candidate(name)
    if candidate is not None:
        return candidate
    if store.variant(name) is not None:
        for other in store.names(TaskCandidate):
            owner = store.candidate(other)
            if owner is not None and owner.status.variant_ref == Reference(name=name):
                return owner
    raise _unknown(store, name)


def stored_variant(store: Store, name: str) -> TaskVariant:
    """The variant of this name, or of the candidate that has it; raises InputError."""
    variant = store.variant(name)
    if variant is not None:
        return variant
    candidate = stored_candidate(store, name)
    reference = candidate.status.variant_ref
    if reference is None:
        reason = candidate.status.reason
        state = f"was rejected ({reason.value})" if reason else "has no verdict yet"
        raise InputError(f"{name} {state}, so there is no task; change2task explain {name} says why")
    found = store.variant(reference.name)
    if found is None:
        raise InputError(f"variant {reference.name} of {name} is not in {store.path}; run again to make it")
    return found


def _unknown(store: Store, name: str) -> InputError:
    names = [*store.names(TaskCandidate), *store.names(TaskVariant)]
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"; did you mean {', '.join(near)}?" if near else f"; it holds {len(names)} candidates and variants"
    return InputError(f"there is no candidate or variant {name!r} in {store.path}{hint}")
