"""A sandbox of containers: each command in a fresh one of a Docker engine, without network, powers or a writable root.

It exists for projects that need an image of their own: system packages, another libc, a language this machine lacks.
Mounts are folders of this machine, so the engine must run on it (or see its files at the same paths). What the
engine's kernel cannot limit is found out on connecting and said in ``isolation``.

Not closed: whoever may use the engine is as good as root on its machine, so the engine is never shown to a command.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Self

from docker.errors import APIError, ImageNotFound

from change2task.runtime import local
from change2task.runtime.disk import RESERVE_BYTES
from change2task.runtime.docker import owner, watcher
from change2task.runtime.docker.container import Role, configuration
from change2task.runtime.docker.engine import FAULTS, Engine, Facts
from change2task.runtime.docker.ownership import give
from change2task.runtime.docker.run import Contained
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Command, Isolation, Layout, Outcome
from change2task.runtime.pipes import Pipe

IMAGE_VARIABLE = "CHANGE2TASK_DOCKER_IMAGE"
NETWORK_VARIABLE = "CHANGE2TASK_DOCKER_NETWORK"
_USER = "1000:1000"
_ROOT = "0:0"


def isolation(facts: Facts, network: str) -> Isolation:
    """What containers of an engine like this enforce; ``network`` is the one for commands that ask for it."""
    said = [
        "processor: a command may use every processor for its whole time",
        "files in /tmp and /dev/shm are bounded by their own size and count as memory",
        "disk: folders are looked at some times a second, not held by the kernel; all else is read-only",
        "names: the host paths of mounted folders can be read in /proc/self/mountinfo, their neighbours cannot",
        f"a command that asks for the network reaches all that Docker's network {network!r} reaches",
    ]
    if not facts.seccomp:
        said.append("kernel: this engine filters no system calls, so a fault of the kernel can be reached")
    if not facts.memory:
        said.append("memory: this engine's kernel cannot limit it; it is looked at where processes can be seen")
    elif not facts.swap:
        said.append("memory: swap is not counted, this engine's kernel cannot limit it")
    if not facts.pids:
        said.append("number of processes: this engine's kernel cannot limit it; it is looked at where they can be seen")
    if facts.rootless:
        said.append("user: a rootless engine's commands run as its root, without any capability")
    return Isolation(
        filesystem=True,
        network=True,
        processes=True,
        main_process=True,
        memory=facts.memory,
        process_count=facts.pids,
        disk=True,
        fixed_paths=True,
        fresh_temporary=True,
        not_enforced=tuple(said),
    )


def user(facts: Facts, uid: int, gid: int) -> str:
    """As whom commands run: not as root, but as whoever can own this program's folders."""
    if facts.rootless:
        return _ROOT  # which is this user outside
    return _USER if uid == 0 else f"{uid}:{gid}"


class DockerSandbox:
    """Runs commands in containers; ``image`` is for commands that name none.

    ``sources`` says by an image's name where it is really pulled from.
    """

    name = "docker"
    layout = Layout.fixed()

    def __init__(
        self,
        engine: Engine,
        *,
        image: str | None = None,
        network: str = "bridge",
        reserve_bytes: int = RESERVE_BYTES,
        sources: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.engine, self.image, self.network, self.sources = engine, image, network, sources
        self.isolation = isolation(engine.facts, network)
        self.user = user(engine.facts, os.geteuid(), os.getegid())
        self._reserve = reserve_bytes
        self._labels = {owner.LABEL: owner.this_program()}
        self._volumes: dict[str, tuple[str, ...]] = {}

    @classmethod
    def connect(
        cls,
        environ: Mapping[str, str] = os.environ,
        *,
        reserve_bytes: int = RESERVE_BYTES,
        sources: Mapping[str, str] = MappingProxyType({}),
    ) -> Self:
        """A sandbox on the engine that the environment names, cleared of what dead programs left there.

        CHANGE2TASK_DOCKER_IMAGE is the image where none is said, CHANGE2TASK_DOCKER_NETWORK the network of setup steps
        (bridge). Raises SandboxError.
        """
        engine = Engine.connect(environ)
        owner.sweep(engine)
        return cls(
            engine,
            image=environ.get(IMAGE_VARIABLE) or None,
            network=environ.get(NETWORK_VARIABLE) or "bridge",
            reserve_bytes=reserve_bytes,
            sources=sources,
        )

    @property
    def containers(self) -> DockerSandbox:
        """See Sandbox.containers."""
        return self

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """See Sandbox.run. Raises SandboxError for a command without an image where none is set."""
        try:
            for mount in command.mounts:
                if mount.writable and mount.source.exists():
                    give(mount.source, self.user)
        except OSError as error:
            return Outcome(seconds=0, infrastructure=f"a folder cannot be given to the command's user: {error}")
        return self.run_as(Role(user=self.user), command, cancel=cancel)

    def run_as(
        self,
        role: Role,
        command: Command,
        *,
        cancel: threading.Event | None = None,
        keep: Callable[[str], None] | None = None,
    ) -> Outcome:
        """Run a command in a role; folders must be its user's already.

        ``keep`` gets the id of the container of a command that ended well, before it is removed.
        """
        image = command.image or self.image
        if image is None:
            raise SandboxError(
                f"a container needs an image: say one in spec.environment.image, or for all in {IMAGE_VARIABLE}"
            )
        started: list[Contained] = []

        def start(status: Pipe, output: Pipe) -> Contained:
            mark = f"c2t-{secrets.token_hex(8)}: there is no folder {command.cwd} in the container"
            body = configuration(
                command,
                image=image,
                volumes=self._volumes_of(image),
                role=role,
                facts=self.engine.facts,
                layout=self.layout,
                network=self.network,
                labels=self._labels,
                mark=mark,
            )
            watcher.watch(self.engine.environ)
            started.append(Contained(self.engine, body, mark, status, output, keep))
            return started[0]

        def written() -> int:
            return 0 if role.read_only else started[0].written()

        try:
            outcome = local.run(command, start, reserve_bytes=self._reserve, cancel=cancel, written=written)
        except FAULTS as error:
            return Outcome(seconds=0, infrastructure=_sentence(error, image, self.engine))
        if started and started[0].out_of_memory and outcome.stopped_by is None:
            return outcome.replacing(stopped_by="memory", exit_code=None, signal=None)
        return outcome

    def _volumes_of(self, image: str) -> tuple[str, ...]:
        if image not in self._volumes:
            configured = self.engine.client.inspect_image(image)["Config"]  # type: ignore[no-untyped-call]
            self._volumes[image] = tuple(configured.get("Volumes") or ())
        return self._volumes[image]


def _sentence(error: BaseException, image: str, engine: Engine) -> str:
    """What an engine's refusal means and what can be done."""
    if isinstance(error, ImageNotFound):
        return f"image {image} is not on the Docker engine any more; run again, and its base is built anew"
    text = str(error.explanation if isinstance(error, APIError) and error.explanation else error)
    if "bind source path does not exist" in text:
        return (
            f"the Docker engine does not see this machine's files ({text}); it must run on this machine, or have the"
            " store's folder at the same path"
        )
    if "/usr/bin/env" in text or "/bin/sh" in text:
        return f"image {image} has no /usr/bin/env or no /bin/sh, which commands need ({text}); take one with a shell"
    return f"the Docker engine could not run the command: {text}"
