"""The Jobs by which a base comes to be, before its steps: one fetches its repository, one builds its environments.

Fetching runs in the base's namespace, since the credentials are there, and nowhere else are they mounted. Building runs
in a namespace of its own, beside a container engine, which must be privileged. The pod's main container is ours in
both; the engine is a sidecar, so that a build ends when its main container does. Pure.
"""

from __future__ import annotations

from typing import Any, Final

from change2task.api.model import Model
from change2task.api.podtemplate import PodTemplate
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

FETCH: Final = "fetch"
BUILD: Final = "build"
_SOCKET = "unix:///c2t/build/docker.sock"
_BUILDS: dict[str, Any] = {
    "requests": {"cpu": "100m", "memory": "256Mi"},
    "limits": {"memory": "4Gi", "ephemeral-storage": "8Gi"},
}
_ENGINES: dict[str, Any] = {
    "requests": {"cpu": "200m", "memory": "1Gi"},
    "limits": {"memory": "12Gi", "ephemeral-storage": "64Gi"},
}
_OWNS = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]
"""What root needs to take back what setup wrote as others."""


class RegistryAccess(Model):
    """The registry that a pod pushes to.

    ``secret`` (of type kubernetes.io/dockerconfigjson, may hold ca.crt too) is one of the pod's own namespace.
    """

    host: str
    insecure: bool = False
    secret: str | None = None

    def volumes(self) -> list[dict[str, Any]]:
        """The Secret's volume; what it lacks is told by the registry's refusal."""
        if self.secret is None:
            return []
        items = [{"key": ".dockerconfigjson", "path": "config.json"}, {"key": "ca.crt", "path": "ca.crt"}]
        return [{"name": "registry", "secret": _secret(self.secret, items=items)}]

    def mounts(self) -> list[dict[str, Any]]:
        """Where it is mounted."""
        if self.secret is None:
            return []
        return [{"name": "registry", "mountPath": "/c2t/registry", "readOnly": True}]


class FetchJob(Model):
    """Everything that a fetch depends on. ``image`` is the runner with what is asked for in it.

    ``credentials`` names the Secret with git's credentials.
    """

    subject: Subject
    key: str
    step: int
    attempt: int
    image: str
    registry: RegistryAccess
    credentials: str | None = None
    seconds: int = 4200
    template: PodTemplate = PodTemplate()

    @property
    def name(self) -> str:
        """The same attempt of the same work has the same name, whoever asks."""
        return _name(self.subject, self.key, self.step, self.attempt)

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the Job and its pod."""
        return labels_of(self.subject, self.subject.uid, self.step, self.attempt, FETCH, self.template.labels)

    def manifest(self) -> dict[str, Any]:
        """The Job."""
        mounts, volumes = self.registry.mounts(), self.registry.volumes()
        if self.credentials is not None:
            mounts.append({"name": "credentials", "mountPath": "/c2t/credentials", "readOnly": True})
            volumes.append({"name": "credentials", "secret": _secret(self.credentials)})
        made = pod(
            security=restricted(),
            init=[],
            main=trusted(FETCH, self.image, [FETCH], mounts),
            volumes=[scratch("desk", "16Gi"), scratch("temporary", "16Gi"), *volumes],
        )
        # A large history is held twice on disk, and once more as a layer.
        limits = {"limits": {"memory": "4Gi", "ephemeral-storage": "32Gi"}}
        made["containers"][0]["resources"] = {**made["containers"][0]["resources"], **limits}
        told = {**made, **placed_by(self.template), **named_by(self.template)}
        return job(self.name, self.subject.namespace, self.subject, self.key, self.labels, self.seconds, told)


class BuildJob(Model):
    """Everything that a build depends on. ``image`` is the history or step image with what is asked for in it.

    ``builder`` is the engine's image. ``index`` is the package index that setup reaches, ``index_secret`` names a
    Secret of the builds' namespace with more of its settings as variables (UV_…, PIP_…, GOPROXY).
    """

    subject: Subject
    key: str
    step: int
    attempt: int
    namespace: str
    image: str
    builder: str
    registry: RegistryAccess
    index: str | None = None
    index_secret: str | None = None
    seconds: int = 14_400
    template: PodTemplate = PodTemplate()

    @property
    def name(self) -> str:
        """The same attempt of the same work has the same name, whoever asks."""
        return _name(self.subject, self.key, self.step, self.attempt)

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the Job and its pod; a user's own mean something in the user's namespace only."""
        return labels_of(self.subject, self.subject.uid, self.step, self.attempt, FETCH)

    def manifest(self) -> dict[str, Any]:
        """The Job."""
        made = pod(
            security={"seccompProfile": {"type": "RuntimeDefault"}},
            init=[self._engine()],
            main=self._build(),
            volumes=[
                scratch("build", "48Gi"),
                scratch("engine", "64Gi"),
                scratch("desk", "1Gi"),
                scratch("temporary", "8Gi"),
                *self.registry.volumes(),
            ],
        )
        told = {**made, **placed_by(self.template)}
        return job(self.name, self.namespace, self.subject, self.key, self.labels, self.seconds, told)

    def _engine(self) -> dict[str, Any]:
        insecure = [f"--insecure-registry=http://{self.registry.host}"] if self.registry.insecure else []
        return {
            "name": "engine",
            "image": self.builder,
            "args": insecure,
            "restartPolicy": "Always",
            "resources": _ENGINES,
            "securityContext": {"privileged": True, "runAsUser": 0, "runAsGroup": 0},
            "volumeMounts": [
                {"name": "build", "mountPath": "/c2t/build"},
                {"name": "engine", "mountPath": "/var/lib/docker"},
            ],
        }

    def _build(self) -> dict[str, Any]:
        variables = {"DOCKER_HOST": _SOCKET, "HOME": "/c2t/desk"}
        if self.registry.secret is not None:
            variables["DOCKER_CONFIG"] = "/c2t/registry"
        if self.index is not None:
            variables["UV_DEFAULT_INDEX"] = self.index
        main = trusted(
            BUILD, self.image, [BUILD], [{"name": "build", "mountPath": "/c2t/build"}, *self.registry.mounts()]
        )
        main["env"] = [{"name": name, "value": value} for name, value in variables.items()]
        if self.index_secret is not None:
            main["envFrom"] = [{"secretRef": {"name": self.index_secret}}]
        main["resources"] = _BUILDS
        main["securityContext"] = {
            **powerless(read_only=True),
            "capabilities": {"drop": ["ALL"], "add": _OWNS},
            "runAsUser": 0,
            "runAsGroup": 0,
        }
        return main


def _name(subject: Subject, key: str, step: int, attempt: int) -> str:
    return names.job_name(subject.kind, subject.name, subject.uid, key, step, attempt)


def _secret(name: str, **told: Any) -> dict[str, Any]:
    """A Secret that need not be there: a pod that waits for one says nothing, one that misses it does."""
    return {"secretName": name, "defaultMode": 0o440, "optional": True, **told}
