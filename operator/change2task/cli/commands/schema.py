"""``change2task schema``: the resources as JSON schemas for editors, or as CustomResourceDefinitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
import yaml

from change2task.api import crds
from change2task.cli.failures import InputError
from change2task.cli.output import Format, print_document


class SchemaForm(StrEnum):
    """What is printed."""

    JSON_SCHEMA = "json-schema"
    CRD = "crd"


def schema(
    kind: Annotated[str, typer.Argument(help="ModernBase, TaskCandidate or TaskVariant; absent: all.")] = "",
    form: Annotated[SchemaForm, typer.Option("--form", help="json-schema or crd.")] = SchemaForm.JSON_SCHEMA,
) -> None:
    """Print the resources as JSON schema (for editors) or as CustomResourceDefinitions (for a cluster)."""
    known = {name.lower(): name for name in crds.KIND_NAMES}
    if kind and kind.lower() not in known:
        raise InputError(f"there is no kind {kind!r}; the kinds are {', '.join(crds.KIND_NAMES)}")
    wanted = [known[kind.lower()]] if kind else list(crds.KIND_NAMES)
    if form is SchemaForm.CRD:
        print("---\n".join(yaml.safe_dump(crds.crd(name), sort_keys=False) for name in wanted), end="")  # noqa: T201
        return
    documents = {name: crds.schema(name) for name in wanted}
    print_document(Format.JSON, documents[wanted[0]] if kind else documents)
