"""The three CustomResourceDefinitions as Kubernetes takes them: names, columns, selectable fields, schema.

Everything below ``schema.openAPIV3Schema`` is made from the models, so that the cluster and the command line
can never disagree on a manifest. Writing the files is left to ``hack/generate.py``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from change2task.api.metadata import GROUP, VERSION
from change2task.api.modernbase import ModernBase
from change2task.api.render import render_values
from change2task.api.schemas import structural
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant


class Column(NamedTuple):
    """A column of ``kubectl get``; ``wide`` ones are shown with ``-o wide`` only."""

    name: str
    path: str
    type: str = "string"
    wide: bool = False
    description: str = ""


def _of_condition(kind: str, field: str) -> str:
    return f'.status.conditions[?(@.type=="{kind}")].{field}'


_READY: Final = Column("Ready", _of_condition("Ready", "status"), description="Whether all work on it is done.")
_WHY: Final = Column("Reason", _of_condition("Ready", "reason"), description="Why it is ready or not.")
_AGE: Final = Column("Age", ".metadata.creationTimestamp", "date")


class Definition(NamedTuple):
    """What a CustomResourceDefinition says besides its schema."""

    model: type[ModernBase | TaskCandidate | TaskVariant]
    plural: str
    short: str
    columns: tuple[Column, ...]
    selectable: tuple[str, ...] = ()


DEFINITIONS: Final = (
    Definition(
        ModernBase,
        "modernbases",
        "mb",
        (
            Column("Revision", ".status.commit", description="The frozen commit."),
            Column("Image", ".status.environment.image", description="The base image."),
            Column("Healthy", ".status.inventory.healthy", "integer", description="Checks that pass on every repeat."),
            _READY,
            _WHY,
            Column("Message", _of_condition("Ready", "message"), wide=True),
            _AGE,
        ),
    ),
    Definition(
        TaskCandidate,
        "taskcandidates",
        "tc",
        (
            Column("Base", ".spec.baseRef.name"),
            Column("Family", ".status.family"),
            Column("Level", ".status.level", "integer", description="The paper's level that made the task."),
            Column("Accepted", ".status.accepted", "boolean", description="The verdict; empty while there is none."),
            Column("Reason", ".status.reason", description="The verdict's reason."),
            Column("State", _of_condition("Ready", "reason"), description="How far it is, or what it waits for."),
            Column("Strategy", ".status.strategy", wide=True),
            Column("Variant", ".status.variantRef.name", wide=True),
            Column("Message", _of_condition("Ready", "message"), wide=True),
            _AGE,
        ),
        (".spec.baseRef.name", ".spec.family"),
    ),
    Definition(
        TaskVariant,
        "taskvariants",
        "tv",
        (
            Column("Base", ".spec.base.name"),
            Column("Family", ".spec.family"),
            Column("Targets", ".status.checks.target", "integer", description="Checks an answer must make pass."),
            Column("Verified", _of_condition("Verified", "status")),
            Column("Level", ".spec.level", "integer", wide=True),
            Column("Title", ".spec.statement.title", wide=True),
            _AGE,
        ),
        (".spec.base.name", ".spec.family"),
    ),
)


def custom_resource_definition(definition: Definition) -> dict[str, Any]:
    """One whole CustomResourceDefinition (apiextensions.k8s.io/v1)."""
    kind = definition.model.__name__
    version: dict[str, Any] = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": [_column(column) for column in definition.columns],
    }
    if definition.selectable:
        version["selectableFields"] = [{"jsonPath": path} for path in definition.selectable]
    version["schema"] = {"openAPIV3Schema": structural(definition.model)}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{definition.plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": definition.plural,
                "singular": kind.lower(),
                "shortNames": [definition.short],
                "categories": ["change2task"],
            },
            "versions": [version],
        },
    }


def _column(column: Column) -> dict[str, Any]:
    made: dict[str, Any] = {"name": column.name, "type": column.type, "jsonPath": column.path}
    if column.description:
        made["description"] = column.description
    if column.wide:
        made["priority"] = 1
    return made


def crd_files() -> dict[str, str]:
    """File name to YAML of every CustomResourceDefinition."""
    return {f"{d.plural}.yaml": render_values(custom_resource_definition(d)) for d in DEFINITIONS}
