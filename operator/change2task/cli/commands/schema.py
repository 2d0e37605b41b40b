"""``change2task schema``: the resources as JSON schemas for editors, or as CustomResourceDefinitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from change2task.api.crds import DEFINITIONS, custom_resource_definition
from change2task.api.manifests import KINDS
from change2task.api.render import render_values
from change2task.api.schemas import schema as json_schema
from change2task.cli.failures import InputError
from change2task.cli.output import Format, print_document


class SchemaForm(StrEnum):
    """What is printed."""

    JSON_SCHEMA = "json-schema"
    CRD = "crd"


def schema(
    kind: Annotated[
        str, typer.Argument(metavar="[KIND]", help="ModernBase, TaskCandidate or TaskVariant; absent: all three.")
    ] = "",
    form: Annotated[SchemaForm, typer.Option("--form", help="json-schema or crd.")] = SchemaForm.JSON_SCHEMA,
) -> None:
    """Print the resources as JSON schema (for editors) or as CustomResourceDefinitions (for a cluster)."""
    known = {name.lower(): name for name in KINDS}
    if kind and kind.lower() not in known:
        raise InputError(f"there is no kind {kind!r}; the kinds are {', '.join(KINDS)}")
    wanted = [known[kind.lower()]] if kind else list(KINDS)
    if form is SchemaForm.CRD:
        texts = [render_values(custom_resource_definition(d)) for d in DEFINITIONS if d.model.__name__ in wanted]
        print("---\n".join(texts), end="")  # noqa: T201 - the command's output
        return
    documents = {name: json_schema(KINDS[name]) for name in wanted}
    print_document(Format.JSON, documents[wanted[0]] if kind else documents)
