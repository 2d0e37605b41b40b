"""The bare check command of a pass: what a person would type in a plain checkout, with the base's own environment.

The checkout is fresh for each, as each state's tree is, and laying it out is not counted. The selection is said in
whatever way is shorter, the tests to run or the tests to leave out. No sandbox, no plugin, no reader, no repeats of a
harness: one process, started and waited for.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from change2task.base.models import PreparedBase
from change2task.checks.passes import PassOrder
from change2task.vcs.materialise import materialise
from change2task.vcs.repository import Repository

_MANY = 60_000
"""Characters of ids above which the shorter way is always to leave tests out."""


@dataclass(frozen=True)
class Cost:
    """Seconds of wall and of processor time."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class BareChecks:
    """Runs bare check commands of one base; ``folder`` holds the checkouts while they run."""

    base: PreparedBase
    repository: Repository
    folder: Path

    def checkout(self, order: PassOrder, name: str) -> Path:
        """A fresh plain checkout of the pass's tree, with what setup left beside it."""
        place = self.folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        materialise(self.repository, self.repository.tree(order.tree), place)
        self.base.environment.runtime().lay_leftovers(place)
        return place

    def command(self, order: PassOrder) -> list[str]:
        """The argument list of a pass."""
        words = list(self.base.checks.command)
        if order.ids is None:
            return words
        if self.base.checks.format == "go":
            return [*words[:2], "-run", _go_pattern(order.ids), *_go_packages(order.ids)]
        inventory = self.base.inventory
        left_out = sorted({*inventory.healthy, *inventory.other} - set(order.ids))
        if len(left_out) <= len(order.ids) or sum(map(len, order.ids)) > _MANY:
            return [*words, *(f"--deselect={one}" for one in left_out)]
        return [*words, *order.ids]

    def variables(self, checkout: Path) -> dict[str, str]:
        """The environment's own variables, with the checkout where the editable install points to."""
        runtime, layout = self.base.environment.runtime(), self.base.environment.environment.layout
        inside = runtime.command_env(layout)
        content = str(runtime.folder)
        variables = {name: value.replace(layout.env, content) for name, value in inside.items()}
        home = self.folder / "home"
        variables |= {"HOME": str(home), "TMPDIR": str(self.folder / "tmp")}
        for name in ("HOME", "TMPDIR"):
            Path(variables[name]).mkdir(parents=True, exist_ok=True)
        if self.base.checks.format == "go":
            return {**variables, "GOCACHE": str(self._go_cache(Path(content))), "GOPATH": str(home / "go")}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        sources = [str(checkout / folder) for folder in _pointers(runtime.folder, layout.work)]
        return {**variables, "PYTHONPATH": os.pathsep.join(sources)}

    def _go_cache(self, content: Path) -> Path:
        """One build cache for all bare commands, begun as each state's is; it stays warm, as a person's does."""
        place = self.folder / "go-build"
        if not place.exists():
            shutil.copytree(content / "gocache", place)
        return place

    def run(self, order: PassOrder, checkout: Path) -> float:
        """Wall seconds of one bare command; what it prints goes to a log beside its checkout."""
        started = time.monotonic()
        with checkout.with_suffix(".log").open("wb") as log:
            subprocess.run(
                self._program(self.command(order)),
                cwd=checkout,
                env=self.variables(checkout),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        return time.monotonic() - started

    def run_all(self, orders: Sequence[PassOrder], jobs: int) -> Cost:
        """All commands, ``jobs`` at a time, each in a checkout laid out before the clock starts."""
        checkouts = [self.checkout(order, str(number)) for number, order in enumerate(orders)]
        before, started = _children(), time.monotonic()
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            list(pool.map(self.run, orders, checkouts))
        cost = Cost(wall=time.monotonic() - started, cpu=_children() - before)
        for checkout in checkouts:
            shutil.rmtree(checkout)
        return cost

    def _program(self, words: list[str]) -> list[str]:
        path = self.variables(self.folder)["PATH"]
        found = shutil.which(words[0], path=path)
        assert found is not None, f"{words[0]} is not in {path}"
        return [found, *words[1:]]


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _pointers(environment: Path, work: str) -> list[str]:
    """Folders of the work folder that an editable install names, relative to it."""
    found: dict[str, None] = {}
    for site in environment.glob("lib/python*/site-packages"):
        for pointer in sorted([*site.glob("*.pth"), *site.glob("__editable__*.py")]):
            for match in re.finditer(rf"{re.escape(work)}((?:/[\w.-]+)*)", pointer.read_text(errors="replace")):
                path = match[1].strip("/")
                # An editable finder names the package itself, a path file the folder it lies in.
                found[path if pointer.suffix == ".pth" else str(Path(path).parent)] = None
    return list(found) or ["."]


def _go_packages(ids: Collection[str]) -> list[str]:
    folders = sorted({one.partition("::")[0] for one in ids})
    return [folder if folder == "." else f"./{folder}" for folder in folders]


def _go_pattern(ids: Collection[str]) -> str:
    names = sorted({one.partition("::")[2].partition("/")[0] for one in ids})
    return f"^({'|'.join(map(re.escape, names))})$"
