"""Finds what a user names in a store, and says what is there when it is not found."""

from __future__ import annotations

import difflib
from pathlib import Path

from change2task.api.manifests import Resource
from change2task.api.metadata import Reference
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant, variant_name
from change2task.cli.failures import InputError
from change2task.corpus.awaited import is_expected
from change2task.corpus.store import Store

_VARIANTS = "tv-"
STORE = Path(".change2task")
"""Where results go when nothing is said."""


def is_unfinished(store: Store, name: str) -> bool:
    """Whether a run was asked for this base or candidate and stored nothing of it: it was stopped, or failed."""
    return is_expected(store, name) and store.candidate(name) is None and store.base(name) is None


def stored_resource(store: Store, name: str) -> TaskCandidate | ModernBase:
    """The candidate of this name or of the variant of this name, else the base; raises InputError."""
    name = whole_name(store, name)
    found = _candidate(store, name) or store.base(name)
    if found is None:
        raise unknown(store, name, TaskCandidate, TaskVariant, ModernBase)
    return found


def stored_variant(store: Store, name: str) -> TaskVariant:
    """The variant of this name or its beginning, or of the candidate that has it; raises InputError.

    A task that was changed since it was made is refused: grading it would answer another question than was asked.
    """
    name = whole_name(store, name)
    variant = store.variant(name)
    if variant is not None:
        return _genuine(store, variant)
    candidate = store.candidate(name)
    if candidate is None:
        raise unknown(store, name, TaskCandidate, TaskVariant)
    reference = candidate.status.variant_ref
    if reference is None:
        reason = candidate.status.reason
        state = f"was rejected ({reason.value})" if reason else "has no verdict yet"
        raise InputError(f"{name} {state}, so there is no task; change2task explain {name} says why")
    found = store.variant(reference.name)
    if found is None:
        raise InputError(
            f"variant {reference.name} of {name} is not in {store.path}; bring it back from version control"
        )
    return _genuine(store, found)


def _genuine(store: Store, variant: TaskVariant) -> TaskVariant:
    name, own = variant.metadata.name, variant_name(variant.spec)
    if name != own:
        raise InputError(
            f"{store.path_of(variant)}: the task was changed since it was made: its name is the hash of its spec, which"
            f" would be {own} now; bring the file back from version control, or delete it and run its candidate again"
        )
    return variant


def whole_name(store: Store, name: str) -> str:
    """The one variant whose name begins so, else the name itself; raises InputError where several do."""
    if not name.startswith(_VARIANTS) or len(name) <= len(_VARIANTS) or store.variant(name) is not None:
        return name
    found = [other for other in store.names(TaskVariant) if other.startswith(name)]
    if len(found) > 1:
        raise InputError(f"{len(found)} tasks begin with {name}: {', '.join(found[:5])}; give more of the name")
    return found[0] if found else name


def _candidate(store: Store, name: str) -> TaskCandidate | None:
    found = store.candidate(name)
    if found is None and store.variant(name) is not None:
        others = (store.candidate(other) for other in store.names(TaskCandidate))
        return next((one for one in others if one and one.status.variant_ref == Reference(name=name)), None)
    return found


def unknown(store: Store, name: str, *kinds: type[Resource]) -> InputError:
    """That the store holds nothing of these kinds by this name, and what was most likely meant."""
    if ModernBase not in kinds and store.base(name) is not None:
        return InputError(f"{name} is a base and no task; change2task explain {name} tells of it")
    if is_unfinished(store, name):
        return InputError(f"{name} has no verdict yet, so there is no task; run again")
    names = [found for kind in kinds for found in store.names(kind)]
    near = [found for found in names if found.startswith(name)][:3] or difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {', '.join(near)}?" if near else f"it holds {', '.join(names[:5]) or 'nothing'}"
    more = f" and {len(names) - 5} more" if not near and len(names) > 5 else ""
    return InputError(f"there is no {name!r} in {store.path}; {hint}{more}")
