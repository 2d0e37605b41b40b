"""Manifests from files, folders and standard input, and the options that say where things are really read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from change2task.api.manifests import MAX_SOURCE, ParsedManifests, cross_check, parse_manifests
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.base import lock
from change2task.checks.reader import readers
from change2task.cli.failures import InputError
from change2task.history.forge import ForgeExportInvalid, ForgeRecord, parse_forge_export

_SUFFIXES = {".yaml", ".yml", ".json"}
_FORGE_SUFFIX = ".forge.json"


@dataclass(frozen=True)
class Inputs:
    """Sound input: bases by name, candidates in the order written, forge records by base name."""

    bases: dict[str, ModernBase]
    candidates: tuple[TaskCandidate, ...]
    forge: dict[str, dict[int, ForgeRecord]]
    mirrors: dict[str, str]


def read_inputs(paths: Sequence[str], mirrors: Sequence[str] = ()) -> Inputs:
    """Everything the user gave, checked as far as it can be without running; raises InputError naming every fault."""
    parsed, folders = _parsed(paths)
    problems = [str(problem) for problem in (*parsed.problems, *cross_check(parsed.resources, parsed.origins))]
    bases = {r.metadata.name: r for r in parsed.resources if isinstance(r, ModernBase)}
    candidates = tuple(r for r in parsed.resources if isinstance(r, TaskCandidate))
    variants = [r for r in parsed.resources if not isinstance(r, ModernBase | TaskCandidate)]
    problems += [
        f"TaskVariant {v.metadata.name}: variants are made by change2task, remove it from the input" for v in variants
    ]
    places = _mirrors(mirrors, problems)
    for base in bases.values():
        problems += _base_problems(base, places)
    forge = _forge(bases, folders, problems)
    if problems:
        raise InputError("\n".join(problems))
    if not bases:
        raise InputError(f"no ModernBase in {', '.join(paths)}; a run needs at least one")
    return Inputs(bases=bases, candidates=candidates, forge=forge, mirrors=places)


def _parsed(paths: Sequence[str]) -> tuple[ParsedManifests, list[Path]]:
    parts: list[ParsedManifests] = []
    folders: list[Path] = []
    for given in paths:
        if given == "-":
            parts.append(parse_manifests(sys.stdin.buffer.read(MAX_SOURCE + 1), "standard input"))
            continue
        for path in _files(Path(given)):
            folders.append(path.parent)
            try:
                with path.open("rb") as file:
                    content = file.read(MAX_SOURCE + 1)
            except OSError as error:
                raise InputError(f"{path}: cannot be read: {error.strerror}") from error
            parts.append(parse_manifests(content, str(path)))
    return ParsedManifests.joined(parts), folders


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(
            p for p in path.rglob("*") if p.suffix in _SUFFIXES and not p.name.endswith(_FORGE_SUFFIX) and p.is_file()
        )
        if not found:
            raise InputError(f"{path}: the folder holds no .yaml, .yml or .json file")
        return found
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    return [path]


def read_mirrors(given: Sequence[str]) -> dict[str, str]:
    """``--mirror`` options as URL to place; raises InputError."""
    problems: list[str] = []
    places = _mirrors(given, problems)
    if problems:
        raise InputError("\n".join(problems))
    return places


def _mirrors(given: Sequence[str], problems: list[str]) -> dict[str, str]:
    places: dict[str, str] = {}
    for text in given:
        url, mark, place = text.rpartition("=")
        if not mark or not url or not place:
            problems.append(f"--mirror {text}: write it as URL=PATH")
        elif "://" not in place and not Path(place).exists():
            problems.append(f"--mirror {text}: there is nothing at {place}")
        else:
            places[url] = place
    return places


def _base_problems(base: ModernBase, mirrors: dict[str, str]) -> Iterable[str]:
    where = f"ModernBase {base.metadata.name}"
    url = base.spec.repository.url
    if url.startswith("file://") and url not in mirrors and not Path(url.removeprefix("file://")).exists():
        yield (
            f"{where}: spec.repository.url: {url}: there is nothing at that path;"
            f" correct it, or give --mirror {url}=PATH"
        )
    known = readers()
    if base.spec.checks.format not in known:
        yield (
            f"{where}: spec.checks.format: {base.spec.checks.format!r} is not known;"
            f" known formats: {', '.join(sorted(known))}"
        )
    for problem in lock.problems(base.spec.environment.lock or ""):
        yield f"{where}: spec.environment.lock: {problem}"


def _forge(bases: Iterable[str], folders: Sequence[Path], problems: list[str]) -> dict[str, dict[int, ForgeRecord]]:
    found: dict[str, dict[int, ForgeRecord]] = {}
    for name in bases:
        for folder in dict.fromkeys(folders):
            path = folder / f"{name}{_FORGE_SUFFIX}"
            if not path.is_file():
                continue
            try:
                found[name] = parse_forge_export(path.read_bytes(), str(path))
            except ForgeExportInvalid as error:
                problems.append(str(error))
    return found
