"""Interpreters and tools of this machine, and which of them a recipe gets.

It exists because nothing is downloaded: a recipe that fits no interpreter here is a fault of the machine, told with
what there is. Interpreters are asked themselves where they live, since what lies on PATH is often a script in front.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import structlog
import uv
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from change2task.api.model import Model
from change2task.base.faults import ToolchainMissing
from change2task.base.recipe import PythonWish

_log = structlog.get_logger(__name__)
_SECONDS = 60
ASK_PYTHON = (
    "import json, os, platform, sys; print(json.dumps({'version': platform.python_version(),"
    " 'executable': os.path.realpath(getattr(sys, '_base_executable', None) or sys.executable),"
    " 'implementation': platform.python_implementation()}))"
)
# First releases of CPython minors (PEP 494 and its successors); a minor not listed is younger than all of them.
_RELEASED = {
    "3.6": date(2016, 12, 23), "3.7": date(2018, 6, 27), "3.8": date(2019, 10, 14), "3.9": date(2020, 10, 5),
    "3.10": date(2021, 10, 4), "3.11": date(2022, 10, 24), "3.12": date(2023, 10, 2), "3.13": date(2024, 10, 7),
    "3.14": date(2025, 10, 7),
}  # fmt: skip
_RIPE = timedelta(days=365)


class Interpreter(Model):
    """A CPython of this machine and the program that starts it."""

    version: str
    executable: Path

    @property
    def minor(self) -> str:
        """Such as 3.12."""
        return ".".join(self.version.split(".")[:2])


def uv_program() -> Path:
    """The uv that came with this program. Raises ToolchainMissing."""
    try:
        return Path(uv.find_uv_bin())
    except FileNotFoundError as error:
        raise ToolchainMissing(
            f"uv is not installed beside this program ({error}); install change2task again"
        ) from error


def static_uv(folder: Path, environ: Mapping[str, str]) -> Path:
    """A uv of the same version that needs no C library, brought from the package index into ``folder`` once.

    Raises ToolchainMissing.
    """
    version = metadata.version("uv")
    target = folder / f"uv-{version}-static"
    program = target / "bin/uv"
    if not program.is_file():
        part = folder / f".{target.name}-{os.getpid()}"
        words = ("pip", "install", "--quiet", "--no-config", "--no-deps", "--only-binary", ":all:", "--python",
                 sys.executable, "--python-platform", f"{platform.machine()}-unknown-linux-musl", "--target",
                 str(part), f"uv=={version}")  # fmt: skip
        brought = subprocess.run(
            [uv_program(), *words], env=dict(environ), capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        if brought.returncode != 0:
            raise ToolchainMissing(f"uv for an image without glibc cannot be had: {brought.stderr.strip()[-500:]}")
        if target.exists():  # another run was quicker
            shutil.rmtree(part)
        else:
            part.rename(target)
    return program


def installed(environ: Mapping[str, str] = os.environ) -> tuple[Interpreter, ...]:
    """Every CPython 3 that uv or pyenv knows on this machine, newest first. Nothing is downloaded.

    Programs are as they were found, perhaps links or scripts in front: `ask` the chosen one for the real one.
    """
    pyenv = Path(environ.get("PYENV_ROOT") or Path(environ.get("HOME", "/")) / ".pyenv")
    versions = [str(path.parent) for path in sorted(pyenv.glob("versions/*/bin/python3"))]
    # pyenv's shims are scripts that answer for one version only, and slowly.
    others = [path for path in environ.get("PATH", os.defpath).split(os.pathsep) if path != str(pyenv / "shims")]
    return _listed(tuple({**environ, "PATH": os.pathsep.join([*versions, *others])}.items()))


@lru_cache(maxsize=8)
def _listed(environ: tuple[tuple[str, str], ...]) -> tuple[Interpreter, ...]:
    """One listing takes about a second, and the machine does not change while a run lasts."""
    listed = subprocess.run(
        [uv_program(), "python", "list", "--only-installed", "--no-config", "--output-format", "json"],
        env={**dict(environ), "UV_PYTHON_DOWNLOADS": "never"},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if listed.returncode != 0:
        raise ToolchainMissing(f"uv cannot list this machine's interpreters: {listed.stderr.strip()[-500:]}")
    found = {
        Path(entry["path"]).resolve(): Interpreter(version=entry["version"], executable=Path(entry["path"]))
        for entry in json.loads(listed.stdout or "[]")
        if entry.get("path") and entry.get("implementation") == "cpython"
    }
    return tuple(sorted(found.values(), key=lambda one: (Version(one.version), str(one.executable)), reverse=True))


def ask(program: Path, environ: Mapping[str, str] = os.environ) -> Interpreter | None:
    """The interpreter behind a program, its real file found; None where it is no working CPython 3."""
    try:
        answer = subprocess.run(
            [program, "-I", "-S", "-c", ASK_PYTHON],
            env=dict(environ),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        _log.debug("interpreter does not answer", program=str(program), error=str(error))
        return None
    return answered(answer.stdout)


def answered(text: str) -> Interpreter | None:
    """The interpreter that answered ASK_PYTHON so; None for anything but a CPython's answer."""
    try:
        told = json.loads(text)
        Version(told["version"])
        known = Interpreter(version=told["version"], executable=told["executable"])
    except (ValueError, KeyError, TypeError):
        return None
    return known if told.get("implementation") == "CPython" else None


