"""The cluster's programs, built from Go modules whose every checksum stands in programs/*/go.sum, and one in C.

Each folder of programs/ is a module of our own that only names what it builds: its requirements are exact, so neither
a proxy nor a new release can change what comes out. Nothing of it is rebuilt while its inputs are the same.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from hack.kind.commands import run, step
from hack.kind.requirements import ensure_go
from hack.kind.settings import FILES, MODULES, Program, Settings, key

SECONDS = 3 * 3600.0


def build_program(settings: Settings, name: str) -> None:
    """One module's programs: where a node image can be pulled, few are needed."""
    _build(settings, name, settings.versions.programs[name], _stamps(settings))


def build_programs(settings: Settings) -> None:
    """All of them; finished ones are kept when a later one fails."""
    for name, program in settings.versions.programs.items():
        _build(settings, name, program, _stamps(settings))
    _build_pause(settings)


def build_beside(settings: Settings, name: str, program: Program) -> None:
    """A program that is run beside the cluster: no image holds it, so none is made anew for it."""
    _build(settings, name, program, _stamps_beside(settings))


def is_built_beside(settings: Settings, name: str, program: Program) -> bool:
    """Whether it need not be built now; where there is no Go it cannot have been."""
    if shutil.which("go") is None:
        return False
    return _is_built(settings, _stamps_beside(settings) / name, _wanted(settings, name, program), program.names())


def built_with(settings: Settings) -> Iterator[str]:
    """The key of everything in bin/, for the keys of the images that hold it."""
    for stamp in sorted(_stamps(settings).iterdir()):
        yield f"{stamp.name} {stamp.read_text()}"


def module_folder(settings: Settings, program: str, package: str) -> Path:
    """Where the module cache holds a module's files, downloaded and checked against go.sum if need be."""
    folder = run("go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", package, cwd=MODULES / program).strip()
    if not folder:
        run("go", "mod", "download", package, cwd=MODULES / program)
        folder = run("go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", package, cwd=MODULES / program).strip()
    return Path(folder)


def _build(settings: Settings, name: str, program: Program, stamps: Path) -> None:
    stamp, wanted = stamps / name, _wanted(settings, name, program)
    if _is_built(settings, stamp, wanted, program.names()):
        return
    settings.bin.mkdir(parents=True, exist_ok=True)
    linking = " ".join(("-s", "-w", *(f"-X {variable}={value}" for variable, value in program.variables.items())))
    output = settings.bin / program.output if program.output else f"{settings.bin}/"
    options = (
        "-mod=readonly",
        "-trimpath",
        "-buildvcs=false",
        f"-tags={','.join(program.tags)}",
        f"-ldflags={linking}",
    )
    with step(f"go build: {name}"):
        run(
            *("go", "build", *options, "-o", output, *program.packages),
            cwd=MODULES / name,
            env={**os.environ, "CGO_ENABLED": "0"},
            log=settings.logs / f"go-{name}.log",
            seconds=SECONDS,
        )
    stamp.write_text(wanted)


def _build_pause(settings: Settings) -> None:
    wanted = key(FILES / "pause.c")
    stamp = _stamps(settings) / "pause"
    if _is_built(settings, stamp, wanted, ("pause",)):
        return
    run("gcc", "-static", "-Os", "-s", "-Wall", "-Werror", "-o", settings.bin / "pause", FILES / "pause.c")
    stamp.write_text(wanted)


def _wanted(settings: Settings, name: str, program: Program) -> str:
    return key(MODULES / name, program.model_dump(mode="json"), ensure_go(settings.versions.go))


def _is_built(settings: Settings, stamp: Path, wanted: str, files: tuple[str, ...]) -> bool:
    whole = all((settings.bin / file).is_file() for file in files)
    return whole and stamp.is_file() and stamp.read_text() == wanted


def _stamps(settings: Settings, kind: str = "built") -> Path:
    folder = settings.cache / kind
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _stamps_beside(settings: Settings) -> Path:
    return _stamps(settings, "built-beside")
