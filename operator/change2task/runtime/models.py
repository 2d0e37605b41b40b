"""What a command may see, spend and answer: the values every sandbox shares.

They exist so that a caller plans a command once and any sandbox can run it. How the limits are kept is left to
the sandboxes; what an exit code means is left to whoever planned the command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from change2task.api.model import Model

StoppedBy = Literal["deadline", "memory", "processes", "disk", "cancelled"]


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("a NUL byte cannot be handed to a process")
    return text


def _absolute(path: str) -> str:
    parts = path.split("/")
    if path != "/" and (parts[0] or not parts[1:] or any(part in {"", ".", ".."} for part in parts[1:])):
        raise ValueError(f"{path!r} is not an absolute path in its plainest form, such as /c2t/work")
    return path


Word = Annotated[str, AfterValidator(_without_nul)]
InsidePath = Annotated[str, AfterValidator(_without_nul), AfterValidator(_absolute)]


def _mountable(path: str) -> str:
    if path == "/" or path.split("/")[1] in {"proc", "dev"}:
        raise ValueError(f"{path!r} belongs to the sandbox; mount elsewhere")
    return path


class Mount(Model):
    """One host folder or file, `source`, that the command sees at `target`."""

    source: Path
    target: Annotated[InsidePath, AfterValidator(_mountable)]
    writable: bool = False


class Limits(Model):
    """What one command may spend.

    `seconds` is wall-clock time. `memory_bytes` bounds the resident memory of all its processes together,
    `processes` their number (and on average 32 threads each). `disk_bytes` bounds what lies in all writable
    mounts together, what was there before included, and any single file. `output_bytes` bounds the log; more
    output is not an error, its middle is left out.
    """

    seconds: float = Field(gt=0)
    memory_bytes: int = Field(default=4 << 30, gt=0)
    processes: int = Field(default=512, gt=0)
    disk_bytes: int = Field(default=8 << 30, gt=0)
    output_bytes: int = Field(default=4 << 20, ge=2)


class Command(Model):
    """One process to start, with everything it gets: nothing is inherited.

    `image` is what a container starts from; only sandboxes of containers have images. `cwd` and paths in `argv` and
    `env` are paths as seen inside. `log` is a host path that receives standard
    output and standard error together, as bytes; None throws them away. Standard input is always empty.
    """

    argv: tuple[Word, ...] = Field(min_length=1)
    env: dict[Word, Word] = Field(default_factory=dict)
    cwd: InsidePath
    mounts: tuple[Mount, ...] = ()
    network: bool = False
    image: Word | None = None
    limits: Limits
    log: Path | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for name in self.env:
            if not name or "=" in name:
                raise ValueError(f"env: {name!r} is no name of an environment variable")
        targets = [mount.target for mount in self.mounts]
        for target in targets:
            if targets.count(target) > 1:
                raise ValueError(f"mounts: {target} is the target of two mounts; keep one of them")
        writable = [mount.target for mount in self.mounts if mount.writable]
        for outer in writable:
            for inner in targets:
                # What lies in a writable mount is not trusted: a link there would lead the inner mount astray.
                if inner.startswith(outer + "/"):
                    raise ValueError(f"mounts: {inner} lies inside {outer}, which is writable; mount it elsewhere")
        return self


class Outcome(Model):
    """How a command ended.

    Exactly one of `exit_code` and `signal` is set if the command ended by itself; neither need be if it was
    stopped. A shell's 128+n for a child killed by signal n cannot be told from the signal itself by every
    sandbox, so both are reported as `signal` by all. `infrastructure` is a sentence about a fault of the machine
    (the sandbox could not start, the host's disk is full): then nothing can be concluded about the command.
    """

    exit_code: int | None = None
    signal: int | None = None
    stopped_by: StoppedBy | None = None
    seconds: float
    output_truncated: bool = False
    infrastructure: str | None = None

    @property
    def succeeded(self) -> bool:
        """True only for a command that ended by itself with exit code 0 on a healthy machine."""
        return self.exit_code == 0 and self.stopped_by is None and self.infrastructure is None


class Isolation(Model):
    """What a sandbox enforces, and in plain sentences what it does not.

    filesystem: only the mounts and the system's own programs are visible, only writable mounts can be written;
    network: closed unless the command asks for it; processes: other processes are out of sight, and none
    started by the command outlives it; main_process: the command cannot be killed by its own descendants;
    memory, process_count, disk: the limits are kept; fixed_paths: every run sees the same paths;
    fresh_temporary: /tmp and /dev/shm are new, bounded and its own.
    """

    filesystem: bool
    network: bool
    processes: bool
    main_process: bool
    memory: bool
    process_count: bool
    disk: bool
    fixed_paths: bool
    fresh_temporary: bool
    not_enforced: tuple[str, ...]


class Layout(Model):
    """Where a command finds its folders, as paths seen inside the sandbox."""

    work: InsidePath
    env: InsidePath
    home: InsidePath
    plan: InsidePath
    results: InsidePath
    tmp: InsidePath

    @classmethod
    def fixed(cls) -> Self:
        """The paths wherever a sandbox can choose them: the same for every run on every machine."""
        names = ("work", "env", "home", "plan", "results")
        return cls(**{name: f"/c2t/{name}" for name in names}, tmp="/tmp")  # noqa: S108 - inside a sandbox

    @classmethod
    def below(cls, folder: Path) -> Self:
        """The paths where nothing can be mounted: real folders below an absolute host `folder`."""
        names = ("work", "env", "home", "plan", "results", "tmp")
        return cls(**{name: str(folder / name) for name in names})
