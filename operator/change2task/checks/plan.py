"""From what is to be checked to the files that do it: pure, so that a pod and a laptop get the same plan folder.

The folder is read-only inside the sandbox. `run.sh` is the same for every runner; `settings.sh` holds its limits
and the reader's marks; `check.sh` and the files beside it come from the reader; `rebuild/NN.sh` from the manifest.
Nothing in here knows where the folders lie: run.sh gets them in C2T_WORK, C2T_PLAN, C2T_RESULTS and C2T_HOME.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from importlib import resources
from typing import Annotated

from pydantic import Field, field_validator

from change2task.api.model import Model

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NONCE = re.compile(r"[a-z0-9]{8,64}\Z")


class Perturbation(Model):
    """What is varied between repeats of one pass. `order_seed` None keeps the runner's own order."""

    hash_seed: Annotated[int, Field(ge=0, le=4294967295)] = 0
    order_seed: Annotated[int, Field(ge=0)] | None = None
    time_zone: str = "UTC"


class CheckRequest(Model):
    """One pass as asked for: argv of the project's check command, its format, the ids (None: all), limits.

    `scopes` (a test file, a package's folder) leave everything to be found as the project finds it and run only what
    lies in them; None for no such bound. `reports` are globs of the files that the command writes, for formats that
    read such. `script_files` are laid in the plan folder by relative path. Times
    in seconds. `nonce` is fresh for each pass: 8 to 64 of a-z and 0-9. `rebuild` are shell commands run in the
    tree before the checks. `env` is added to the sandbox's environment.
    """

    command: tuple[str, ...]
    format: str
    reports: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    script_files: dict[str, str] = {}
    perturbation: Perturbation = Perturbation()
    test_timeout_seconds: Annotated[float, Field(gt=0)] = 60
    collect_timeout_seconds: Annotated[float, Field(gt=0)] | None = None
    total_timeout_seconds: Annotated[float, Field(gt=0)] = 900
    grace_seconds: Annotated[int, Field(ge=1)] = 5
    nonce: str
    rebuild: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    env: dict[str, str] = {}
    max_rounds: Annotated[int, Field(ge=1)] = 200
    log_bytes: Annotated[int, Field(ge=1)] = 1 << 20
    event_bytes: Annotated[int, Field(ge=1)] = 64 << 20

    @field_validator("nonce")
    @classmethod
    def _plain_nonce(cls, value: str) -> str:
        if not _NONCE.match(value):
            raise ValueError(f"a nonce is 8 to 64 characters of a-z and 0-9, not {value!r}")
        return value

    @field_validator("env")
    @classmethod
    def _possible_env(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _VARIABLE.match(name):
                raise ValueError(f"{name!r} cannot be the name of an environment variable: use letters, digits, _")
            if name.startswith("C2T_"):
                raise ValueError(f"{name}: names starting with C2T_ belong to the harness, choose another")
            if "\0" in text:
                raise ValueError(f"{name}: a value cannot hold a NUL character")
        return value


class Marks(Model):
    """Fixed strings run.sh looks for in the events of a round; only a reader's own events may hold them."""

    running: str
    progress: str
    finished: str
    stuck: str


class ReaderFiles(Model):
    """A reader's part of a plan: files by path below the plan folder, `check.sh` among them, env and marks.

    `silent`: the runner tells nothing before its end, so that only the time of the whole pass bounds it.
    """

    files: dict[str, str]
    env: dict[str, str] = {}
    marks: Marks
    silent: bool = False


class PassPlan(Model):
    """The plan folder as text, and the environment its command needs beside C2T_WORK and its like."""

    name: str
    files: dict[str, str]
    env: dict[str, str]
    perturbation: Perturbation
    test_timeout_seconds: float
    total_timeout_seconds: float
    command: tuple[str, ...] = ("sh", "run.sh")


def quote(text: str) -> str:
    """One POSIX shell word that stands for exactly this text. ValueError on NUL, which no argument can hold."""
    if "\0" in text:
        raise ValueError("a shell word cannot hold a NUL character")
    return "'" + text.replace("'", "'\\''") + "'"


def words(argv: tuple[str, ...]) -> str:
    """A command line of exactly these words."""
    return " ".join(quote(word) for word in argv)


def assignments(values: Mapping[str, str | int]) -> str:
    """Shell assignments, one a line, in the order given."""
    return "".join(f"{name}={quote(str(value))}\n" for name, value in values.items())


def harness_file(name: str) -> str:
    """The text of a file of ours that goes into the sandbox."""
    return resources.files("change2task.checks").joinpath("harness", *name.split("/")).read_text("utf-8")


def pass_plan(name: str, request: CheckRequest, part: ReaderFiles) -> PassPlan:
    """Join a reader's files with the generic ones."""
    test = math.ceil(request.test_timeout_seconds)
    collect = request.collect_timeout_seconds or max(120.0, 3 * request.test_timeout_seconds)
    if part.silent:
        collect = request.total_timeout_seconds
    settings = assignments(
        {
            "C2T_TEST_TIMEOUT": test,
            "C2T_GRACE": request.grace_seconds,
            "C2T_COLLECT_TIMEOUT": math.ceil(collect),
            "C2T_TOTAL_TIMEOUT": math.ceil(request.total_timeout_seconds),
            "C2T_MAX_ROUNDS": request.max_rounds,
            "C2T_LOG_BYTES": request.log_bytes,
            "C2T_EVENT_BYTES": request.event_bytes,
            "C2T_MARK_RUNNING": part.marks.running,
            "C2T_MARK_PROGRESS": part.marks.progress,
            "C2T_MARK_FINISHED": part.marks.finished,
            "C2T_MARK_STUCK": part.marks.stuck,
        }
    )
    steps = {
        f"rebuild/{number:02d}.sh": f'cd "$C2T_WORK" || exit 70\nset -e\n{step}\n'
        for number, step in enumerate(request.rebuild)
    }
    return PassPlan(
        name=name,
        files={"run.sh": harness_file("run.sh"), "settings.sh": settings, **steps, **part.files},
        env={
            "PYTHONHASHSEED": str(request.perturbation.hash_seed),
            "TZ": request.perturbation.time_zone,
            **part.env,
            **request.env,
        },
        perturbation=request.perturbation,
        test_timeout_seconds=request.test_timeout_seconds,
        total_timeout_seconds=request.total_timeout_seconds,
    )
