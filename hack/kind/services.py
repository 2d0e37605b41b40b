"""What pods may talk to: a registry, a git server and a package index, all on the cluster's own network.

Names below c2t.test are the engine's to resolve, so nodes and pods know them; the host reaches the registry alone, as
localhost. Only the package index has a second leg, to the outside, and it forwards no packets.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from hack.demo.fetch import configured_index, pip_settings
from hack.kind.commands import ClusterError, run, step, wait_until
from hack.kind.engine import Engine
from hack.kind.images import BUSYBOX, TOOLS, tool_images
from hack.kind.settings import Settings
from hack.layers import Image, write_archive

CONTAINERS = ("change2task-registry", "change2task-git", "change2task-index")
GIT = "http://git.c2t.test"
INDEX = "http://index.c2t.test:5000/index/"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
GIT_COMMAND = (
    "lighttpd -f /etc/lighttpd/git.conf && exec git daemon --export-all --reuseaddr --base-path=/srv/git /srv/git"
)


def load(engine: Engine, image: Image) -> None:
    """Give an image to the engine, unless it has it."""
    if engine.has_image(image.identity) and engine.has_image(image.names[0]):
        return
    with step(f"image {image.names[0]}"):
        server = subprocess.Popen(
            ("docker", "load", "--quiet"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=engine.environment,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            write_archive(server.stdin, [image])
            server.stdin.close()
        except BrokenPipeError:
            pass  # the engine's own words, below, say why it hung up
        told = server.stdout.read().decode(errors="replace")
        if server.wait():
            raise ClusterError(f"the engine does not take {image.names[0]}: {told.strip()}")
    _forget_older(engine, image)


def _forget_older(engine: Engine, image: Image) -> None:
    """Remove earlier images of the same repository that no container runs."""
    repository = image.names[0].rpartition(":")[0]
    listed = engine.docker("image", "ls", "--no-trunc", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}", repository)
    for name, identity in (line.split() for line in listed.splitlines()):
        if identity != image.identity and not engine.docker("ps", "--quiet", "--filter", f"ancestor={identity}"):
            engine.docker("image", "rm", name)


def load_tools(settings: Settings, engine: Engine) -> None:
    """The images that services and tests run."""
    for image in tool_images(settings):
        load(engine, image)


def make_networks(settings: Settings, engine: Engine) -> None:
    """The cluster's network under a bridge whose name the fence knows, and the way out for the package index."""
    for network, bridge, subnet in (
        (settings.network, settings.bridge, settings.subnet),
        (settings.outside_network, f"{settings.bridge}-out", settings.outside_subnet),
    ):
        if not engine.has_network(network):
            named = ("--opt", f"com.docker.network.bridge.name={bridge}")
            engine.docker("network", "create", "--subnet", subnet, *named, network)


def start_services(settings: Settings, engine: Engine, histories: Mapping[str, Path]) -> None:
    """All three, answering; those that run already are left as they are."""
    registry, git, index = CONTAINERS
    repositories = git_folder(settings)
    for name, history in histories.items():
        _serve(history, repositories / f"{name}.git")
    published = f"127.0.0.1:{settings.registry_port}:{settings.registry_port}"
    _run(
        *(settings, engine, registry, "registry.c2t.test", "--publish", published),
        command=("docker-registry", "serve", "/etc/docker/registry/hack.yml"),
    )
    _run(
        *(settings, engine, git, "git.c2t.test", "--volume", f"{repositories}:/srv/git:ro"),
        command=("/bin/sh", "-c", GIT_COMMAND),
    )
    _run_index(settings, engine, index)
    for container, check in (
        (registry, f"http://localhost:{settings.registry_port}/v2/"),
        (git, "http://localhost/"),
        (index, "http://localhost:5000/"),
    ):
        _wait(engine, container, check)
    _push(settings, engine, BUSYBOX)


def remove_services(settings: Settings, engine: Engine) -> None:
    """The containers with what they held, and the networks."""
    for container in CONTAINERS:
        engine.remove(container)
    for network in (settings.network, settings.outside_network):
        if engine.has_network(network):
            engine.docker("network", "rm", network)
    told = ("--digests", "--format", "{{.Repository}} {{.Tag}} {{.Digest}}")
    pushed = pushed_names(engine.docker("image", "ls", *told, f"{settings.registry_on_host}/*"))
    if pushed:
        engine.docker("image", "rm", *pushed)
    if engine.ours:
        engine.docker("image", "prune", "--force")
    shutil.rmtree(git_folder(settings), ignore_errors=True)


def pushed_names(listed: str) -> list[str]:
    """What images are removed by, of lines with repository, tag and digest; a tag that moved on leaves a digest."""
    lines = (line.split() for line in listed.splitlines())
    return sorted({f"{name}@{digest}" if tag == "<none>" else f"{name}:{tag}" for name, tag, digest in lines})


def address(engine: Engine, network: str, container: str) -> str:
    """A container's address on a network."""
    told = json.loads(engine.docker("inspect", "--format", "{{json .NetworkSettings.Networks}}", container))
    return str(told[network]["IPAddress"])


def git_folder(settings: Settings) -> Path:
    """What the git server serves; a repository put here is served at once."""
    return settings.cache / "git"


def _serve(history: Path, target: Path) -> None:
    """Bring one history up to date; pods read a copy, which tests may change."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    run("git", "clone", "--quiet", "--mirror", "--no-hardlinks", history, target)


def _run(settings: Settings, engine: Engine, name: str, alias: str, *options: str, command: tuple[str, ...]) -> None:
    if engine.is_running(name):
        return
    engine.remove(name)
    on_network = ("--network", settings.network, "--network-alias", alias)
    engine.docker("run", "--detach", "--name", name, *on_network, *options, TOOLS, *command)


def _run_index(settings: Settings, engine: Engine, name: str) -> None:
    if engine.is_running(name):
        return
    engine.remove(name)
    options = [
        *("--network", settings.outside_network, "--sysctl", "net.ipv4.ip_forward=0"),
        *(
            "--env",
            "PYTHONPATH=/opt/index",
        ),
        *("--env", f"PROXPI_INDEX_URL={configured_index(os.environ, pip_settings())}"),
    ]
    if CERTIFICATES.is_file():  # a company's index answers under the company's own authority
        options += ["--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro", "--env", f"REQUESTS_CA_BUNDLE={CERTIFICATES}"]
    serve = ("python3", "-m", "flask", "--app", "proxpi.server", "run", "--host=0.0.0.0", "--port=5000")
    engine.docker("create", "--name", name, *options, TOOLS, *serve)
    engine.docker("network", "connect", "--alias", "index.c2t.test", settings.network, name)
    engine.docker("start", name)


def _wait(engine: Engine, container: str, address: str) -> None:
    def answers() -> bool:
        if not engine.is_running(container):
            raise ClusterError(f"{container} ended: {engine.docker('logs', '--tail', '10', container).strip()}")
        told = engine.docker(
            "exec", container, "sh", "-c", f"curl -s -o /dev/null -w '%{{http_code}}' {address} || true"
        )
        return told.strip() not in ("", "000")

    wait_until(f"{container} answers", answers, seconds=30, way_out=f"docker logs {container}")


def _push(settings: Settings, engine: Engine, image: str) -> None:
    name = f"{settings.registry_on_host}/{image.split('/', 1)[1]}"
    engine.docker("tag", image, name)
    engine.docker("push", "--quiet", name)
