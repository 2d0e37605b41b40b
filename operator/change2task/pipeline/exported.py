"""Grades an answer inside the verifier's image of an exported task: the same grader, on what the image holds.

It exists because whoever runs a Harbor task has no store and no sandbox, only a container of the task's own. Tests run
as a user without rights; the reward is written after the last process of theirs has ended. Where nothing can be
concluded no reward is written, which Harbor takes for a fault and never for a fail.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from change2task.api.modernbase import ModernBase
from change2task.api.taskvariant import TaskVariant
from change2task.base.environment import installed_modules
from change2task.base.inventory import Inventory
from change2task.base.places import Tools, path_folders, state_variables
from change2task.base.recipe import Recipe
from change2task.base.toolchains import Interpreter
from change2task.checks import raw
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import InfrastructureFault
from change2task.checks.reader import reader_for
from change2task.checks.running import SandboxRunner
from change2task.corpus.errors import StoreError
from change2task.corpus.exports.environment import BARE, ROOT
from change2task.corpus.store import Store
from change2task.corpus.submission import MOST_BYTES, PatchUnusable
from change2task.corpus.verdicts import Grade, NoGrade
from change2task.pipeline.grading import grade_patch
from change2task.pipeline.ports import BaseOnHand
from change2task.runtime.environment import Environment
from change2task.runtime.errors import SandboxError
from change2task.runtime.lowered import LoweredSandbox
from change2task.runtime.sandbox import Sandbox
from change2task.runtime.workspace import Workspaces
from change2task.vcs.errors import VcsError
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench

_GO: Final = Path("/usr/local/go")


@dataclass(frozen=True)
class Places:
    """Where all lies in a verifier's image. ``root`` is what states see, ``state`` is scratch of our own."""

    root: Path = Path(ROOT)
    bare: Path = Path(BARE)
    store: Path = Path("/tests/store")
    state: Path = Path("/opt/change2task/state")
    answer: Path = Path("/logs/artifacts")
    told: Path = Path("/logs/verifier")


class NoAnswer(Exception):
    """There is neither an answer nor a word why; nobody has looked."""


def main(arguments: Sequence[str]) -> int:
    """Grade the task of this name; 0 with a reward written, 3 without one."""
    places = Places()
    try:
        sandbox = LoweredSandbox(places.root)
        reward = grade_there(arguments[0], places, sandbox)
    except (NoAnswer, NoGrade, InfrastructureFault, SandboxError, StoreError, VcsError, OSError) as error:
        print(f"no verdict: {error}", file=sys.stderr)  # noqa: T201 - the program's output
        return 3
    print(json.dumps(reward))  # noqa: T201 - the program's output
    return 0


def grade_there(name: str, places: Places, sandbox: Sandbox) -> dict[str, float]:
    """Grade, and write ``reward.json`` with its reasons beside it. Raises NoAnswer, and what grading raises."""
    # The folder may be open to all, and is the host's where it is mounted.
    places.told.mkdir(parents=True, exist_ok=True)
    places.told.chmod(0o700)
    graded = _graded(name, places, sandbox)
    details = {"solved": False, "message": graded} if isinstance(graded, str) else graded.document()
    reward = {"reward": 1.0 if details["solved"] else 0.0}
    for file, content in (("reward-details.json", details), ("reward.json", reward)):
        _write(places.told / file, json.dumps(content, sort_keys=True).encode())
    places.told.chmod(0o755)
    return reward


def _graded(name: str, places: Places, sandbox: Sandbox) -> Grade | str:
    """The grade, or why an answer is none."""
    try:
        failed, patch = (raw.read(places.answer, name, MOST_BYTES + 1) for name in ("answer.failed", "answer.patch"))
    except raw.Unreadable as error:
        return str(error)
    if patch is None:
        if failed is not None:
            return failed.decode(errors="replace")[:4000]
        raise NoAnswer(f"{places.answer}/answer.patch is not there: the task's collect step was not run")
    store = Store.open(places.store, create=False).with_cache(places.state / "cache")
    variant = store.variant(name)
    base = None if variant is None else store.base(variant.spec.base.name)
    if variant is None or base is None:
        raise NoAnswer(f"{places.store} does not hold {name} and its base")
    with Workspaces(places.state, sandbox) as workspaces, Repository.open(places.bare) as healthy:
        bench = Workbench(healthy, places.state / "bench")
        on_hand = _on_hand(store, base, variant, bench, places, sandbox, workspaces)
        try:
            return grade_patch(store, on_hand, variant, patch)
        except PatchUnusable as error:
            return str(error)


def _on_hand(
    store: Store,
    base: ModernBase,
    variant: TaskVariant,
    repository: Repository,
    places: Places,
    sandbox: Sandbox,
    workspaces: Workspaces,
) -> BaseOnHand:
    made, evidence = variant.spec.base, base.status.evidence
    recipe = Recipe.model_validate_json(store.evidence(evidence["recipe"]))
    inventory = Inventory.model_validate_json(store.evidence(evidence["inventory"]))
    checks = CheckCommand(
        command=recipe.command,
        format=recipe.format,
        rebuild=recipe.rebuild,
        timeout_seconds=base.spec.checks.timeout_seconds,
        test_timeout_seconds=base.spec.checks.test_timeout_seconds,
    )
    python = recipe.toolchain == "python"
    tools = Tools(
        interpreter=Interpreter(version="", executable=places.root / "env/bin/python") if python else None,
        go_root=_GO if recipe.toolchain == "go" else None,
    )
    environment = Environment(
        folder=places.root / "env",
        leftovers=places.root / "leftovers",
        # Plain processes see the tools where they are.
        toolchain=tools.mounts() if sandbox.isolation.fixed_paths else (),
        path=path_folders(sandbox.layout, tools),
        variables={**state_variables(sandbox.layout, tools), **recipe.env},
    )
    runner = SandboxRunner(
        sandbox=sandbox,
        workspaces=workspaces,
        environment=environment,
        repository=repository,
        checks=checks,
        logs=places.state / "logs",
    )
    modules = frozenset(installed_modules(environment.folder) | sys.stdlib_module_names) - {"test", "tests"}
    return BaseOnHand(
        name=made.name,
        url=made.repository,
        key=made.key,
        commit=made.commit,
        tree=made.tree,
        environment_key=made.environment_key,
        inventory_digest=evidence["inventory"],
        healthy=frozenset(inventory.healthy),
        other={identity: check.state for identity, check in inventory.other.items()},
        check_format=checks.format,
        scope=base.spec.scope,
        repository=repository,
        runner=runner,
        modules=modules if python else frozenset(),
        build=reader_for(checks.format).build(checks.command),
    )


def _write(path: Path, content: bytes) -> None:
    """Put a file in the place of whatever lies there, also of a folder or a link."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
