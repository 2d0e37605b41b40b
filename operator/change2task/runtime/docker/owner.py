"""Whose a container is, so that containers of programs that died are found and nobody else's is ever touched.

It exists because an engine keeps containers running when the program that started them is gone. A program is told by
its number, its start, its process namespace and the machine's boot, which together are never used twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import structlog
from docker.errors import APIError

from change2task.runtime import supervise
from change2task.runtime.docker.engine import Engine

LABEL = "change2task.dev/owner"
_OTHERS_REMOVE_IT = {404, 409}

log = structlog.get_logger(__name__)


def this_program() -> str:
    """The label's value for containers of this program."""
    process = supervise.process(os.getpid())
    assert process is not None
    return f"{_boot()}.{_namespace()}.{process.pid}.{process.started}"


def dead(owner: str, *, running: bool) -> bool:
    """Whether the program that a container's label names is surely gone; False where that cannot be known from here.

    After the machine has started anew its containers do not run, so one that does is another machine's.
    """
    parts = owner.split(".")
    if len(parts) != 4 or not (parts[2].isdigit() and parts[3].isdigit()):
        return False
    boot, namespace, pid, started = parts
    if boot != _boot():
        return not running
    return namespace == _namespace() and not supervise.alive(supervise.Process(int(pid), int(started)))


def sweep(engine: Engine) -> None:
    """Remove what programs that are gone have left: containers, and layers of images that were never finished.

    What cannot be removed is left to the next sweep, and said.
    """
    client = engine.client
    for container in client.containers(all=True, filters={"label": LABEL}):
        if dead(container["Labels"].get(LABEL, ""), running=container["State"] == "running"):
            _remove("container", container["Id"], partial(client.remove_container, force=True, v=True))
    for image in client.images(filters={"label": LABEL, "dangling": True}):
        if dead((image["Labels"] or {}).get(LABEL, ""), running=False):
            _remove("image", image["Id"], partial(client.remove_image, noprune=True))


def _remove(kind: str, identity: str, remove: Callable[[str], object]) -> None:
    log.info("engine.left_behind", kind=kind, id=identity)
    try:
        remove(identity)
    except APIError as error:
        if error.status_code not in _OTHERS_REMOVE_IT:
            log.warning("engine.not_removed", kind=kind, id=identity, error=str(error.explanation))


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)
