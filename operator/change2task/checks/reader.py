"""What a result format must offer: its files for the plan, and the reading of what came back.

One file a format in `readers/`; `reader_for` is the only list of them. A reader's `plan` is pure, its `read` trusts
nothing in the folder it is given.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Protocol

from change2task.checks.passes import ScriptCall
from change2task.checks.plan import CheckRequest, PassPlan, ReaderFiles, pass_plan
from change2task.checks.readers.cargo_test import CargoReader
from change2task.checks.readers.documents import CTRF, JUNIT, TAP
from change2task.checks.readers.go_test import GoTestReader
from change2task.checks.readers.node import JEST, MOCHA, NODE, VITEST
from change2task.checks.readers.pytest import PytestReader
from change2task.checks.readers.script import ScriptReader
from change2task.checks.readers.unittest import UnittestReader
from change2task.checks.results import Reading


class Reader(Protocol):
    """One result format."""

    @property
    def format(self) -> str:
        """The name manifests use in `spec.checks.format`."""
        ...

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """Files, environment and marks for the plan folder. ValueError, with the way out, on a command not usable."""
        ...

    def build(self, command: tuple[str, ...]) -> ScriptCall | None:
        """How to find out whether all of the project builds, tested or not; None where nothing is built by name.

        ValueError as for `plan`.
        """
        ...

    def read(self, results: Path, nonce: str) -> Reading:
        """What the pass with this nonce did, from the folder run.sh wrote. Never raises for what tests left there."""
        ...


def readers() -> dict[str, Reader]:
    """All readers by format."""
    in_process = (PytestReader(), UnittestReader(), NODE, JEST, VITEST, MOCHA)
    known: tuple[Reader, ...] = (*in_process, GoTestReader(), CargoReader(), JUNIT, TAP, CTRF, ScriptReader())
    return {reader.format: reader for reader in known}


def suites() -> tuple[str, ...]:
    """The formats of whole suites, which a base can name; a script is one check and tells of no others."""
    return tuple(sorted(readers().keys() - {ScriptReader.format}))


def reader_for(name: str) -> Reader:
    """The reader of a format. ValueError naming the known ones."""
    known = readers()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise ValueError(f"checks.format: {name!r} is not known{hint} Known formats: {', '.join(suites())}")


def plan_pass(name: str, request: CheckRequest) -> PassPlan:
    """The whole plan of one pass. ValueError on an unknown format or a command its reader cannot use."""
    return pass_plan(name, request, reader_for(request.format).plan(request))
