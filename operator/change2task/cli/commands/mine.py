"""``change2task mine``: from a repository's history to candidates, with a reason for every change that is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from change2task.api.render import render
from change2task.api.taskcandidate import Family
from change2task.cli import consoles, logs
from change2task.cli.failures import InputError
from change2task.cli.forges import Forge, ForgeApi, known_of
from change2task.cli.funnels import write_funnel
from change2task.cli.lookup import STORE
from change2task.cli.minedtables import candidate_table, document, funnel_table
from change2task.cli.mining import Ground, moment, opened
from change2task.cli.output import Format, print_document
from change2task.history.mining.selection import Wish
from change2task.history.mining.survey import Span
from change2task.history.models import ChangeUnusable
from change2task.pipeline.mining import Mined
from change2task.pipeline.mining import mine as mined


def mine(
    target: Annotated[str, typer.Argument(metavar="BASE|URL|PATH", help="A base's manifest, or a repository.")],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only changes committed on this day or later.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only changes committed on this day or before.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000, help="Most candidates.")] = 50,
    family: Annotated[
        list[Family] | None,
        typer.Option("--family", help="Only this family, and say so in the candidates; repeatable."),
    ] = None,
    minimum_score: Annotated[float, typer.Option("--minimum-score", min=0, max=1, help="Least score.")] = 0.0,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Draw so many by chance instead of the most promising.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed draws another sample.")] = 0,
    forge: Annotated[
        Path | None,
        typer.Option("--forge", help="A forge's export (JSON); with --forge-api, where the answers are kept."),
    ] = None,
    forge_api: Annotated[
        ForgeApi | None, typer.Option("--forge-api", help="Ask the forge for titles and issues.")
    ] = None,
    forge_url: Annotated[str | None, typer.Option("--forge-url", help="Its API, where it is no public one.")] = None,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", help="File with the API's token; else GITHUB_TOKEN or GITLAB_TOKEN."),
    ] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder, for mirrors of remote repositories.")] = STORE,
    output: Annotated[Format, typer.Option("--output", "-o", help="yaml, json or table.")] = Format.YAML,
    out: Annotated[Path | None, typer.Option("--out", help="Write the manifests into this file.")] = None,
    funnel: Annotated[
        Path | None, typer.Option("--funnel", help="Write the funnel into this file; run --funnel takes it on.")
    ] = None,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
) -> None:
    """Find merged changes worth trying in a history, and say of every other one why it is none.

    Prints TaskCandidates, best first, ready for run or kubectl apply, and the funnel of reasons on standard error.
    """
    console = consoles.errors()
    logs.configure(verbose, console, live=False)
    span = Span(moment(since, "--since"), moment(until, "--until", end=True))
    if span.since is not None and span.until is not None and span.since > span.until:
        raise InputError(f"--since {since} is later than --until {until}; nothing lies between them")
    wish = Wish(limit, frozenset(family or ()) - {Family.AUTO}, minimum_score, sample, seed)
    asked = Forge(forge, forge_api, forge_url, token_file)
    with opened(target, mirror or (), store) as ground:
        for told in ground.told:
            console.print(f"note: {told}; mined under {ground.head[:12]}", markup=False, soft_wrap=True)
        if ground.repository.is_shallow:
            console.print(
                "note: this history is cut short (shallow); changes beyond its end are not seen", markup=False
            )
        known = known_of(asked, ground, beside=_beside(target, out), console=console)
        try:
            found = mined(ground.repository, ground.base, ground.head, wish, span, known)
        except ChangeUnusable as unusable:
            raise InputError(f"{target}: {unusable.message}") from unusable
        console.print(funnel_table(found.funnel))
        if funnel is not None:
            write_funnel(found.funnel, funnel)
        _write(found, ground, output, out, console)


def _beside(target: str, out: Path | None) -> Path | None:
    """The folder of the manifests, where a run looks for the forge's export."""
    if out is not None:
        return out.parent
    return Path(target).parent if Path(target).is_file() else None


def _write(found: Mined, ground: Ground, output: Format, out: Path | None, console: Console) -> None:
    resources = [*(() if ground.written else (ground.base,)), *found.candidates]
    text = "---\n".join(render(one) for one in resources)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
        console.print(f"{len(found.candidates)} candidates written to {out}", markup=False, soft_wrap=True)
    if output is Format.JSON:
        print_document(Format.JSON, document(found, ground))
    elif output is Format.TABLE:
        consoles.output().print(candidate_table(found))
    elif out is None:
        sys.stdout.write(text)
    if not found.candidates:
        console.print("no candidate; the table says why", markup=False)
