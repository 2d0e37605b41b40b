"""``change2task run``: from manifests to verified tasks on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from change2task.api.taskcandidate import Profile
from change2task.cli import consoles
from change2task.cli.choices import Choices, Runtime
from change2task.cli.desk import Desk
from change2task.cli.failures import InfrastructureError
from change2task.cli.funnels import completed, read_funnel, write_funnel
from change2task.cli.inputs import read_inputs, unread_mirrors
from change2task.cli.lookup import STORE
from change2task.cli.minedtables import funnel_table
from change2task.cli.output import Format, print_outcome
from change2task.cli.sessions import open_session
from change2task.corpus.store import Store
from change2task.pipeline.run import Run


def run(
    manifests: Annotated[
        list[str], typer.Argument(metavar="MANIFEST...", help="Files, folders, or - for standard input.")
    ],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder; made when missing.")] = STORE,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands run.")] = Runtime.PROCESS,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Candidates at a time.")] = os.cpu_count()
    or 1,
    output: Annotated[Format, typer.Option("--output", "-o", help="table, json or yaml.")] = Format.TABLE,
    profile: Annotated[
        Profile, typer.Option("--profile", help="paper: exactly the paper's levels 1 and 2; full: everything.")
    ] = Profile.FULL,
    funnel: Annotated[
        Path | None, typer.Option("--funnel", help="A funnel that mine wrote, to be taken on by these verdicts.")
    ] = None,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
) -> None:
    """Turn the candidates of MANIFEST... into verified tasks, or say why not."""
    desk = Desk(verbose)
    inputs = read_inputs(manifests, mirror or (), Choices(runtime, profile))
    begun = None if funnel is None else read_funnel(funnel)
    for unread in unread_mirrors(inputs):
        desk.say(f"note: {unread}")
    opened = Store.open(store, create=True)
    with (
        desk.at_work(opened, alone=True) as cancel,
        open_session(opened, runtime, profile, inputs, reporter=desk.watch, cancel=cancel, notice=desk.say) as session,
    ):
        outcome = Run(
            bases=session.bases, candidates=session.candidates, reporter=desk.watch, jobs=jobs, cancel=cancel
        ).run(inputs.bases.values(), inputs.candidates)
    print_outcome(output, consoles.output(), outcome.bases, outcome.candidates)
    if begun is not None and funnel is not None:
        whole = completed(begun, outcome.candidates, funnel)
        write_funnel(whole, funnel)
        desk.console.print(funnel_table(whole))
    if outcome.faults:
        raise InfrastructureError("the machine failed, these have no verdict:\n  " + "\n  ".join(outcome.faults))
