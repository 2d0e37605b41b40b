"""The Job of one step: prepare, then the slots one after another, then the judge. Pure.

A pod is the experiment. Containers of repository code start from the base image, see one volume of their own, and have
neither a token nor a network nor any power; what lays their trees and what reads their results sees volumes of its own.
Init containers run one after another, so nothing of one state lives when the next starts.
"""

from __future__ import annotations

from typing import Any, Final

from change2task.api.model import Model
from change2task.api.modernbase import PodTemplate
from change2task.cluster import names

USER: Final = 1000
PROGRAM: Final = ("python", "-m", "change2task.pods")
_BUSYBOX = "/c2t/tools/busybox"
_SLOT = f"[ -f /c2t/plan/start.sh ] || exit 0; exec {_BUSYBOX} sh /c2t/plan/start.sh"
_FOLDERS = (("work", "/c2t/work"), ("home", "/c2t/home"), ("results", "/c2t/results"), ("tmp", "/tmp"))  # noqa: S108
_TRUSTED: dict[str, Any] = {
    "requests": {"cpu": "100m", "memory": "256Mi"},
    "limits": {"memory": "2Gi", "ephemeral-storage": "4Gi"},
}
_UNTRUSTED: dict[str, Any] = {
    "requests": {"cpu": "250m", "memory": "512Mi"},
    "limits": {"memory": "4Gi", "ephemeral-storage": "8Gi"},
}


class Subject(Model):
    """Whom a Job works for; it is the Job's owner."""

    kind: str
    name: str
    namespace: str
    uid: str


class StepJob(Model):
    """Everything a step's Job depends on. ``image`` is the step image, ``base_image`` what slots start from.

    ``seconds`` bound the whole Job. ``key`` identifies the work that ``step`` is a part of. ``closed`` are addresses
    (host:port) that the pod must not reach; ``allow_open``: it goes on all the same where it does.
    """

    subject: Subject
    base_uid: str
    key: str
    step: int
    attempt: int
    image: str
    base_image: str
    slots: int
    seconds: int
    closed: tuple[str, ...] = ()
    allow_open: bool = False
    template: PodTemplate = PodTemplate()
    runtime_class: str | None = None

    @property
    def name(self) -> str:
        """The same step and attempt of the same work has the same name, whoever asks."""
        return names.job_name(self.subject.kind, self.subject.name, self.subject.uid, self.key, self.step, self.attempt)

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the Job and its pod; the user's own do not come before ours."""
        return {
            **self.template.labels,
            names.MANAGED: names.MANAGER,
            names.SUBJECT_KIND: self.subject.kind,
            names.SUBJECT_UID: self.subject.uid,
            names.BASE: self.base_uid,
            names.STEP: str(self.step),
            names.ATTEMPT: str(self.attempt),
            names.NETWORK: "none",
        }

    def manifest(self) -> dict[str, Any]:
        """The Job."""
        annotations = {names.KEY: self.key, names.SUBJECT_NAME: self.subject.name}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": self.name,
                "namespace": self.subject.namespace,
                "labels": self.labels,
                "annotations": annotations,
                "ownerReferences": [
                    {
                        "apiVersion": f"{names.GROUP}/v1alpha1",
                        "kind": self.subject.kind,
                        "name": self.subject.name,
                        "uid": self.subject.uid,
                        "controller": True,
                        "blockOwnerDeletion": False,
                    }
                ],
            },
            "spec": {
                "backoffLimit": 0,
                "activeDeadlineSeconds": self.seconds,
                "podFailurePolicy": {
                    "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
                },
                "podReplacementPolicy": "Failed",
                "template": {"metadata": {"labels": self.labels, "annotations": annotations}, "spec": self._pod()},
            },
        }

    def _pod(self) -> dict[str, Any]:
        template = self.template
        pod: dict[str, Any] = {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 5,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "runAsGroup": USER,
                "fsGroup": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "initContainers": [self._prepare(), *(self._slot(number) for number in range(self.slots))],
            "containers": [self._judge()],
            "volumes": self._volumes(),
        }
        if self.runtime_class is not None:
            pod["runtimeClassName"] = self.runtime_class
        if template.node_selector:
            pod["nodeSelector"] = template.node_selector
        if template.tolerations:
            pod["tolerations"] = [one.document() for one in template.tolerations]
        if template.priority_class_name is not None:
            pod["priorityClassName"] = template.priority_class_name
        if template.service_account_name is not None:
            pod["serviceAccountName"] = template.service_account_name
        if template.image_pull_secrets:
            pod["imagePullSecrets"] = [one.document() for one in template.image_pull_secrets]
        return pod

    def _prepare(self) -> dict[str, Any]:
        slots = [{"name": f"slot-{number}", "mountPath": f"/c2t/slots/{number}"} for number in range(self.slots)]
        return _trusted(
            "prepare",
            self.image,
            [
                "prepare",
                *("--slots", str(self.slots)),
                *(word for address in self.closed for word in ("--closed", address)),
                *(["--allow-open"] if self.allow_open else []),
            ],
            [{"name": "tools", "mountPath": "/c2t/tools"}, *slots],
        )

    def _slot(self, number: int) -> dict[str, Any]:
        volume = f"slot-{number}"
        folders = [{"name": volume, "mountPath": path, "subPath": name} for name, path in _FOLDERS]
        resources = self.template.resources
        return {
            "name": volume,
            "image": self.base_image,
            "command": [_BUSYBOX, "sh", "-c", _SLOT],
            "workingDir": "/c2t/work",
            "resources": {
                "requests": {**_UNTRUSTED["requests"], **resources.requests},
                "limits": {**_UNTRUSTED["limits"], **resources.limits},
            },
            "securityContext": _powerless(read_only=False),
            "volumeMounts": [
                {"name": "tools", "mountPath": "/c2t/tools", "readOnly": True},
                *folders,
                {"name": volume, "mountPath": "/c2t/plan", "subPath": "plan", "readOnly": True},
                {"name": f"shared-{number}", "mountPath": "/dev/shm"},  # noqa: S108 - inside a container
            ],
        }

    def _judge(self) -> dict[str, Any]:
        results = [
            {"name": f"slot-{n}", "mountPath": f"/c2t/slots/{n}/results", "subPath": "results", "readOnly": True}
            for n in range(self.slots)
        ]
        return _trusted("judge", self.image, ["judge"], results)

    def _volumes(self) -> list[dict[str, Any]]:
        shared = {"medium": "Memory", "sizeLimit": "64Mi"}
        return [
            {"name": "tools", "emptyDir": {"sizeLimit": "64Mi"}},
            {"name": "desk", "emptyDir": {"sizeLimit": "4Gi"}},
            {"name": "temporary", "emptyDir": {"sizeLimit": "1Gi"}},
            *({"name": f"slot-{number}", "emptyDir": {"sizeLimit": "8Gi"}} for number in range(self.slots)),
            *({"name": f"shared-{number}", "emptyDir": shared} for number in range(self.slots)),
        ]


def _trusted(name: str, image: str, words: list[str], mounts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "command": [*PROGRAM, *words],
        "resources": _TRUSTED,
        "securityContext": _powerless(read_only=True),
        "volumeMounts": [
            {"name": "desk", "mountPath": "/c2t/desk"},
            {"name": "temporary", "mountPath": "/tmp"},  # noqa: S108 - inside a container
            *mounts,
        ],
    }


def _powerless(*, read_only: bool) -> dict[str, Any]:
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": read_only,
        "capabilities": {"drop": ["ALL"]},
    }
