"""``change2task replay``: run the three states of a task again and compare test by test."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from change2task.api.taskvariant import Replayed
from change2task.cli.asking import replay_there
from change2task.cli.choices import Runtime
from change2task.cli.cluster import Kubeconfig, connected
from change2task.cli.desk import Desk
from change2task.cli.failures import DIFFERENT, InputError
from change2task.cli.lookup import STORE, stored_variant
from change2task.cli.output import Format, print_document
from change2task.cli.sessions import reopener
from change2task.corpus.scratch import readable
from change2task.corpus.store import Store
from change2task.pipeline.grading import Replay
from change2task.pipeline.grading import replay as replay_variant
from change2task.pipeline.keys import MOST_REPLAYS
from change2task.validate.flakes import Decision, FlakeRate, decide, flake_rate

MOST = 1000


def replay(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Candidate or variant.")],
    times: Annotated[
        int | None,
        typer.Option("--times", "-n", min=1, max=MOST, help="How often; 1, with --until up to 1000."),
    ] = None,
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands run.")] = Runtime.PROCESS,
    output: Annotated[Format, typer.Option("--output", "-o", help="table, json or yaml.")] = Format.TABLE,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
    until: Annotated[
        float | None,
        typer.Option("--until", min=0.001, max=0.5, help="Stop once it is clear whether this share differs."),
    ] = None,
    cluster: Annotated[bool, typer.Option("--cluster", help="On a cluster, by its operator.")] = False,
    namespace: Annotated[str, typer.Option("--namespace", help="Namespace on the cluster.")] = "default",
    kubeconfig: Kubeconfig = None,
    timeout: Annotated[int, typer.Option("--timeout", min=1, help="Seconds to wait for a cluster.")] = 3600,
) -> None:
    """Run a task's healthy, task and restored states again on fresh trees and compare every check.

    Ends with 1 if any check came out otherwise than the stored task says: a finding about the task.
    """
    desk = Desk(verbose)
    times = times or (1 if until is None else MOST)
    if cluster:
        if until is not None:
            raise InputError("--until: a cluster replays as often as --times says; leave --until away")
        if times > MOST_REPLAYS:
            raise InputError(f"--times {times}: a cluster replays at most {MOST_REPLAYS} times for one request")
        told = replay_there(connected(kubeconfig), namespace, name, times, seconds=timeout, say=desk.say)
        _print_told(name, told, output)
        return
    opened = Store.open(store, create=False)
    variant = stored_variant(opened, name)
    opened = readable(opened)
    with (
        desk.at_work(opened, alone=False) as cancel,
        reopener(opened, runtime, mirror or (), reporter=desk.watch, cancel=cancel, notice=desk.say) as reopen,
    ):
        base = reopen(variant.spec.base)
        replays: list[Replay] = []
        while len(replays) < times and not _decided(replays, until):
            replays.append(replay_variant(opened, base, variant, len(replays)))
    rate = flake_rate(len(replays), sum(not one.same for one in replays))
    if output is not Format.TABLE:
        told_all = {"variant": variant.metadata.name, "replays": [r.document() for r in replays]}
        print_document(output, {**told_all, "flakeRate": rate.document()})
    else:
        _print_table(replays)
        if len(replays) > 1:
            print(_rate_line(rate, until))  # noqa: T201 - the command's output
    if not all(done.same for done in replays):
        sys.stdout.flush()
        raise typer.Exit(DIFFERENT)


def _decided(replays: Sequence[Replay], until: float | None) -> bool:
    if until is None or not replays:
        return False
    rate = flake_rate(len(replays), sum(not one.same for one in replays))
    return decide(rate, until) is not Decision.UNDECIDED


def _rate_line(rate: FlakeRate, until: float | None) -> str:
    decided = "" if until is None else f": {decide(rate, until)} by the measure of {until:.1%}"
    bounds = f"between {rate.at_least:.1%} and {rate.at_most:.1%}, each bound with 95 %"
    return f"{rate.differed} of {rate.runs} replays differ; the rate is {bounds}{decided}"


def _print_told(name: str, told: Replayed, output: Format) -> None:
    """What a cluster says; raises typer.Exit as replays on a machine do."""
    if output is not Format.TABLE:
        print_document(output, {"name": name, "replayed": told.document()})
    else:
        state = "same" if told.same else "DIFFERENT"
        print(f"{name}: {state}, {told.checks} checks over three states; {told.message}")  # noqa: T201 - its output
        for line in told.differences:
            print(f"  {line}")  # noqa: T201 - the command's output
    if not told.same:
        sys.stdout.flush()
        raise typer.Exit(DIFFERENT)


def _print_table(replays: Sequence[Replay]) -> None:
    for number, done in enumerate(replays, 1):
        state = "same" if done.same else "DIFFERENT"
        print(f"replay {number}: {state}, {done.checks} checks over three states; {done.verdict.message}")  # noqa: T201
        for line in done.differences[:20]:
            print(f"  {line}")  # noqa: T201 - the command's output
