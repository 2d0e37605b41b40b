"""``change2task import``: rows of a benchmark as manifests, and of every row that is none the reason why."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from change2task.api.modernbase import Revision
from change2task.api.render import render
from change2task.api.taskcandidate import Change
from change2task.cli import consoles
from change2task.cli.failures import InputError
from change2task.cli.inputs import read_mirrors
from change2task.cli.output import Format, print_document
from change2task.history.benchmarks.formats import Imported, imported
from change2task.history.benchmarks.locate import located, unlocated
from change2task.history.benchmarks.rows import RowFault, RowsUnreadable, read_rows
from change2task.pipeline.importing import Rows, manifests
from change2task.pipeline.mining import head_of
from change2task.vcs.errors import VcsError
from change2task.vcs.mirror import local_path
from change2task.vcs.repository import Repository

_SUFFIXES = frozenset((".jsonl", ".ndjson", ".json", ".yaml", ".yml"))
_TOLD = 50


class RowFormat(StrEnum):
    """Benchmarks whose rows can be read."""

    SWE_BENCH = "swe-bench"
    PYMIGBENCH = "pymigbench"
    JSONL = "jsonl"


def import_rows(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Rows: JSON lines, a JSON list, YAML, or a folder.")],
    form: Annotated[RowFormat, typer.Option("--format", help="swe-bench, pymigbench or jsonl.")],
    repository: Annotated[
        list[str] | None,
        typer.Option("--repository", help="NAME=URL of a repository in rows, or the URL of rows that name none."),
    ] = None,
    healthy: Annotated[
        list[str] | None, typer.Option("--healthy", help="[NAME=]REVISION that bases stand on; default: HEAD.")
    ] = None,
    mirror: Annotated[
        list[str] | None, typer.Option("--mirror", help="URL=PATH on this machine, where changes are looked for.")
    ] = None,
    output: Annotated[Format, typer.Option("--output", "-o", help="yaml, json or table.")] = Format.YAML,
    out: Annotated[Path | None, typer.Option("--out", help="Write the manifests into this file.")] = None,
) -> None:
    """Turn rows of a benchmark into ModernBases and TaskCandidates; rows that cannot be used are told with the reason.

    With a mirror each change is proved to be in the history; without one the rows are believed.
    """
    console = consoles.errors()
    places = read_mirrors(mirror or ())
    urls, default = _repositories(repository or ())
    with ExitStack() as stack:
        histories: dict[str, tuple[Repository, str] | None] = {}
        revisions = _healthy(healthy or ())

        def locate(url: str, row: Imported) -> Change | None:
            if url not in histories:
                wanted = revisions.get(row.repository or url) or revisions.get("")
                histories[url] = _history(stack, places.get(url, url), wanted)
            history = histories[url]
            return unlocated(row) if history is None else located(row, *history)

        found = manifests(
            _rows(file, form.value), form=form.value, urls=urls, default=default, healthy=revisions, locate=locate
        )
    for fault in found.faults[:_TOLD]:
        console.print(f"not used: {fault}", markup=False, soft_wrap=True)
    if len(found.faults) > _TOLD:
        console.print(f"not used: and {len(found.faults) - _TOLD} more; -o json lists all")
    made = f"{len(found.candidates)} candidates on {len(found.bases)} bases"
    console.print(f"{found.rows} rows: {made}, {len(found.faults)} not used")
    if not found.candidates:
        raise InputError(f"{file}: no row could be used as {form.value}")
    _write(found, output, out)


def _rows(file: Path, form: str) -> Iterator[Imported | RowFault]:
    if not file.exists():
        raise InputError(f"{file}: there is no such file or folder")
    paths = sorted(p for p in file.rglob("*") if p.suffix in _SUFFIXES) if file.is_dir() else [file]
    if not paths:
        raise InputError(f"{file}: the folder holds no {', '.join(sorted(_SUFFIXES))} file")
    for path in paths:
        try:
            for row in read_rows(path.read_bytes(), str(path)):
                yield row if isinstance(row, RowFault) else imported(row, form)
        except RowsUnreadable as error:
            if len(paths) == 1:
                raise InputError(str(error)) from error
            yield RowFault(0, "", str(error))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _repositories(given: Sequence[str]) -> tuple[dict[str, str], str | None]:
    urls: dict[str, str] = {}
    default: str | None = None
    for text in given:
        name, mark, url = text.partition("=")
        if mark and url and ":" in url and ":" not in name:
            urls[name] = url
        elif ":" in text and default is None:
            default = text
        else:
            raise InputError(f"--repository {text}: write it as NAME=URL, or once as the URL of rows that name none")
    return urls, default


def _healthy(given: Sequence[str]) -> dict[str, str]:
    return {name: revision for name, _, revision in (text.rpartition("=") for text in given)}


def _history(stack: ExitStack, source: str, healthy: str | None) -> tuple[Repository, str] | None:
    path = local_path(source)
    if path is None:
        return None
    try:
        repository = stack.enter_context(Repository.open(path))
        head, _ = head_of(repository, Revision(healthy=healthy or "HEAD"))
    except VcsError as error:
        raise InputError(f"--mirror {source}: {error}") from error
    return repository, head


def _write(found: Rows, output: Format, out: Path | None) -> None:
    text = "---\n".join([*map(render, found.bases), *map(render, found.candidates)])
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    if output is Format.JSON:
        resources = [one.model_dump(mode="json", exclude_defaults=True) for one in (*found.bases, *found.candidates)]
        faults = [{"row": fault.line, "field": fault.field, "reason": fault.reason} for fault in found.faults]
        print_document(Format.JSON, {"rows": found.rows, "resources": resources, "notUsed": faults})
    elif output is Format.TABLE:
        for one in found.candidates:
            print(f"{one.metadata.name}  {one.spec.change.label()}  {one.spec.family.value}")  # noqa: T201 - its output
    elif out is None:
        sys.stdout.write(text)
