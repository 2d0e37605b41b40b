"""What the engine is told of a container: everything a command sees and may spend, as one document.

It exists so that all of it can be read off a test. `configuration` is pure. The command's environment is set by `env`
inside, because the engine would add to it what the image says; its folder is entered there too, because the engine
would make one that is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from change2task.api.model import Model
from change2task.runtime.docker.engine import Facts
from change2task.runtime.launch import OPEN_FILES, file_bytes
from change2task.runtime.models import Command, Layout, Mount

HOSTNAME = "c2t"
NO_FOLDER = 125
_SMALL_TMPFS = 64 << 20
# Beyond what the watch allows, so that it sees the excess and can name it.
_TASKS_PER_PROCESS = 32
_MORE_TASKS = 128
# Both outputs are one pipe, or the engine would mix up what was printed first.
_ENTER = 'exec 2>&1; cd "$2" 2>/dev/null || { echo "$1"; exit 125; }; unset OLDPWD; shift 2; exec "$@"'
# What package managers and installers need of root, and no more: to own, to read and to become whom they want.
_SETUP_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID")


class Role(Model):
    """As whom a command runs: ``user`` as uid:gid, its capabilities, and whether the image's files are read-only."""

    user: str
    capabilities: tuple[str, ...] = ()
    read_only: bool = True


SETUP = Role(user="0:0", capabilities=_SETUP_CAPABILITIES, read_only=False)


def configuration(
    command: Command,
    *,
    image: str,
    volumes: Iterable[str],
    role: Role,
    facts: Facts,
    layout: Layout,
    network: str,
    labels: Mapping[str, str],
    mark: str,
) -> dict[str, Any]:
    """The body of the engine's request for a container that runs ``command``.

    ``volumes`` are the image's own, which would else be writable without a bound. ``network`` is the one for commands
    that ask for it. ``mark`` is what is printed, with exit code 125, where the command's folder does not exist.
    """
    limits = command.limits
    return {
        "Image": image,
        "Hostname": HOSTNAME,
        "User": role.user,
        "WorkingDir": "/",
        "Entrypoint": ["/usr/bin/env", "-i", "--", *(f"{name}={value}" for name, value in command.env.items())],
        "Cmd": ["/bin/sh", "-c", _ENTER, "sh", mark, command.cwd, *command.argv],
        "Tty": False,
        "OpenStdin": False,
        "AttachStdout": True,
        "AttachStderr": True,
        "Healthcheck": {"Test": ["NONE"]},
        "Labels": dict(labels),
        "HostConfig": {
            "NetworkMode": network if command.network else "none",
            "IpcMode": "private",
            "ReadonlyRootfs": role.read_only,
            "CapDrop": ["ALL"],
            "CapAdd": list(role.capabilities),
            "SecurityOpt": ["no-new-privileges"],
            "Memory": limits.memory_bytes if facts.memory else 0,
            "MemorySwap": limits.memory_bytes if facts.memory and facts.swap else 0,
            "PidsLimit": limits.processes * _TASKS_PER_PROCESS + _MORE_TASKS if facts.pids else 0,
            "Ulimits": [
                {"Name": "core", "Soft": 0, "Hard": 0},
                {"Name": "nofile", "Soft": OPEN_FILES, "Hard": OPEN_FILES},
                {"Name": "fsize", "Soft": file_bytes(limits), "Hard": file_bytes(limits)},
            ],
            "Mounts": [_bind(mount) for mount in command.mounts],
            **_temporary(command, volumes, layout),
            "Init": False,
            "LogConfig": {"Type": "none"},
            "RestartPolicy": {"Name": "no"},
            "UsernsMode": "host" if facts.remapped else "",
        },
    }


def _bind(mount: Mount) -> dict[str, Any]:
    return {"Type": "bind", "Source": str(mount.source), "Target": mount.target, "ReadOnly": not mount.writable}


def _temporary(command: Command, volumes: Iterable[str], layout: Layout) -> dict[str, Any]:
    """Fresh and bounded folders in memory: /tmp, /dev/shm, the image's volumes, and home where none is mounted."""
    size = min(command.limits.disk_bytes, command.limits.memory_bytes)
    small = min(size, _SMALL_TMPFS)
    sizes = {layout.tmp: size, layout.home: small} | {volume.rstrip("/"): small for volume in volumes}
    targets = {mount.target for mount in command.mounts}
    return {
        "Tmpfs": {
            path: f"rw,exec,nosuid,nodev,mode=1777,size={bound}" for path, bound in sizes.items() if path not in targets
        },
        "ShmSize": size,
    }
