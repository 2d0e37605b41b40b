"""The Job of one step: prepare, then the slots one after another, then the judge. Pure.

A pod is the experiment. Containers of repository code start from the base image, see one volume of their own, and have
neither a token nor a network nor any power; what lays their trees and what reads their results sees volumes of its own.
Init containers run one after another, so nothing of one state lives when the next starts.
"""

from __future__ import annotations

from typing import Any

from change2task.api.model import Model
from change2task.api.podtemplate import PodTemplate, ResourceAmounts
from change2task.api.quantities import amount
from change2task.cluster import names
from change2task.cluster.parts import (
    Subject,
    job,
    labels_of,
    named_by,
    placed_by,
    pod,
    powerless,
    restricted,
    scratch,
    trusted,
)

_BUSYBOX = "/c2t/tools/busybox"
SLOT_COMMAND = (_BUSYBOX, "sh", "/c2t/tools/slot.sh", _BUSYBOX, "/c2t/plan", "/c2t/results")
_FOLDERS = (("work", "/c2t/work"), ("home", "/c2t/home"), ("results", "/c2t/results"), ("tmp", "/tmp"))  # noqa: S108
_REQUESTS = {"cpu": "250m", "memory": "512Mi"}
_LIMITS = {"memory": "4Gi", "ephemeral-storage": "8Gi"}

__all__ = ["SLOT_COMMAND", "StepJob", "Subject"]


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
        return labels_of(self.subject, self.base_uid, self.step, self.attempt, "none", self.template.labels)

    def manifest(self) -> dict[str, Any]:
        """The Job."""
        return job(self.name, self.subject.namespace, self.subject, self.key, self.labels, self.seconds, self._pod())

    def _pod(self) -> dict[str, Any]:
        made = pod(
            security=restricted(),
            init=[self._prepare(), *(self._slot(number) for number in range(self.slots))],
            main=self._judge(),
            volumes=self._volumes(),
        )
        runtime = {} if self.runtime_class is None else {"runtimeClassName": self.runtime_class}
        return {**made, **runtime, **placed_by(self.template), **named_by(self.template)}

    def _prepare(self) -> dict[str, Any]:
        slots = [{"name": f"slot-{number}", "mountPath": f"/c2t/slots/{number}"} for number in range(self.slots)]
        return trusted(
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
        return {
            "name": volume,
            "image": self.base_image,
            "command": list(SLOT_COMMAND),
            "workingDir": "/c2t/work",
            "resources": _amounts(self.template.resources),
            "securityContext": powerless(read_only=False),
            "volumeMounts": [
                {"name": "tools", "mountPath": "/c2t/tools", "readOnly": True},
                *folders,
                {"name": volume, "mountPath": "/c2t/plan", "subPath": "plan", "readOnly": True},
                {"name": f"shared-{number}", "mountPath": "/dev/shm"},  # noqa: S108 - inside a container
            ],
        }

    def _judge(self) -> dict[str, Any]:
        results = [
            {"name": f"slot-{n}", "mountPath": f"/c2t/slots/{n}/results", "subPath": "results"}
            for n in range(self.slots)
        ]
        return trusted("judge", self.image, ["judge"], results)

    def _volumes(self) -> list[dict[str, Any]]:
        return [
            scratch("tools", "64Mi"),
            scratch("desk", "4Gi"),
            scratch("temporary", "1Gi"),
            *(scratch(f"slot-{number}", "8Gi") for number in range(self.slots)),
            *(scratch(f"shared-{number}", "64Mi", medium="Memory") for number in range(self.slots)),
        ]


def _amounts(asked: ResourceAmounts) -> dict[str, dict[str, str]]:
    """What a slot is given: our own amounts where the user says none, and then within what the user says."""
    requests, limits = {**_REQUESTS, **asked.requests}, {**_LIMITS, **asked.limits}
    for name in requests.keys() & limits.keys():
        if amount(requests[name]) > amount(limits[name]):
            given = asked.requests.get(name) or limits[name]
            requests[name] = limits[name] = given
    return {"requests": requests, "limits": limits}
