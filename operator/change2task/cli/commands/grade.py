"""``change2task grade``: does this patch solve the task?"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from change2task.cli.choices import Runtime
from change2task.cli.desk import Desk
from change2task.cli.failures import BAD_INPUT, INFRASTRUCTURE, InfrastructureError, InputError
from change2task.cli.lookup import STORE, stored_variant
from change2task.cli.output import Format, print_document
from change2task.cli.requests import read_requests
from change2task.cli.sessions import open_rewards, reopener
from change2task.corpus.exports.swebench import log_of
from change2task.corpus.exports.task import NotExportable
from change2task.corpus.scratch import readable
from change2task.corpus.store import Store
from change2task.corpus.submission import MOST_BYTES, PatchUnusable
from change2task.corpus.verdicts import Grade, NoGrade
from change2task.pipeline.grading import grade_patch, regression_of


def grade(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Candidate or variant; none with --batch.")
    ] = None,
    patch: Annotated[str | None, typer.Option("--patch", help="File with the patch, or - for standard input.")] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", help='File of JSON lines, or -: {"id", "task", "patch"} each; rewards as JSON lines.'),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, max=256, help="Answers of a batch at a time.")
    ] = os.cpu_count() or 1,
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
    """Grade an agent's patch against a task: hidden checks on the protected files put back, and regression.

    With --batch one answer a line is read and one reward a line written as soon as it is known, in no order.
    """
    desk = Desk(verbose)
    if batch is not None:
        if name is not None or patch is not None:
            raise InputError("--batch says task and patch of each answer itself; leave NAME and --patch away")
        _batch(desk, Store.open(store, create=False), batch, jobs, runtime, mirror or ())
        return
    if name is None or patch is None:
        raise InputError("say NAME and --patch FILE for one answer, or --batch FILE for many")
    content = _read(patch)
    opened = Store.open(store, create=False)
    variant = stored_variant(opened, name)
    opened = readable(opened)
    with (
        desk.at_work(opened, alone=False) as cancel,
        reopener(opened, runtime, mirror or (), reporter=desk.watch, cancel=cancel, notice=desk.say) as reopen,
    ):
        try:
            graded = grade_patch(opened, reopen(variant.spec.base), variant, content)
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


def _batch(desk: Desk, store: Store, batch: str, jobs: int, runtime: Runtime, mirrors: list[str] | tuple[()]) -> None:
    """Stream rewards; raises typer.Exit where an answer earned none: 2 for what was asked wrongly, else 3."""
    store, worst = readable(store), 0
    with (
        read_requests(batch) as requests,
        desk.at_work(store, alone=False) as cancel,
        open_rewards(store, runtime, mirrors, reporter=desk.watch, cancel=cancel, notice=desk.say) as rewards,
    ):
        for reward in rewards.stream(requests, jobs):
            print(reward.model_dump_json(by_alias=True, exclude_none=True), flush=True)  # noqa: T201 - its output
            if reward.reward is None:
                asked = reward.fault in {"RequestUnusable", "TaskUnusable"}
                worst = BAD_INPUT if asked or worst == BAD_INPUT else INFRASTRUCTURE
    if worst:
        raise typer.Exit(worst)


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
    for sentence in graded.warnings:
        print(f"  warning: {sentence}")  # noqa: T201 - the command's output
