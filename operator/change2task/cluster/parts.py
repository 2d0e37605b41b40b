"""What Jobs of every kind have in common: the frame around a pod, its owner, and what users may set. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from change2task.api.model import Model
from change2task.api.podtemplate import PodTemplate
from change2task.cluster import names

USER: Final = 1000
PROGRAM: Final = ("python", "-m", "change2task.pods")
TRUSTED: Final[dict[str, Any]] = {
    "requests": {"cpu": "100m", "memory": "256Mi"},
    "limits": {"memory": "2Gi", "ephemeral-storage": "4Gi"},
}

Json = dict[str, Any]


class Subject(Model):
    """Whom a Job works for; it is the Job's owner where both are in one namespace."""

    kind: str
    name: str
    namespace: str
    uid: str


def labels_of(
    subject: Subject, base_uid: str, step: int, attempt: int, network: str, also: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Labels of a Job and its pod; ``also``, the user's own, do not come before ours."""
    return {
        **(also or {}),
        names.MANAGED: names.MANAGER,
        names.SUBJECT_KIND: subject.kind,
        names.SUBJECT_UID: subject.uid,
        names.BASE: base_uid,
        names.STEP: str(step),
        names.ATTEMPT: str(attempt),
        names.NETWORK: network,
    }


def job(name: str, namespace: str, subject: Subject, key: str, labels: Json, seconds: int, pod: Json) -> Json:
    """A Job that is never restarted, and does not count a disruption as a failure.

    In its subject's own namespace the subject owns it; in another it bears the subject's name and namespace.
    """
    annotations = {names.KEY: key, names.SUBJECT_NAME: subject.name}
    meta: Json = {"name": name, "namespace": namespace, "labels": labels, "annotations": annotations}
    if namespace == subject.namespace:
        owner = {"apiVersion": f"{names.GROUP}/v1alpha1", "kind": subject.kind, "name": subject.name,
                 "uid": subject.uid, "controller": True, "blockOwnerDeletion": False}  # fmt: skip
        meta["ownerReferences"] = [owner]
    else:
        annotations[names.SUBJECT_NAMESPACE] = subject.namespace
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds,
            "podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
            },
            "podReplacementPolicy": "Failed",
            "template": {"metadata": {"labels": dict(labels), "annotations": annotations}, "spec": pod},
        },
    }


def pod(*, security: Json, init: list[Json], main: Json, volumes: list[Json]) -> Json:
    """A pod without a token that runs one container to its end, after others."""
    told: Json = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 5,
        "securityContext": security,
    }
    if init:
        told["initContainers"] = init
    return {**told, "containers": [main], "volumes": volumes}


def restricted() -> Json:
    """A pod's security context at Pod Security level restricted."""
    return {
        "runAsNonRoot": True,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def powerless(*, read_only: bool) -> Json:
    """A container's security context at the same level."""
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": read_only,
        "capabilities": {"drop": ["ALL"]},
    }


def trusted(name: str, image: str, words: list[str], mounts: list[Json]) -> Json:
    """A container of ours, with a desk and a folder for temporary files of its own."""
    return {
        "name": name,
        "image": image,
        "command": [*PROGRAM, *words],
        "resources": TRUSTED,
        "securityContext": powerless(read_only=True),
        "volumeMounts": [
            {"name": "desk", "mountPath": "/c2t/desk"},
            {"name": "temporary", "mountPath": "/tmp"},  # noqa: S108 - inside a container
            *mounts,
        ],
    }


def placed_by(template: PodTemplate) -> Json:
    """Where a user's template lets a pod run."""
    told: Json = {}
    if template.node_selector:
        told["nodeSelector"] = template.node_selector
    if template.tolerations:
        told["tolerations"] = [one.document() for one in template.tolerations]
    return told


def named_by(template: PodTemplate) -> Json:
    """What of the namespace's own things a user's template names."""
    told: Json = {}
    if template.priority_class_name is not None:
        told["priorityClassName"] = template.priority_class_name
    if template.service_account_name is not None:
        told["serviceAccountName"] = template.service_account_name
    if template.image_pull_secrets:
        told["imagePullSecrets"] = [one.document() for one in template.image_pull_secrets]
    return told


def scratch(name: str, size: str, **told: str) -> Json:
    """A folder that goes with its pod."""
    return {"name": name, "emptyDir": {**told, "sizeLimit": size}}
