"""The container engine that a build drives: a sidecar of its pod, or one outside of the cluster. Pure.

A sidecar must be privileged, ends with the build and shares a folder with it. One outside is reached by TLS
alone, since whoever may use an engine is root on its machine, and must see that folder at the same path.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from change2task.api.model import Model

Json = dict[str, Any]
EngineKind = Literal["dind", "podman", "external"]
SOCKET: Final = "unix:///c2t/build/docker.sock"
BUILD_FOLDER: Final = "CHANGE2TASK_BUILD_FOLDER"
"""Variable: the folder below /c2t/build that is this build's alone, where others have theirs there too."""
ENGINE_SECRET: Final = "CHANGE2TASK_ENGINE_SECRET"  # noqa: S105 - the name of a variable
"""Variable: the Secret by which an engine outside is reached, for messages."""
_TRUSTED_FOLDERS = "/etc/ssl/certs:/c2t/authorities"
_RESOURCES: Json = {
    "requests": {"cpu": "200m", "memory": "1Gi"},
    "limits": {"memory": "12Gi", "ephemeral-storage": "64Gi"},
}
_PODMAN = (
    'test -z "${INSECURE_REGISTRY:-}" || printf \'[[registry]]\\nlocation = "%s"\\ninsecure = true\\n\''
    ' "$INSECURE_REGISTRY" >/etc/containers/registries.conf.d/50-change2task.conf;'
    ' rm -f "${DOCKER_HOST#unix://}"; exec podman system service --time=0 "$DOCKER_HOST"'
)
_KEPT = {"dind": "/var/lib/docker", "podman": "/var/lib/containers"}
_PAIR = (("ca.crt", "ca.pem"), ("tls.crt", "cert.pem"), ("tls.key", "key.pem"))
"""Keys of a Secret of type kubernetes.io/tls, and the names under which engines' clients look for them."""


class ExternalEngine(Model):
    """An engine outside: ``host`` is tcp://NAME:PORT, ``secret`` and ``claim`` are of the builds' namespace.

    ``secret`` (kubernetes.io/tls with ca.crt) says who may use it and who it is. ``claim`` names a
    PersistentVolumeClaim whose volume lies at /c2t/build on the engine's machine too.
    """

    host: str = Field(pattern=r"^tcp://[^\s/@]+:[0-9]+$", max_length=512)
    secret: str = Field(min_length=1, max_length=253)
    claim: str = Field(min_length=1, max_length=253)


def sidecar(kind: EngineKind, image: str, *, insecure: str | None, authorities: bool) -> Json:
    """The container of an engine beside a build; ``insecure`` is a registry that speaks plain HTTP."""
    variables: dict[str, str] = {}
    told: Json = {"name": "engine", "image": image}
    if kind == "podman":
        told["command"] = ["/bin/sh", "-euc", _PODMAN]
        variables["DOCKER_HOST"] = SOCKET
        variables |= {} if insecure is None else {"INSECURE_REGISTRY": insecure}
    else:
        told["args"] = [] if insecure is None else [f"--insecure-registry=http://{insecure}"]
    mounts = [{"name": "build", "mountPath": "/c2t/build"}, {"name": "engine", "mountPath": _KEPT[kind]}]
    if authorities:
        variables["SSL_CERT_DIR"] = _TRUSTED_FOLDERS
        mounts.append({"name": "authorities", "mountPath": "/c2t/authorities", "readOnly": True})  # type: ignore[dict-item]
    if variables:
        told["env"] = [{"name": name, "value": value} for name, value in variables.items()]
    return {
        **told,
        "restartPolicy": "Always",
        "resources": _RESOURCES,
        "securityContext": {"privileged": True, "runAsUser": 0, "runAsGroup": 0},
        "volumeMounts": mounts,
    }


def variables_of(external: ExternalEngine | None, job: str) -> dict[str, str]:
    """What a build's main container is told of its engine."""
    if external is None:
        return {"DOCKER_HOST": SOCKET}
    return {
        "DOCKER_HOST": external.host,
        "DOCKER_TLS_VERIFY": "1",
        "DOCKER_CERT_PATH": "/c2t/engine",
        ENGINE_SECRET: external.secret,
        BUILD_FOLDER: f"/c2t/build/{job}",
    }


def volumes_of(external: ExternalEngine | None) -> list[Json]:
    """The folder that a build shares with its engine, and what the engine keeps or is reached by."""
    if external is None:
        return [
            {"name": "build", "emptyDir": {"sizeLimit": "48Gi"}},
            {"name": "engine", "emptyDir": {"sizeLimit": "64Gi"}},
        ]
    items = [{"key": key, "path": path} for key, path in _PAIR]
    secret = {"secretName": external.secret, "defaultMode": 0o440, "optional": True, "items": items}
    return [
        {"name": "build", "persistentVolumeClaim": {"claimName": external.claim}},
        {"name": "engine", "secret": secret},
    ]
