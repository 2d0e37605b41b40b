"""What a pass needs before it can run, and what is read when it has: the same for every runtime.

It exists so that a sandbox of this machine and a pod lay the same files, set the same variables and read the same
results. Starting something in between is left to the runtimes.
"""

from __future__ import annotations

from pathlib import Path

from change2task.api.model import Model
from change2task.checks.passes import PassOrder
from change2task.checks.plan import CheckRequest, PassPlan
from change2task.checks.reader import plan_pass, reader_for
from change2task.checks.readers.script import FORMAT as SCRIPT
from change2task.checks.results import Reading
from change2task.runtime.environment import Environment
from change2task.runtime.models import Layout
from change2task.vcs.materialise import materialise
from change2task.vcs.repository import Repository


class CheckCommand(Model):
    """How the checks of a base are run, from its manifest or its recipe."""

    command: tuple[str, ...]
    format: str
    reports: tuple[str, ...] | None = None
    rebuild: tuple[str, ...] = ()
    env: dict[str, str] = {}
    timeout_seconds: float
    test_timeout_seconds: float


def plan_order(order: PassOrder, checks: CheckCommand, nonce: str) -> PassPlan:
    """The plan of one pass under a fresh nonce. ValueError as ``plan_pass``."""
    script = order.script
    request = CheckRequest(
        command=checks.command if script is None else script.command,
        format=_format(order, checks),
        reports=checks.reports,
        ids=order.ids if script is None else (script.id,),
        scopes=order.scopes,
        script_files={} if script is None else script.files,
        perturbation=order.perturbation,
        test_timeout_seconds=checks.timeout_seconds if script and script.patient else checks.test_timeout_seconds,
        total_timeout_seconds=checks.timeout_seconds,
        nonce=nonce,
        rebuild=checks.rebuild,
        env={"PYTHONDONTWRITEBYTECODE": "1", **checks.env},
    )
    return plan_pass(order.label, request)


def lay(
    order: PassOrder, plan: PassPlan, repository: Repository, environment: Environment, work: Path, into: Path
) -> None:
    """The order's tree and the environment's leftovers in the empty folder ``work``, the plan's files ``into`` another.

    Raises OSError.
    """
    materialise(repository, repository.tree(order.tree), work)
    environment.lay_leftovers(work)
    for name, text in plan.files.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def variables(plan: PassPlan, environment: Environment, layout: Layout) -> dict[str, str]:
    """The whole environment of a plan's command."""
    folders = layout.model_dump()
    places = {f"C2T_{name.upper()}": folders[name] for name in ("work", "plan", "results", "home")}
    return {**environment.command_env(layout), **plan.env, **places}


def read(order: PassOrder, checks: CheckCommand, results: Path, nonce: str) -> Reading:
    """What the pass with this nonce left in its results folder, read as hostile bytes."""
    return reader_for(_format(order, checks)).read(results, nonce)


def _format(order: PassOrder, checks: CheckCommand) -> str:
    return checks.format if order.script is None else SCRIPT
