"""``change2task lock``: write what a base's setup resolved into its manifest, so that later builds get the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from change2task.api.manifests import render
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import Profile
from change2task.cli.desk import Desk
from change2task.cli.failures import InputError
from change2task.cli.inputs import read_inputs
from change2task.cli.lookup import STORE
from change2task.cli.sessions import Runtime, open_session
from change2task.corpus.store import Store
from change2task.pipeline.status import reason_of


def lock(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="File with one ModernBase.")],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder; made when missing.")] = STORE,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands run.")] = Runtime.PROCESS,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
) -> None:
    """Build the base of MANIFEST and write the lock of its dependencies into the file."""
    desk = Desk(verbose)
    inputs = read_inputs([str(manifest)], mirror or ())
    if len(inputs.bases) != 1 or inputs.candidates:
        raise InputError(f"{manifest}: lock rewrites a file that holds one ModernBase and nothing else")
    [base] = inputs.bases.values()
    opened = Store.open(store, create=True)
    with (
        desk.at_work(opened, alone=True) as cancel,
        open_session(
            opened, runtime, Profile.FULL, inputs, reporter=desk.watch, cancel=cancel, notice=desk.say
        ) as session,
    ):
        done = session.bases.drive(base).base
    digest = done.status.evidence.get("lock")
    if digest is None:
        raise InputError(f"{manifest}: base {base.metadata.name} has no lock to write: {reason_of(done).value}")
    manifest.write_text(render(_locked(base, opened.evidence(digest).decode())), encoding="utf-8")
    print(f"{manifest}: spec.environment.lock holds the dependencies of {base.metadata.name}")  # noqa: T201


def _locked(base: ModernBase, text: str) -> ModernBase:
    environment = base.spec.environment.replacing(lock=text)
    return base.replacing(spec=base.spec.replacing(environment=environment))
