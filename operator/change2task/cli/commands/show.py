"""``change2task show``: a task as an agent meets it, and the parts that are hidden from the agent."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from change2task.api.taskvariant import Check, OracleStrength, Statement, TaskVariant
from change2task.cli.lookup import STORE, stored_variant
from change2task.corpus.labelled import labels, traces_left
from change2task.corpus.store import Store


class Part(StrEnum):
    """What is shown."""

    AGENT = "agent"
    CHECKS = "checks"
    D = "D"
    T = "T"
    G = "G"
    ALL = "all"


def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Candidate or variant.")],
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
    part: Annotated[
        Part,
        typer.Option(
            "--part",
            help="agent: what an agent sees; checks: what decides, and what else is to be known of it; D, T, G: that"
            " patch alone; all: everything.",
        ),
    ] = Part.ALL,
) -> None:
    """Print a task: its statement, checks, task patch D, hiding patch T and restoration patch G."""
    opened = Store.open(store, create=False)
    variant = stored_variant(opened, name)
    patches = {
        Part.D: variant.spec.task_patch,
        Part.T: variant.spec.hiding_patch,
        Part.G: variant.spec.restoration_patch,
    }
    if part in patches:
        sys.stdout.buffer.write(opened.patch(patches[part]))
        return
    if part in {Part.AGENT, Part.ALL}:
        print(statement(variant))  # noqa: T201
    if part in {Part.CHECKS, Part.ALL}:
        print("\n".join(_checks(variant)))  # noqa: T201
    if part is Part.ALL:
        for title, key in (("task patch D", Part.D), ("hiding patch T", Part.T), ("restoration patch G", Part.G)):
            print(f"\n--- {title} ---", flush=True)  # noqa: T201
            sys.stdout.buffer.write(opened.patch(patches[key]))
            sys.stdout.buffer.flush()


def statement(variant: TaskVariant) -> str:
    """The task in the agent's words."""
    spec = variant.spec
    lines = [
        f"# {spec.statement.title}",
        "",
        spec.goal,
        "",
        *([spec.statement.body, ""] if spec.statement.body else []),
        *_interface(spec.statement),
        f"repository  {spec.base.repository} (the agent's tree is {spec.trees.agent})",
        f"family      {spec.family.value}",
        f"hand in     {spec.output.output}",
        f"may change  {', '.join(spec.output.permitted)}",
    ]
    return "\n".join(lines)


def _interface(statement: Statement) -> list[str]:
    if not statement.interface:
        return []
    lines = []
    for title, group in (
        ("Checks use these names:", [one for one in statement.interface if " " not in one.name]),
        ("Checks compare these texts:", [one for one in statement.interface if " " in one.name]),
    ):
        if group:
            lines += [title, *(f"- `{one.name}` in `{one.path}`" for one in group), ""]
    return lines


def _oracle(strength: OracleStrength | None) -> list[str]:
    """What the checks ask of an answer, and what it may lack."""
    if strength is None or not strength.parts:
        return []
    more = f"; {strength.untried} more were not tried" if strength.untried else ""
    lines = [f"checks notice {strength.noticed} of {strength.parts} parts of the restoration, each left out once{more}"]
    idle = ", which changes no hidden check when it alone is restored"
    lines += [
        f"  not noticed: {one.path}:{one.line} {one.name or one.kind}{idle if one.idle else ''}"
        for one in strength.unnoticed
    ]
    return lines


def _checks(variant: TaskVariant) -> list[str]:
    checks = variant.spec.checks
    hidden = [check for check in checks.targets if check.hidden]
    known = [check for check in checks.targets if not check.hidden]
    lines = ["", f"{variant.metadata.name}, made on commit {variant.spec.base.commit}"]
    for title, group in (
        ("target {}, hidden from the agent:", hidden),
        ("target {}, read in the code and known to the agent:", known),
        ("observer {}, hidden and graded like targets:", checks.observers),
    ):
        if group:
            lines.append(f"{len(group)} {title.format('check' if len(group) == 1 else 'checks')}")
            lines += [f"  {_named(check)}" for check in group]
    hidden_too = len(checks.hidden_regression)
    own = f", {hidden_too} of them the change's own and hidden from the agent" if hidden_too else ""
    lines.append(f"{checks.regression_count} regression checks{own}")
    for title, told in (
        (
            "names the change and is not in the agent's tree:",
            [f"{path}: {how}" for path, how in variant.spec.traces.items()],
        ),
        ("of the change, and in the agent's tree all the same:", list(traces_left(variant.spec))),
        ("of the answer, and in the statement all the same:", list(variant.spec.shared)),
        ("labels:", [f"{label}: {label.sentence}" for label in labels(variant.spec)]),
    ):
        if told:
            lines += [title, *(f"  {one}" for one in told)]
    if variant.spec.statement.code_cut:
        lines.append(
            f"{variant.spec.statement.code_cut} pieces of the answer's code were cut out of the author's words"
        )
    lines += _oracle(variant.spec.oracle)
    return lines


def _named(check: Check) -> str:
    oracle = check.static
    if oracle is None:
        return check.id
    rules = [f"{', '.join(oracle.gone)} gone"] if oracle.gone else []
    rules += [f"{', '.join(oracle.used)} used"] if oracle.used else []
    where = f" in {', '.join(oracle.paths)}" if oracle.paths else ""
    return f"{check.id}: {', '.join(rules)}{where}"
