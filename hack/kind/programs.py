"""The cluster's programs, built from Go modules whose every checksum stands in programs/*/go.sum, and one in C.

Each folder of programs/ is a module of our own that only names what it builds: its requirements are exact, so neither
a proxy nor a new release can change what comes out. Nothing of it is rebuilt while its inputs are the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hack.kind.commands import run, step
from hack.kind.requirements import ensure_go
from hack.kind.settings import FILES, MODULES, Program, Settings, key

SECONDS = 3 * 3600.0


def build_program(settings: Settings, name: str) -> None:
    """One module's programs: where a node image can be pulled, few are needed."""
    _build(settings, name, settings.versions.programs[name])


def build_programs(settings: Settings) -> None:
    """All of them; finished ones are kept when a later one fails."""
    for name, program in settings.versions.programs.items():
        _build(settings, name, program)
    _build_pause(settings)


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


def _build(settings: Settings, name: str, program: Program) -> None:
    wanted = key(MODULES / name, program.model_dump(mode="json"), ensure_go(settings.versions.go))
    if _is_built(settings, name, wanted, program.names()):
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
    _stamps(settings).joinpath(name).write_text(wanted)


def _build_pause(settings: Settings) -> None:
    wanted = key(FILES / "pause.c")
    if _is_built(settings, "pause", wanted, ("pause",)):
        return
    run("gcc", "-static", "-Os", "-s", "-Wall", "-Werror", "-o", settings.bin / "pause", FILES / "pause.c")
    _stamps(settings).joinpath("pause").write_text(wanted)


def _is_built(settings: Settings, name: str, wanted: str, files: tuple[str, ...]) -> bool:
    stamp = _stamps(settings) / name
    whole = all((settings.bin / file).is_file() for file in files)
    return whole and stamp.is_file() and stamp.read_text() == wanted


def _stamps(settings: Settings) -> Path:
    folder = settings.cache / "built"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
