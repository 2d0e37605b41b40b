"""The container engine: the one that is there, else a Docker of our own with everything it owns in the cache folder.

Our own is started with no bridge but the networks that hack/ makes, and when it is stopped the firewall is again as it
was: Docker leaves its chains, the FORWARD policy and a kernel setting behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hack.kind.commands import ClusterError, CommandFailed, run, step, succeeds, wait_until
from hack.kind.settings import FILES, Settings

CAP_SYS_RESOURCE = 24
CONTROL_GROUPS = Path("/sys/fs/cgroup")
CONTROL_GROUP = "change2task-kind"


@dataclass(frozen=True)
class Engine:
    """How to speak to an engine; ``ours`` when it was started here and must be stopped here."""

    environment: Mapping[str, str]
    ours: bool

    def docker(self, *words: str | Path, stdin: bytes | None = None, seconds: float = 300) -> str:
        """Run the docker command on this engine."""
        return run("docker", *words, stdin=stdin, env=self.environment, seconds=seconds)

    def has_image(self, name: str) -> bool:
        """Whether the engine holds an image of this name or identity."""
        return succeeds("docker", "image", "inspect", name, env=self.environment)

    def is_running(self, container: str) -> bool:
        """Whether a container of this name runs."""
        try:
            return self.docker("inspect", "--format", "{{.State.Running}}", container).strip() == "true"
        except CommandFailed:
            return False

    def remove(self, container: str) -> None:
        """Remove a container with its volumes, running or not; nothing when there is none."""
        if succeeds("docker", "container", "inspect", container, env=self.environment):
            self.docker("rm", "--force", "--volumes", container)

    def has_network(self, name: str) -> bool:
        """Whether there is a network of this name."""
        return succeeds("docker", "network", "inspect", name, env=self.environment)


def running_engine(settings: Settings) -> Engine | None:
    """The engine that the environment names, else ours if it runs, else nothing."""
    ambient = dict(os.environ)
    if succeeds("docker", "version", env=ambient, seconds=20):
        return Engine(ambient, ours=_pid(settings) is not None and ambient.get("DOCKER_HOST") == _address(settings))
    own = {**ambient, "DOCKER_HOST": _address(settings)}
    if _pid(settings) is not None and succeeds("docker", "version", env=own, seconds=20):
        return Engine(own, ours=True)
    return None


def start_engine(settings: Settings) -> Engine:
    """The running engine, or our own, started."""
    if found := running_engine(settings):
        return found
    if shutil.which("dockerd") is None:
        raise ClusterError("no container engine answers and dockerd is not installed; Debian's package is docker.io")
    with step("container engine"):
        folder = _folder(settings)
        folder.mkdir(parents=True, exist_ok=True)
        log = settings.logs / "dockerd.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        words = [
            *("dockerd", "--host", _address(settings), "--pidfile", str(_pidfile(settings))),
            *("--data-root", str(folder / "data"), "--exec-root", str(folder / "run")),
            *(
                "--bridge",
                "none",
                "--cgroup-parent",
                f"/{CONTROL_GROUP}",
                "--config-file",
                str(_configuration(settings)),
            ),
            *(_runtime(folder) if _lacks(CAP_SYS_RESOURCE) else ()),
        ]
        with log.open("wb") as stream:
            server = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
            )
        engine = Engine({**os.environ, "DOCKER_HOST": _address(settings)}, ours=True)

        def answers() -> bool:
            if server.poll() is not None:
                raise ClusterError(f"dockerd ended with {server.returncode}; its log: {log}")
            return succeeds("docker", "version", env=engine.environment, seconds=20)

        wait_until("dockerd answers", answers, seconds=60, way_out=f"its log: {log}")
    return engine


def stop_engine(settings: Settings) -> None:
    """End our own engine; another one is left alone."""
    pid = _pid(settings)
    if pid is None:
        return
    with step("container engine stopped"):
        os.kill(pid, signal.SIGTERM)
        wait_until("dockerd has ended", lambda: _pid(settings) is None, seconds=60, way_out=f"its process is {pid}")
        _pidfile(settings).unlink(missing_ok=True)
        _remove_chains()
        _remove_control_groups()


def _remove_control_groups() -> None:
    """The empty folders of its containers' control groups, which an engine leaves."""
    for group in (*CONTROL_GROUPS.glob(f"*/{CONTROL_GROUP}"), CONTROL_GROUPS / CONTROL_GROUP):
        for folder, _, _ in os.walk(group, topdown=False):
            Path(folder).rmdir()


def _remove_chains() -> None:
    """Take out of the firewall what an engine made and left."""
    for table in ("filter", "nat"):
        rules = run("iptables", "-w", "-t", table, "-S").splitlines()
        for rule in rules:
            if rule.startswith("-A ") and "DOCKER" in rule:
                run("iptables", "-w", "-t", table, "-D", *rule.split()[1:])
        for rule in rules:
            if rule.startswith("-N DOCKER"):
                run("iptables", "-w", "-t", table, "-X", rule.split()[1])


def _folder(settings: Settings) -> Path:
    return settings.cache / "engine"


def _address(settings: Settings) -> str:
    return f"unix://{_folder(settings)}/socket"


def _pidfile(settings: Settings) -> Path:
    return _folder(settings) / "pid"


def _pid(settings: Settings) -> int | None:
    """The process of our engine, if it lives; a number that another process took since is not it."""
    try:
        pid = int(_pidfile(settings).read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return pid if str(_pidfile(settings)).encode() in command else None


def _configuration(settings: Settings) -> Path:
    """An empty one, so that the machine's own has no say."""
    path = _folder(settings) / "daemon.json"
    path.write_text("{}\n")
    return path


def _runtime(folder: Path) -> tuple[str, ...]:
    wrapper, runc = folder / "runc", shutil.which("runc")
    if runc is None:
        raise ClusterError("runc is not installed; Debian's package is runc")
    wrapper.write_text((FILES / "runc").read_text().replace("@PYTHON@", sys.executable).replace("@RUNC@", runc))
    wrapper.chmod(0o755)
    return ("--add-runtime", f"able={wrapper}", "--default-runtime", "able")


def _lacks(capability: int) -> bool:
    status = Path("/proc/self/status").read_text()
    bounding = next(line for line in status.splitlines() if line.startswith("CapBnd:"))
    return not int(bounding.split()[1], 16) >> capability & 1
