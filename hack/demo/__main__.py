"""``make demo``: real histories, the product's main job on them, one accepted task shown and graded.

It uses the command line as a user does, so what it shows is what a user gets. ``python -m hack.demo history`` stops
once the histories stand.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hack.demo.archive import ArchiveError, read_archive
from hack.demo.fetch import FetchError, fetch
from hack.demo.history import HistoryError, Release, build_history
from hack.demo.pins import Package, load_pins

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / ".demo"
STORE = DEMO / "store"
MANIFESTS = ROOT / "examples" / "demo"
LEAST_ACCEPTED = 3
LEAST_FAMILIES = 2
SHOWN = "humanize-4.12.1"
"""Small, and moved by a merge to where its code is today."""


class DemoError(Exception):
    """The demo did not show what it promises; the message says which promise."""


def main(arguments: list[str]) -> int:
    """Run the demo; 0 when it showed all it promises, 1 otherwise."""
    start = time.monotonic()
    try:
        mirrors = histories()
        if arguments != ["history"]:
            show(mirrors)
            print(f"\nThe demo took {time.monotonic() - start:.0f} s.")
    except (ArchiveError, DemoError, FetchError, HistoryError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


def histories() -> dict[str, Path]:
    """Build every pinned package's history; the repository's address in the world to where it now lies."""
    _heading("Real histories, one commit a published release")
    mirrors = {}
    for name, package in load_pins().items():
        target = DEMO / "history" / f"{name}.git"
        build_history(target, _releases(name, package))
        mirrors[package.url] = target
        first, last = package.release[0], package.release[-1]
        print(f"{name}: {len(package.release)} releases, {first.version} to {last.version}  ->  {_short(target)}")
    return mirrors


def _releases(name: str, package: Package) -> list[Release]:
    archives = fetch(name, package.release, DEMO / "cache")
    return [Release(pin.version, pin.published, read_archive(archives[pin.version])) for pin in package.release]


def show(mirrors: dict[str, Path]) -> None:
    """The main job, then one accepted task as an agent sees it, then its grading."""
    _heading("From manifests to verified tasks")
    mirrored = [f"--mirror={url}={_short(path)}" for url, path in mirrors.items()]
    run = ("run", _short(MANIFESTS), *mirrored, "--store", _short(STORE))
    _change2task(*run)
    _heading("The same again, as one document: nothing is redone where a verdict stands")
    candidates = json.loads(_change2task(*run, "-o", "json", quiet=True))["candidates"]
    accepted = [candidate for candidate in candidates if candidate["accepted"]]
    families = {candidate["family"] for candidate in accepted}
    if len(accepted) < LEAST_ACCEPTED or len(families) < LEAST_FAMILIES:
        raise DemoError(
            f"{len(accepted)} tasks of {len(families)} families were accepted, promised are"
            f" {LEAST_ACCEPTED} of {LEAST_FAMILIES}; `change2task explain NAME --store {_short(STORE)}` says why"
        )
    task = _task_to_show(accepted)

    _heading(f"The task {task} as an agent sees it")
    _change2task("show", task, "--part", "agent", "--store", _short(STORE))
    _heading("Its restoration patch, graded")
    restoration = _change2task("show", task, "--part", "G", "--store", _short(STORE), quiet=True)
    _grade(task, restoration, f"show {task} --part G", solved=True)
    _heading("An empty patch, graded")
    _grade(task, b"", solved=False)

    _heading("Where everything lies")
    print(f"{_short(STORE)}  candidates with their verdicts, tasks with their patches, evidence by digest")
    print("Go on from here:")
    for words in (("explain", _rejected(candidates)), ("replay", task), ("show", task)):
        print(f"  .venv/bin/change2task {shlex.join(words)} --store {_short(STORE)}")


def _task_to_show(accepted: list[dict[str, Any]]) -> str:
    names = [str(candidate["name"]) for candidate in accepted]
    return SHOWN if SHOWN in names else names[0]


def _rejected(candidates: list[dict[str, Any]]) -> str:
    return str(next((c["name"] for c in candidates if not c["accepted"]), candidates[0]["name"]))


def _grade(task: str, patch: bytes, source: str = "", *, solved: bool) -> None:
    """Grade a patch before the user's eyes; ``source``: the command of ours that prints it."""
    grading = ("grade", task, "--patch", "-", "--store", _short(STORE))
    print(f"$ {f'change2task {source} --store {_short(STORE)} | ' if source else ''}change2task {shlex.join(grading)}")
    answer = json.loads(_change2task(*grading, "-o", "json", stdin=patch, quiet=True))
    print(f"{answer['variant']}: {'solved' if answer['solved'] else 'not solved'}\n  {answer['message']}")
    if answer["solved"] is not solved:
        raise DemoError(f"{task}: this patch was to be graded {'solved' if solved else 'not solved'}")


def _change2task(*arguments: str, stdin: bytes = b"", quiet: bool = False) -> bytes:
    """Run a command before the user's eyes, or quietly for its output."""
    if not quiet:
        _echo(arguments)
    program = str(Path(sys.executable).with_name("change2task"))
    output = subprocess.PIPE if quiet else None
    done = subprocess.run((program, *arguments), input=stdin, stdout=output, cwd=ROOT, check=False)
    if done.returncode:
        raise DemoError(f"change2task {arguments[0]} ended with {done.returncode}")
    return done.stdout or b""


def _echo(arguments: Sequence[str]) -> None:
    print(f"$ change2task {shlex.join(arguments)}", flush=True)


def _heading(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
