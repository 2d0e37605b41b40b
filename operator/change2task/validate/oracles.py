"""Checks that are no tests: static oracles read from a git tree, and scripts as calls.

A behaviour suite gives full marks to an untouched repository, so a migration needs an oracle that looks at the
code (notes on SWE Refactor Bench). What an oracle says of files is left to ``families.static``, running scripts to
``rounds``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from change2task.api.taskcandidate import CheckSpec, StaticOracle
from change2task.checks.passes import ScriptCall
from change2task.families.static import CheckOutcome, static_check, static_check_of_answer
from change2task.history.globs import matches
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

Readings = Callable[[str], Mapping[str, CheckOutcome]]
"""What each static check says of a git tree."""


def readings(repository: Repository, checks: Sequence[CheckSpec]) -> Readings:
    """A function from a git tree to what each static check says of it."""
    oracles = {check.id: check.static for check in checks if check.static is not None}

    def read(tree: str) -> Mapping[str, CheckOutcome]:
        files = _named(repository, tree, oracles.values())
        return {check: static_check(oracle, files) for check, oracle in oracles.items()}

    return read


def readings_of_answer(
    repository: Repository, checks: Sequence[CheckSpec], healthy_tree: str, changed: Sequence[bytes]
) -> Readings:
    """As ``readings``, for an agent's answer: what it says of the paths that were ``changed`` is looked at too."""
    oracles = {check.id: check.static for check in checks if check.static is not None}

    def read(tree: str) -> Mapping[str, CheckOutcome]:
        files = _named(repository, tree, oracles.values())
        answer, healthy = (contents(repository, of, changed) for of in (tree, healthy_tree))
        return {check: static_check_of_answer(oracle, files, answer, healthy) for check, oracle in oracles.items()}

    return read


def _named(repository: Repository, tree: str, oracles: Collection[StaticOracle]) -> dict[bytes, bytes]:
    """The files that any of the oracles reads; all files for one that names none."""
    everything = any(not oracle.paths for oracle in oracles)
    globs = [glob for oracle in oracles for glob in oracle.paths]
    return contents(repository, tree, [p for p in repository.tree(tree) if everything or matches(p, globs)])


def contents(repository: Repository, tree: str, paths: Iterable[bytes]) -> dict[bytes, bytes]:
    """The content of those of the paths that are files of a tree."""
    entries = ((path, repository.entry(tree, path)) for path in paths)
    return {path: repository.blob(entry.oid) for path, entry in entries if entry and entry.mode in {FILE, EXECUTABLE}}


def scripts(checks: Sequence[CheckSpec]) -> tuple[ScriptCall, ...]:
    """The script checks as calls."""
    return tuple(
        ScriptCall(id=check.id, command=check.script.command, files=check.script.files)
        for check in checks
        if check.script is not None
    )
