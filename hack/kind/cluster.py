"""The whole cluster, up and down: in an order in which no pod ever runs without its fence, and nothing stays behind."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict

from hack.demo.__main__ import histories
from hack.kind import host
from hack.kind.commands import ClusterError, CommandFailed, run, say, step, succeeds
from hack.kind.engine import Engine, running_engine, start_engine, stop_engine
from hack.kind.node import NAME, node_image
from hack.kind.programs import build_program, build_programs, module_folder
from hack.kind.requirements import DEBIAN_PACKAGE, DEBIAN_PACKAGE_TO_BUILD, ensure_programs
from hack.kind.services import (
    CONTAINERS,
    GIT,
    INDEX,
    address,
    git_folder,
    load,
    load_tools,
    make_networks,
    remove_services,
    start_services,
)
from hack.kind.settings import FILES, Settings, key


class Cluster(BaseModel):
    """What a test or an installation must know of a running cluster; written beside the kubeconfig as cluster.json."""

    model_config = ConfigDict(frozen=True)

    kubeconfig: Path
    docker_host: str | None
    node: str
    registry: str
    """The registry for nodes and pods."""
    registry_on_host: str
    """The registry for the host; nodes understand it too."""
    registry_address: str
    git: str
    git_folder: Path
    """A repository put here is served at once."""
    mirrors: Mapping[str, str]
    """A repository's address in the world, and where pods read it."""
    index: str
    kubectl: Path


def build(settings: Settings) -> None:
    """All images, without an engine; seconds when they are built already."""
    ensure_programs({**DEBIAN_PACKAGE, **DEBIAN_PACKAGE_TO_BUILD})
    with alone(settings):
        build_programs(settings)
        say(f"  node image {node_image(settings).names[0]}")


def up(settings: Settings) -> Cluster:
    """The cluster, answering. What runs already is kept."""
    ensure_programs({**DEBIAN_PACKAGE, **DEBIAN_PACKAGE_TO_BUILD})
    with alone(settings):
        with redirect_stdout(sys.stderr):
            repositories = histories()
        host.remember(settings)
        engine = start_engine(settings)
        host.prepare()
        image = _node(settings, engine)
        load_tools(settings, engine)
        with step("network, registry, git, package index"):
            make_networks(settings, engine)
            host.raise_fence(settings)
            start_services(settings, engine, {path.stem: path for path in repositories.values()})
        _create(settings, engine, image)
        with step("network policy, names"):
            _settle(settings)
        cluster = _describe(settings, engine, {url: f"{GIT}/{path.name}" for url, path in repositories.items()})
        description(settings).write_text(cluster.model_dump_json(indent=1))
        return cluster


def down(settings: Settings) -> None:
    """Remove all of it but the caches."""
    ensure_programs({"docker": DEBIAN_PACKAGE["docker"], "iptables": DEBIAN_PACKAGE["iptables"]})
    with alone(settings):
        engine = running_engine(settings)
        if engine is not None:
            with step("cluster, services, networks removed"):
                if (settings.bin / "kind").is_file():
                    _kind(settings, engine, "delete", "cluster", "--name", settings.name)
                remove_services(settings, engine)
        host.lower_fence(settings)
        stop_engine(settings)
        host.restore(settings)
        shutil.rmtree(settings.cache / "kubectl", ignore_errors=True)
        for file in (settings.kubeconfig, description(settings)):
            file.unlink(missing_ok=True)


def running(settings: Settings) -> Cluster | None:
    """The cluster that ``up`` made, if it answers."""
    try:
        cluster = Cluster.model_validate_json(description(settings).read_bytes())
    except (OSError, ValueError):
        return None
    return cluster if succeeds(*_client(settings), "get", "--raw=/readyz", "--request-timeout=5s") else None


def description(settings: Settings) -> Path:
    """Where ``up`` writes what it made."""
    return settings.cache / "cluster.json"


def _node(settings: Settings, engine: Engine) -> str:
    """The node image that the engine holds now: kind's own, or the one built here."""
    if settings.node != "build" and (settings.node == "pull" or not _was_built(settings)):
        build_program(settings, "kind")
        try:
            with step("kind's node image pulled"):
                engine.docker("pull", "--quiet", _kinds_own(settings), seconds=600)
        except CommandFailed as error:
            if settings.node == "pull":
                raise ClusterError(
                    f"kind's node image cannot be pulled; CHANGE2TASK_KIND_NODE=build builds one: {error}"
                ) from error
            say("  kind's node image cannot be pulled; building one (up to half an hour, once)")
        else:
            return _kinds_own(settings)
    build_programs(settings)
    image = node_image(settings)
    load(engine, image)
    return image.names[0]


def _was_built(settings: Settings) -> bool:
    """Whether a node image was built here before, so that pulling need not be tried again."""
    return (settings.cache / "layers" / "node-images.key").is_file()


def _kinds_own(settings: Settings) -> str:
    """The node image that this version of kind was released with, by digest."""
    source = module_folder(settings, "kind", "sigs.k8s.io/kind") / "pkg/apis/config/defaults/image.go"
    found = re.search(r'const Image = "([^"]+@sha256:[0-9a-f]{64})"', source.read_text())
    if found is None:
        raise ClusterError(f"{source} names no image; say CHANGE2TASK_KIND_NODE=build")
    return found[1]


