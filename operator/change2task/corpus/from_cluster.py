"""What stands on a cluster, brought into a store: the same files that a run on one machine writes.

It exists so that whatever explains, shows or grades a store does so for a cluster as well, and so that a corpus can be
put under version control. Only what people and the pipeline said is taken: what the cluster keeps for itself (uids,
versions, managers of fields) is left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase
from change2task.api.progress import BaseProgress, Progress
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.cluster.kube import Json, Kube
from change2task.corpus.store import Store

R = TypeVar("R", ModernBase, TaskCandidate, TaskVariant)
Evidence = Callable[[str], dict[str, bytes]]
"""All evidence of an outcome, by SHA-256, from where the outcome lies."""
_OWN = ("kubectl.kubernetes.io/", "change2task.dev/last-")


def bring(kube: Kube, namespace: str, names: tuple[str, ...], evidence: Evidence, store: Store) -> tuple[str, ...]:
    """Put candidates (all, or those named) with their bases, tasks and evidence into the store; the names brought.

    A base's name brings its candidates. Raises KubeFault, and what ``evidence`` raises.
    """
    brought: list[str] = []
    bases: set[str] = set()
    for candidate in _candidates(kube, namespace, names):
        store.put(candidate)
        _keep(store, candidate.status.progress, evidence)
        reference = candidate.status.variant_ref
        if reference is not None and (raw := kube.get("TaskVariant", namespace, reference.name)) is not None:
            store.put(_ours(TaskVariant, raw))
        bases.add(candidate.spec.base_ref.name)
        brought.append(candidate.metadata.name)
    for name in sorted(bases | set(names)):
        if (raw := kube.get("ModernBase", namespace, name)) is not None:
            base = _ours(ModernBase, raw)
            store.put(base)
            _keep(store, base.status.progress, evidence)
            brought.append(name)
    return tuple(brought)


def _candidates(kube: Kube, namespace: str, names: tuple[str, ...]) -> Iterator[TaskCandidate]:
    for raw in kube.list("TaskCandidate", namespace):
        found = _ours(TaskCandidate, {"apiVersion": "change2task.dev/v1alpha1", "kind": "TaskCandidate", **raw})
        variant = found.status.variant_ref
        about = {found.metadata.name, found.spec.base_ref.name, variant.name if variant else ""}
        if not names or about & set(names):
            yield found


def _keep(store: Store, progress: Progress | BaseProgress | None, evidence: Evidence) -> None:
    if progress is not None and progress.outcome is not None:
        for content in evidence(progress.outcome).values():
            store.put_evidence(content)


def _ours(kind: type[R], raw: Json) -> R:
    found = kind.model_validate(raw)
    meta = found.metadata
    kept = {name: value for name, value in meta.annotations.items() if not name.startswith(_OWN)}
    plain = ObjectMeta(name=meta.name, labels=meta.labels, annotations=kept, generation=meta.generation)
    return found.replacing(metadata=plain)
