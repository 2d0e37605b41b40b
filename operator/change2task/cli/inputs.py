"""Manifests from files, folders and standard input, and the options that say where things are really read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from change2task.api.manifests import MAX_SOURCE, ParsedManifests, cross_check, parse_manifests
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.cli.choices import Choices
from change2task.cli.failures import InputError
from change2task.cli.soundness import faults
from change2task.corpus.store import MARKER
from change2task.history.forge import ForgeExportInvalid, ForgeRecord, parse_forge_export

_SUFFIXES = {".yaml", ".yml", ".json"}
_ALIKE = 0.9
"""How like two addresses are of which one is taken for the other, misspelt."""
_FORGE_SUFFIX = ".forge.json"


@dataclass(frozen=True)
class Inputs:
    """Sound input: bases by name, candidates in the order written, forge records by base name."""

    bases: dict[str, ModernBase]
    candidates: tuple[TaskCandidate, ...]
    forge: dict[str, dict[int, ForgeRecord]]
    mirrors: dict[str, str]


_ANY = Choices()


def read_inputs(paths: Sequence[str], mirrors: Sequence[str] = (), choices: Choices = _ANY) -> Inputs:
    """Everything the user gave, checked as far as it can be without running; raises InputError naming every fault."""
    parsed, folders = _parsed(paths)
    problems: list[str] = []
    places = _mirrors(mirrors, problems)
    found = (*parsed.problems, *cross_check(parsed.resources, parsed.origins), *faults(parsed, places, choices))
    problems += [str(problem) for problem in found]
    bases = {r.metadata.name: r for r in parsed.resources if isinstance(r, ModernBase)}
    candidates = tuple(r for r in parsed.resources if isinstance(r, TaskCandidate))
    problems += _meant_mirrors(places, bases.values())
    forge = _forge(bases, folders, problems)
    _refuse(problems)
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
        try:
            found = sorted(_below(path))
        except OSError as error:
            raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error
        if not found:
            raise InputError(f"{path}: the folder holds no .yaml, .yml or .json file")
        return found
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    return [path]


def _below(folder: Path) -> Iterator[Path]:
    """Manifests below a folder; what is hidden, and what runs have stored, holds none."""
    for entry in folder.iterdir():
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not entry.is_symlink() and not (entry / MARKER).exists():
                yield from _below(entry)
        elif entry.suffix in _SUFFIXES and not entry.name.endswith(_FORGE_SUFFIX):
            yield entry


def read_mirrors(given: Sequence[str]) -> dict[str, str]:
    """``--mirror`` options as URL to place; raises InputError."""
    problems: list[str] = []
    places = _mirrors(given, problems)
    _refuse(problems)
    return places


def _refuse(problems: Sequence[str]) -> None:
    if len(problems) > 1:
        raise InputError(f"{len(problems)} faults in the input\n  " + "\n  ".join(problems))
    if problems:
        raise InputError(problems[0])


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


def _meant_mirrors(places: dict[str, str], bases: Iterable[ModernBase]) -> Iterator[str]:
    """A mirror for an address that no base has, but nearly; mirrors of others' repositories are nobody's fault."""
    unread = {base.spec.repository.url for base in bases} - places.keys()
    for url in sorted(places.keys()):
        alike = {_plainest(other): other for other in sorted(unread)}
        for near in get_close_matches(_plainest(url), alike, n=1, cutoff=_ALIKE):
            yield f"--mirror {url}: no base has this URL, but one has {alike[near]}; write it exactly so"


def unread_mirrors(inputs: Inputs) -> Iterator[str]:
    """A sentence for each mirror whose address no base has, with the nearest one that a base has."""
    urls = sorted({base.spec.repository.url for base in inputs.bases.values()})
    for url in sorted(inputs.mirrors.keys() - set(urls)):
        near = get_close_matches(_plainest(url), [_plainest(other) for other in urls], n=1, cutoff=0)
        told = next((other for other in urls if _plainest(other) in near), None)
        yield f"--mirror {url}: no base has this URL" + (f"; the nearest is {told}" if told else "")


def _plainest(url: str) -> str:
    return url.lower().rstrip("/").removesuffix(".git")


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
