"""``change2task schema``: the resources as JSON schemas for editors, or as CustomResourceDefinitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from change2task.api.crds import DEFINITIONS, custom_resource_definition
from change2task.api.manifests import KINDS
from change2task.api.model import Model
from change2task.api.render import render_values
from change2task.api.schemas import document_schema
from change2task.api.schemas import schema as json_schema
from change2task.cli.failures import InputError
from change2task.cli.output import Format, print_document
from change2task.corpus.exports.rows import TaskRow

_ROWS: dict[str, type[Model]] = {"TaskRow": TaskRow}
"""What is no resource, and has a published schema all the same."""


class SchemaForm(StrEnum):
    """What is printed."""

    JSON_SCHEMA = "json-schema"
    CRD = "crd"


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="[KIND]",
            help="ModernBase, TaskCandidate, TaskVariant; absent: all three. TaskRow: a line of an export.",
        ),
    ] = "",
    form: Annotated[SchemaForm, typer.Option("--form", help="json-schema or crd.")] = SchemaForm.JSON_SCHEMA,
) -> None:
    """Print the resources as JSON schema (for editors) or as CustomResourceDefinitions (for a cluster)."""
    kinds: dict[str, type[Model]] = {**KINDS, **_ROWS}
    known = {name.lower(): name for name in kinds}
    if kind and kind.lower() not in known:
        raise InputError(f"there is no kind {kind!r}; the kinds are {', '.join(kinds)}")
    wanted = [known[kind.lower()]] if kind else list(KINDS)
    if form is SchemaForm.CRD:
        if wanted[0] in _ROWS:
            raise InputError(f"{wanted[0]} is no resource of a cluster; leave --form out")
        texts = [render_values(custom_resource_definition(d)) for d in DEFINITIONS if d.model.__name__ in wanted]
        print("---\n".join(texts), end="")  # noqa: T201 - the command's output
        return
    documents = {name: document_schema(_ROWS[name]) if name in _ROWS else json_schema(KINDS[name]) for name in wanted}
    print_document(Format.JSON, documents[wanted[0]] if kind else documents)