def pick(
    wish: PythonWish, as_of: date, available: Iterable[Interpreter], environ: Mapping[str, str] = os.environ
) -> Interpreter:
    """What `choose` takes, with its real program; one that does not answer is passed over. Raises ToolchainMissing."""
    left = list(available)
    while True:
        chosen = choose(wish, as_of, left)
        real = ask(chosen.executable, environ)
        if real is not None and real.version == chosen.version:
            return real
        left.remove(chosen)


def choose(wish: PythonWish, as_of: date, available: Iterable[Interpreter], place: str = "this machine") -> Interpreter:
    """The interpreter a recipe gets; raises ToolchainMissing naming what is at the ``place`` they were found.

    A minor asked for is taken or nothing is. Else, among those that ``requires-python`` admits: the newest minor
    the project itself lists, else the newest that had been out a year on the date (so that packages of that
    time know it), else the oldest.
    """
    everything = list(available)
    there = ", ".join(dict.fromkeys(one.version for one in everything)) or "none"
    if wish.exact is not None:
        fitting = [one for one in everything if one.minor == wish.exact]
        if not fitting:
            raise ToolchainMissing(
                f"spec.environment.image asks for Python {wish.exact}; {place} has {there};"
                f" install it, or ask for one of these"
            )
        return fitting[0]
    try:
        allowed = SpecifierSet(wish.specifier)
    except InvalidSpecifier:
        allowed = SpecifierSet()
    fitting = [one for one in everything if allowed.contains(one.version, prereleases=True)]
    if not fitting:
        raise ToolchainMissing(
            f"the project requires Python {wish.specifier}; {place} has {there}; install one that fits"
        )
    ripe = [one for one in fitting if _RELEASED.get(one.minor, date.max) <= as_of - _RIPE]
    listed = [one for one in fitting if one.minor in wish.listed]
    both = [one for one in listed if one in ripe]
    for group in (both, listed, ripe):
        if group:
            return group[0]
    return fitting[-1]


def go_root(environ: Mapping[str, str] = os.environ) -> tuple[Path, str]:
    """The folder of this machine's Go and its version, such as 1.26.8. Raises ToolchainMissing."""
    program = shutil.which("go", path=environ.get("PATH"))
    if program is None:
        raise ToolchainMissing("the checks need Go, and no go is on PATH; install it from your distribution or go.dev")
    answer = subprocess.run(
        [program, "env", "GOROOT", "GOVERSION"], env={**environ, "GOTOOLCHAIN": "local"}, cwd="/",
        capture_output=True, text=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    lines = answer.stdout.split()
    if answer.returncode != 0 or len(lines) < 2:
        raise ToolchainMissing(f"{program} does not run: {answer.stderr.strip()[-500:]}")
    return Path(lines[0]).resolve(), lines[1].removeprefix("go")


def check_go(least: str, version: str, place: str = "this machine") -> None:
    """Raises ToolchainMissing where a module asks for a newer Go than there is; nothing is downloaded."""
    if least and Version(version) < Version(least):
        raise ToolchainMissing(f"go.mod asks for Go {least}; {place} has {version}; install a newer one")


def shell(environ: Mapping[str, str] = os.environ) -> Callable[[str], str]:
    """What asks this machine a line of shell: what it prints, nothing where it fails."""

    def ask(line: str) -> str:
        words = ["sh", "-c", line]
        answer = subprocess.run(
            words, env=dict(environ), cwd="/", capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        return answer.stdout if answer.returncode == 0 else ""

    return ask
