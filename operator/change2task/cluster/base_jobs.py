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
from change2task.cluster.engines import EngineKind, ExternalEngine, sidecar, variables_of, volumes_of
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
AUTHORITIES: Final = "CHANGE2TASK_AUTHORITIES"
"""Variable: the ConfigMap of authorities, for messages."""
INDEX_SECRET: Final = "CHANGE2TASK_INDEX_SECRET"  # noqa: S105 - the name of a variable
"""Variable: the Secret of the package index, for messages."""
_BUILDS: dict[str, Any] = {
    "requests": {"cpu": "100m", "memory": "256Mi"},
    "limits": {"memory": "4Gi", "ephemeral-storage": "8Gi"},
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


def _authorities(name: str | None) -> list[dict[str, Any]]:
    """The volume of a ConfigMap of authorities (ca.crt), if there is to be one."""
    if name is None:
        return []
    return [{"name": "authorities", "configMap": {"name": name, "defaultMode": 0o444, "optional": True}}]


def _with_authorities(container: dict[str, Any], name: str | None) -> None:
    """Show them to a container of ours, and say what they are called where they lack."""
    if name is not None:
        mount = {"name": "authorities", "mountPath": "/c2t/authorities", "readOnly": True}
        container["volumeMounts"] = [*container["volumeMounts"], mount]
        container["env"] = [*container.get("env", ()), {"name": AUTHORITIES, "value": name}]


class FetchJob(Model):
    """Everything that a fetch depends on. ``image`` is the runner with what is asked for in it.

    ``credentials`` names the Secret with git's credentials, ``authorities`` a ConfigMap with those of private hosts.
    """

    subject: Subject
    key: str
    step: int
    attempt: int
    image: str
    registry: RegistryAccess
    credentials: str | None = None
    authorities: str | None = None
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
            volumes=[scratch("desk", "16Gi"), scratch("temporary", "16Gi"), *volumes, *_authorities(self.authorities)],
        )
        _with_authorities(made["containers"][0], self.authorities)
        # A large history is held twice on disk, and once more as a layer.
        limits = {"limits": {"memory": "4Gi", "ephemeral-storage": "32Gi"}}
        made["containers"][0]["resources"] = {**made["containers"][0]["resources"], **limits}
        told = {**made, **placed_by(self.template), **named_by(self.template)}
        return job(self.name, self.subject.namespace, self.subject, self.key, self.labels, self.seconds, told)


class BuildJob(Model):
    """Everything that a build depends on. ``image`` is the history or step image with what is asked for in it.

    ``builder`` is the image of the engine's sidecar, ``external`` the engine where there is none. ``index`` is the
    package index that setup reaches, ``index_secret`` names a Secret of the builds' namespace with its credentials
    (``pods.indexes``), ``authorities`` a ConfigMap there with those of private hosts.
    """

    subject: Subject
    key: str
    step: int
    attempt: int
    namespace: str
    image: str
    engine: EngineKind = "dind"
    builder: str = ""
    external: ExternalEngine | None = None
    registry: RegistryAccess
    index: str | None = None
    index_secret: str | None = None
    authorities: str | None = None
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
            init=[] if self.external is not None else [self._engine()],
            main=self._build(),
            volumes=[
                *volumes_of(self.external),
                scratch("desk", "1Gi"),
                scratch("temporary", "8Gi"),
                *self.registry.volumes(),
                *([] if self.index_secret is None else [{"name": "index", "secret": _secret(self.index_secret)}]),
                *_authorities(self.authorities),
            ],
        )
        told = {**made, **placed_by(self.template)}
        return job(self.name, self.namespace, self.subject, self.key, self.labels, self.seconds, told)

    def _engine(self) -> dict[str, Any]:
        insecure = self.registry.host if self.registry.insecure else None
        return sidecar(self.engine, self.builder, insecure=insecure, authorities=self.authorities is not None)

    def _build(self) -> dict[str, Any]:
        variables = {**variables_of(self.external, self.name), "HOME": "/c2t/desk"}
        if self.registry.secret is not None:
            variables["DOCKER_CONFIG"] = "/c2t/registry"
        if self.index is not None:
            variables["UV_DEFAULT_INDEX"] = self.index
        mounts = [{"name": "build", "mountPath": "/c2t/build"}, *self.registry.mounts()]
        if self.external is not None:
            mounts.append({"name": "engine", "mountPath": "/c2t/engine", "readOnly": True})
        if self.index_secret is not None:
            mounts.append({"name": "index", "mountPath": "/c2t/index", "readOnly": True})
            variables[INDEX_SECRET] = self.index_secret
        main = trusted(BUILD, self.image, [BUILD], mounts)
        main["env"] = [{"name": name, "value": value} for name, value in variables.items()]
        _with_authorities(main, self.authorities)
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
