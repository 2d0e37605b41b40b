"""``change2task grade``: does this patch solve the task?"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from change2task.cli.choices import Runtime
from change2task.cli.desk import Desk
from change2task.cli.failures import InfrastructureError, InputError
from change2task.cli.lookup import STORE, stored_variant
from change2task.cli.output import Format, print_document
from change2task.cli.sessions import reopened_base
from change2task.corpus.exports.swebench import log_of
from change2task.corpus.exports.task import NotExportable
from change2task.corpus.scratch import readable
from change2task.corpus.store import Store
from change2task.corpus.submission import MOST_BYTES, PatchUnusable
from change2task.corpus.verdicts import Grade, NoGrade
from change2task.pipeline.grading import grade_patch, regression_of


def grade(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Candidate or variant.")],
    patch: Annotated[str, typer.Option("--patch", help="File with the patch, or - for standard input.")],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands run.")] = Runtime.PROCESS,
    output: Annotated[Format, typer.Option("--output", "-o", help="table, json or yaml.")] = Format.TABLE,
    log: Annotated[
        Path | None,
        typer.Option("--swe-bench-log", help="Write what came out as a log that SWE-bench's grading reads."),
    ] = None,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
) -> None:
    """Grade an agent's patch against a task: hidden checks on the protected files put back, and regression."""
    desk = Desk(verbose)
    content = _read(patch)
    opened = Store.open(store, create=False)
    variant = stored_variant(opened, name)
    opened = readable(opened)
    with (
        desk.at_work(opened, alone=False) as cancel,
        reopened_base(
            opened,
            variant.spec.base,
            runtime,
            mirror or (),
            reporter=desk.watch,
            cancel=cancel,
            notice=desk.say,
        ) as base,
    ):
        try:
            graded = grade_patch(opened, base, variant, content)
        except PatchUnusable as error:
            raise InputError(f"--patch {patch}: {error}") from error
        except NoGrade as error:
            raise InfrastructureError(str(error)) from error
    if log is not None:
        try:
            log.write_text(log_of(graded, variant, regression_of(opened, variant)), encoding="utf-8")
        except NotExportable as refusal:
            raise InputError(f"--swe-bench-log {log}: {refusal}") from refusal
    _print(graded, output)


def _read(patch: str) -> bytes:
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if patch == "-" else Path(patch).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"--patch {patch}: cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise InputError(f"--patch {patch}: larger than {MOST_BYTES >> 20} MiB")
    return content


def _print(graded: Grade, output: Format) -> None:
    if output is not Format.TABLE:
        print_document(output, graded.document())
        return
    print(f"{graded.variant}: {'solved' if graded.solved else 'not solved'}")  # noqa: T201 - the command's output
    print(f"  {graded.message}")  # noqa: T201 - the command's output