def _create(settings: Settings, engine: Engine, image: str) -> None:
    if engine.is_running(settings.node_container) and settings.kubeconfig.is_file():
        return
    _kind(settings, engine, "delete", "cluster", "--name", settings.name)  # what a broken start left
    names = settings.cache / "certs.d"
    for name in (settings.registry_name, settings.registry_on_host):
        folder = names / name
        folder.mkdir(parents=True, exist_ok=True)
        folder.joinpath("hosts.toml").write_text(f'[host."http://{settings.registry_name}"]\n')
    node: dict[str, Any] = {
        "role": "control-plane",
        "image": image,
        "extraMounts": [{"hostPath": str(names), "containerPath": "/etc/containerd/certs.d", "readOnly": True}],
    }
    wanted: dict[str, Any] = {
        "kind": "Cluster",
        "apiVersion": "kind.x-k8s.io/v1alpha4",
        "name": settings.name,
        "networking": {"ipFamily": "ipv4", "apiServerAddress": "127.0.0.1"},
        "nodes": [node],
    }
    if not image.startswith(f"{NAME}:"):
        build_program(settings, "cni-plugins")
        mounted = {
            "/etc/cni/nonet.d/10-nonet.conflist": FILES / "10-nonet.conflist",
            "/opt/cni/bin/macvlan": settings.bin / "macvlan",
        }
        node["extraMounts"] += [
            {"hostPath": str(here), "containerPath": there, "readOnly": True} for there, here in mounted.items()
        ]
        wanted["containerdConfigPatches"] = [(FILES / "containerd-nonet.toml").read_text()]
    configuration = settings.cache / "kind.yaml"
    configuration.write_text(json.dumps(wanted, indent=1))
    with step("kind create cluster"):
        _kind(settings, engine, "create", "cluster", "--config", configuration)
    if not image.startswith(f"{NAME}:"):
        _complete(settings, engine)


def _complete(settings: Settings, engine: Engine) -> None:
    """Give kind's own node what a node built here has: the class of pods without a network, and its kubectl to us."""
    for words in (("link", "add", "nowhere", "type", "bridge"), ("link", "set", "nowhere", "up")):
        engine.docker("exec", settings.node_container, "ip", *words)
    engine.docker("cp", f"{settings.node_container}:/usr/bin/kubectl", settings.bin / "kubectl")
    nonet = next(part for part in (FILES / "network.yaml").read_text().split("---\n") if "kind: RuntimeClass" in part)
    _kubectl(settings, "apply", "-f", "-", stdin=nonet.encode())


def _settle(settings: Settings) -> None:
    hosting = {
        "host": settings.registry_on_host,
        "hostFromContainerRuntime": settings.registry_name,
        "hostFromClusterNetwork": settings.registry_name,
    }
    known = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "local-registry-hosting", "namespace": "kube-public"},
        "data": {"localRegistryHosting.v1": json.dumps(hosting)},
    }
    _kubectl(settings, "apply", "-f", "-", stdin=json.dumps(known).encode())
    names = (FILES / "Corefile").read_text()
    answering = {"template": {"metadata": {"annotations": {"change2task.dev/names": key(names)}}}, "replicas": 1}
    system = ("-n", "kube-system")
    _kubectl(
        settings, *system, "patch", "configmap/coredns", "--type=merge", "-p", json.dumps({"data": {"Corefile": names}})
    )
    _kubectl(
        settings, *system, "patch", "deployment/coredns", "--type=strategic", "-p", json.dumps({"spec": answering})
    )
    for daemon in ("kube-router", "kindnet"):
        if succeeds(*_client(settings), *system, "get", f"daemonset/{daemon}"):
            _kubectl(settings, *system, "rollout", "status", "--timeout=180s", f"daemonset/{daemon}")
    _kubectl(settings, *system, "rollout", "status", "--timeout=180s", "deployment/coredns")
    _kubectl(settings, "wait", "--timeout=180s", "--for=condition=Ready", "nodes", "--all")


def _describe(settings: Settings, engine: Engine, mirrors: Mapping[str, str]) -> Cluster:
    return Cluster(
        kubeconfig=settings.kubeconfig,
        docker_host=engine.environment.get("DOCKER_HOST"),
        node=settings.node_container,
        registry=settings.registry_name,
        registry_on_host=settings.registry_on_host,
        registry_address=address(engine, settings.network, CONTAINERS[0]),
        git=GIT,
        git_folder=git_folder(settings),
        mirrors=mirrors,
        index=INDEX,
        kubectl=settings.bin / "kubectl",
    )


def _kind(settings: Settings, engine: Engine, *words: str | Path) -> None:
    environment = {
        **engine.environment,
        "KUBECONFIG": str(settings.kubeconfig),
        "KIND_EXPERIMENTAL_PROVIDER": "docker",
        "KIND_EXPERIMENTAL_DOCKER_NETWORK": settings.network,
    }
    run(settings.bin / "kind", *words, env=environment, log=settings.logs / f"kind-{words[0]}.log", seconds=600)


def _client(settings: Settings) -> tuple[str | Path, ...]:
    return (settings.bin / "kubectl", "--kubeconfig", settings.kubeconfig, "--cache-dir", settings.cache / "kubectl")


def _kubectl(settings: Settings, *words: str, stdin: bytes | None = None) -> str:
    return run(*_client(settings), *words, stdin=stdin)


@contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """One at a time: a second start waits for the first and then finds its work done."""
    settings.cache.mkdir(parents=True, exist_ok=True)
    lock = FileLock(settings.cache / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say("  waiting for another start of this cluster")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
