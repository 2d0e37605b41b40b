"""The schema that editors use: closed, complete, and free of what only an API server understands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from change2task.api.manifests import KINDS
from change2task.api.schemas import schema

EACH = pytest.mark.parametrize("kind", sorted(KINDS))


def objects(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for part in node for found in objects(part)]
    if not isinstance(node, dict):
        return []
    return ([node] if "properties" in node else []) + [found for part in node.values() for found in objects(part)]


@EACH
def test_every_object_but_metadata_is_closed(kind: str) -> None:
    open_ones = [o for o in objects(schema(KINDS[kind])) if o.get("additionalProperties") is not False]

    assert [o["title"] for o in open_ones if "title" in o] == ["ObjectMeta"]


@EACH
def test_a_document_must_say_what_it_is(kind: str) -> None:
    made = schema(KINDS[kind])

    assert made["required"] == ["apiVersion", "kind", "metadata", "spec"]
    assert made["properties"]["kind"]["const"] == kind
    assert made["properties"]["apiVersion"]["const"] == "change2task.dev/v1alpha1"


@EACH
def test_it_is_plain_json_schema_with_resolvable_references(kind: str) -> None:
    text = json.dumps(schema(KINDS[kind]))

    assert "x-kubernetes" not in text
    names = {part.split('"')[0] for part in text.split("#/$defs/")[1:]}
    assert names <= set(schema(KINDS[kind])["$defs"])
