"""``change2task explain``: why a candidate or a base ended as it did, from the store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from change2task.api.modernbase import ModernBase
from change2task.cli.lookup import STORE, is_unfinished, stored_resource
from change2task.corpus.explain import explain, explain_base
from change2task.corpus.store import Store


def explain_verdict(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Candidate, variant or base.")],
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
) -> None:
    """Say why this verdict, from the stored evidence alone."""
    opened = Store.open(store, create=False)
    if is_unfinished(opened, name):
        print(f"{name}: no verdict yet; run again")  # noqa: T201 - the command's output
        return
    found = stored_resource(opened, name)
    lines = explain_base(opened, found) if isinstance(found, ModernBase) else explain(opened, found)
    print("\n".join(lines))  # noqa: T201 - the command's output
