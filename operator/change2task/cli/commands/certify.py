"""``change2task certify``: does anything that an agent can read hold the answer?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from change2task.cli.choices import Runtime
from change2task.cli.desk import Desk
from change2task.cli.failures import DIFFERENT, InputError
from change2task.cli.lookup import STORE, stored_variant
from change2task.cli.output import Format, print_document
from change2task.cli.sessions import reopener
from change2task.corpus.scratch import readable
from change2task.corpus.store import Store
from change2task.pipeline.certificate import LeakCertificate, certify


def certify_tasks(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Candidates or variants.")],
    path: Annotated[list[Path] | None, typer.Option("--path", help="A folder that the agent reads.")] = None,
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands run.")] = Runtime.PROCESS,
    output: Annotated[Format, typer.Option("--output", "-o", help="table, json or yaml.")] = Format.TABLE,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
) -> None:
    """Search all that an agent of a task can read for its answer, after leaks of every kind were planted and found."""
    desk = Desk(verbose)
    for folder in path or ():
        if not folder.is_dir():
            raise InputError(f"--path {folder}: is no folder")
    opened = Store.open(store, create=False)
    variants = [stored_variant(opened, name) for name in names]
    opened = readable(opened)
    with (
        desk.at_work(opened, alone=False) as cancel,
        reopener(opened, runtime, mirror or (), reporter=desk.watch, cancel=cancel, notice=desk.say) as reopen,
    ):
        bases = {variant.spec.base.key: variant.spec.base for variant in variants}
        on_hand = {key: reopen(base) for key, base in bases.items()}
        told = [certify(opened, on_hand[one.spec.base.key], one, path or ()) for one in variants]
    if output is Format.TABLE:
        for one in told:
            print("\n".join(_lines(one)))  # noqa: T201 - the command's output
    else:
        print_document(output, {"certificates": [one.document() for one in told]})
    if not all(one.sound for one in told):
        sys.stdout.flush()
        raise typer.Exit(DIFFERENT)


def _lines(told: LeakCertificate) -> list[str]:
    looked_for = ", ".join(f"{count} {what}" for what, count in told.looked_for.items())
    lines = [
        f"{told.variant}: {'sound' if told.sound else 'NOT SOUND'}: {told.message}",
        f"  looked for {looked_for}; {len(told.planted) - len(told.missed)} of {len(told.planted)} planted leaks found",
    ]
    lines += [f"  {one.weight}: {one.place}: {one.what}: {one.detail}" for one in told.findings]
    return lines + [f"  not read: {one}" for one in told.unread]
