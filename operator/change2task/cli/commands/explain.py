"""``change2task explain``: why a candidate ended as it did, from the store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from change2task.api.taskcandidate import TaskCandidate
from change2task.cli.lookup import STORE, stored_candidate
from change2task.corpus.explain import explain
from change2task.corpus.store import Store


def explain_verdict(
    name: Annotated[str, typer.Argument(help="Candidate or variant.")],
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
) -> None:
    """Say why this verdict, from the stored evidence alone."""
    opened = Store.open(store, create=False)
    candidate: TaskCandidate = stored_candidate(opened, name)
    for line in explain(opened, candidate):
        print(line)  # noqa: T201
