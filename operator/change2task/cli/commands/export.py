"""``change2task export``: tasks in the forms that others read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from change2task.cli.cluster import Kubeconfig, Namespace, OnCluster, RegistryAuth, cluster_store
from change2task.cli.failures import InputError
from change2task.cli.inputs import read_mirrors
from change2task.cli.lookup import STORE
from change2task.cli.selecting import Selection, Term
from change2task.corpus.exports.corpus import Export, Wishes
from change2task.corpus.exports.corpus import export as render
from change2task.corpus.exports.manifest import EarlierUnreadable, read_earlier
from change2task.corpus.exports.selection import known_ids
from change2task.corpus.exports.task import Images
from change2task.corpus.exports.writing import TakenOut, earlier_manifest, writing
from change2task.corpus.scratch import readable
from change2task.corpus.store import MARKER, Store
from change2task.pipeline.exporting import gathered


class ExportFormat(StrEnum):
    """What an export is written as."""

    HARBOR = "harbor"
    SWE_BENCH = "swe-bench"
    JSONL = "jsonl"
    OCI = "oci"


def export(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="[STORE] [NAME...] OUT",
            help="Candidates, tasks or bases to take, and the folder to write; a first folder that is a store is one.",
        ),
    ],
    form: Annotated[ExportFormat, typer.Option("--format", help="harbor, swe-bench, jsonl or oci.")],
    store: Annotated[Path | None, typer.Option("--store", help=f"Store folder; default: {STORE}.")] = None,
    selector: Annotated[
        list[str] | None,
        typer.Option(
            "--selector",
            "-l",
            help="KEY=VALUE or KEY!=VALUE of base, family, level, strategy, output, repository or candidates' labels.",
        ),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option("--images", help="JSON: task to {environment, verifier}, images that were pushed, by digest."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option("--start-image", help="NAME=IMAGE, what Dockerfiles start from instead of the image NAME."),
    ] = None,
    known: Annotated[
        list[Path] | None, typer.Option("--known-ids", help="Ids or rows of other benchmarks; overlap is flagged.")
    ] = None,
    boundary: Annotated[
        str | None, typer.Option("--split-date", help="YYYY-MM-DD from which changes are in the later split.")
    ] = None,
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    cluster: OnCluster = False,
    namespace: Namespace = "default",
    kubeconfig: Kubeconfig = None,
    registry_auth: RegistryAuth = None,
) -> None:
    """Write accepted tasks as a dataset that other tools read, with a manifest, a card and splits.

    The same tasks give the same bytes. Where an earlier export lies, what came and what was retired is told.
    """
    folder, names, out = _places(places, store, cluster)
    terms = [Term.read(text) for text in selector or ()]
    pushed = _images(images)
    replaced = dict(_pair(text, "--start-image") for text in start or ())
    ids = frozenset(one for path in known or () for one in known_ids(_text(path, "--known-ids")))
    with _opened(folder, cluster, kubeconfig, namespace, tuple(names), registry_auth) as opened:
        with _refusing(out):
            before = earlier_manifest(out)
            earlier = None if before is None else read_earlier(before, form.value)
        selection = Selection(opened, names, terms)
        with gathered(opened, selection.wants, read_mirrors(mirror or ()), pushed) as found:
            selection.check({task.id for task in found.tasks}, found.left_out)
            wishes = Wishes(
                format=form.value, tool=version("change2task"), images=replaced, known=ids, boundary=_day(boundary)
            )
            with _refusing(out), writing(out) as take:
                made = render(
                    found.tasks,
                    wishes,
                    earlier=earlier,
                    left_out=found.left_out,
                    unasked=found.unasked,
                    take=take,
                )
    _print(made, out, form)


@contextmanager
def _opened(
    folder: Path,
    cluster: bool,
    kubeconfig: Path | None,
    namespace: str,
    names: tuple[str, ...],
    auth: Path | None,
) -> Iterator[Store]:
    if not cluster:
        yield readable(Store.open(folder, create=False))
        return
    with cluster_store(kubeconfig, namespace, names, auth) as opened:
        yield opened


def _places(places: list[str], store: Path | None, cluster: bool) -> tuple[Path, list[str], Path]:
    """The store, the names, and where to write; a first word that is a store's folder is the store."""
    *names, out = places
    if store is None and not cluster and names and (Path(names[0]) / MARKER).is_file():
        store = Path(names.pop(0))
    elif store is None and not cluster and (Path(out) / MARKER).is_file():
        raise InputError(f"{out} is a store; say after it where the export is to be written")
    return store or STORE, names, Path(out)


@contextmanager
def _refusing(out: Path) -> Iterator[None]:
    try:
        yield
    except (TakenOut, EarlierUnreadable) as refusal:
        raise InputError(f"{out}: {refusal}") from refusal


def _pair(text: str, option: str) -> tuple[str, str]:
    key, mark, value = text.partition("=")
    if not (mark and key and value):
        raise InputError(f"{option} {text}: write it as NAME=IMAGE")
    return key, value


def _day(text: str | None) -> str | None:
    if text is not None and not (len(text) == 10 and text[4] == text[7] == "-" and text.replace("-", "").isdigit()):
        raise InputError(f"--split-date {text}: write it as YYYY-MM-DD")
    return text


def _images(path: Path | None) -> dict[str, Images]:
    if path is None:
        return {}
    try:
        document = json.loads(_text(path, "--images"))
        return {task: Images(**one) for task, one in document.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f'--images {path}: write it as {{"tv-…": {{"environment": "IMAGE@sha256:…", "verifier": "…"}}}} ({error})'
        ) from error


def _text(path: Path, option: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option} {path}: cannot be read: {error}") from error


def _print(made: Export, out: Path, form: ExportFormat) -> None:
    told = made.version
    print(f"{len(made.held)} tasks written to {out} as {form.value}, version {told['version']}")  # noqa: T201
    for name, why in sorted(made.left_out.items()):
        print(f"  left out {name}: {why}")  # noqa: T201 - the command's output
    for one in made.duplicates:
        print(f"  left out {one.task}: nearly the same as {one.like} ({one.likeness:.2f})")  # noqa: T201
    for task, ids in sorted(made.overlapping.items()):
        if ids:
            print(f"  flagged {task}: overlaps with {', '.join(ids)}")  # noqa: T201 - the command's output
    for retired in told["retired"]:
        print(f"  retired {retired['task']}: {retired['why']}")  # noqa: T201 - the command's output
