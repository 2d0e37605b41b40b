"""A replay asked for on a cluster, and waited for: the operator runs it, its word says which answer is ours.

What is changed there is an annotation of the task and nothing else. Somebody who stops waiting stops nothing there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import uuid4

from change2task.api.conditions import Condition, ConditionType, condition
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import Replayed, TaskVariant
from change2task.cli.failures import InfrastructureError, InputError
from change2task.cluster.kube import Json, Kube, KubeFault
from change2task.pipeline.keys import REPLAY_ANNOTATION, REPLAY_TIMES_ANNOTATION

_EVERY = 2.0
Say = Callable[[str], None]


def replay_there(kube: Kube, namespace: str, name: str, times: int, *, seconds: float, say: Say) -> Replayed:
    """Ask for a replay of a task, or of a candidate's task, and wait for what comes of it; ``say`` hears of the way.

    Raises InputError where there is no such task, InfrastructureError where nothing comes of it in ``seconds``.
    """
    try:
        task = _task_of(kube, namespace, name)
        word = uuid4().hex
        asked = {REPLAY_ANNOTATION: word, REPLAY_TIMES_ANNOTATION: str(times)}
        if kube.patch("TaskVariant", namespace, task, {"metadata": {"annotations": asked}}) is None:
            raise InputError(f"TaskVariant {task} is gone from namespace {namespace}")
        return _wait(kube, namespace, task, word, seconds, say)
    except KubeFault as fault:
        raise InfrastructureError(str(fault)) from fault


def _task_of(kube: Kube, namespace: str, name: str) -> str:
    if kube.get("TaskVariant", namespace, name) is not None:
        return name
    raw = kube.get("TaskCandidate", namespace, name)
    if raw is None:
        raise InputError(f"there is no candidate or task {name!r} in namespace {namespace} of the cluster")
    candidate = TaskCandidate.model_validate(raw)
    if candidate.status.variant_ref is None:
        told = candidate.status.reason.value if candidate.status.reason else "no verdict yet"
        raise InputError(f"candidate {name} has no task to replay: {told}; kubectl describe tc {name} says why")
    return candidate.status.variant_ref.name


def _wait(kube: Kube, namespace: str, task: str, word: str, seconds: float, say: Say) -> Replayed:
    deadline, said = time.monotonic() + seconds, ""
    while True:
        raw = kube.get("TaskVariant", namespace, task)
        if raw is None:
            raise InfrastructureError(f"TaskVariant {task} was deleted while its replay was waited for")
        variant = TaskVariant.model_validate(raw)
        if variant.status.replayed is not None and variant.status.replayed.request == word:
            return variant.status.replayed
        told = _on_the_way(raw, variant, word)
        if told is not None and told.type is ConditionType.STALLED:
            raise InfrastructureError(f"{task}: {told.reason.value}: {told.message}")
        if told is not None and told.message and told.message != said:
            said = told.message
            say(f"{task}: {said}")
        if time.monotonic() >= deadline:
            raise InfrastructureError(
                f"{task}: no result within {seconds:.0f} s ({said or 'the operator has not begun'}); it goes on there:"
                f" kubectl get tv {task} -n {namespace} -o jsonpath={{.status.replayed}} tells it once it is over"
            )
        time.sleep(_EVERY)


def _on_the_way(raw: Json, variant: TaskVariant, word: str) -> Condition | None:
    """What the operator says of this replay; None while what it says may be of an earlier one."""
    asked = (raw["metadata"].get("annotations") or {}).get(REPLAY_ANNOTATION)
    if asked != word:
        raise InfrastructureError(f"{variant.metadata.name}: somebody else asked for a replay meanwhile; ask again")
    for kind in (ConditionType.STALLED, ConditionType.RECONCILING):
        found = condition(variant.status.conditions, kind)
        if found is not None and found.status == "True":
            return found
    return None
