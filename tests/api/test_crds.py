"""The custom resource definitions are structural schemas that an API server takes, and say what the models say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

from change2task.api.conditions import ConditionType
from change2task.api.crds import DEFINITIONS, Definition, crd_files, custom_resource_definition
from change2task.api.manifests import KINDS
from change2task.api.reference import reference_pages
from change2task.api.rules import RULES
from change2task.api.schemas import structural
from tests.api.structural import faults

ROOT = Path(__file__).resolve().parents[2]
EACH = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.plural)


def nodes(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, schema
    for name, field in schema.get("properties", {}).items():
        yield from nodes(field, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield from nodes(schema[key], f"{path}[]")


def rules(definition: Definition) -> dict[str, list[dict[str, str]]]:
    return {path: node[RULES] for path, node in nodes(structural(definition.model)) if RULES in node}


@EACH
def test_the_schema_is_structural(definition: Definition) -> None:
    assert faults(structural(definition.model)) == []


@EACH
def test_names_versions_and_subresource(definition: Definition) -> None:
    made = custom_resource_definition(definition)
    (version,) = made["spec"]["versions"]

    assert made["metadata"]["name"] == f"{made['spec']['names']['plural']}.{made['spec']['group']}"
    assert made["spec"]["group"] == "change2task.dev"
    assert made["spec"]["scope"] == "Namespaced"
    assert made["spec"]["names"]["categories"] == ["change2task"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)
    assert version["subresources"] == {"status": {}}


def test_short_names() -> None:
    assert {d.model.__name__: d.short for d in DEFINITIONS} == {
        "ModernBase": "mb",
        "TaskCandidate": "tc",
        "TaskVariant": "tv",
    }
    assert {d.model.__name__ for d in DEFINITIONS} == set(KINDS)


@EACH
def test_columns_and_selectable_fields_show_fields_that_exist(definition: Definition) -> None:
    paths = {path for path, _ in nodes(structural(definition.model))}
    types = {path: node.get("type") for path, node in nodes(structural(definition.model))}

    for column in definition.columns:
        found = re.fullmatch(r"(\.status\.conditions)\[\?\(@\.type==\"(\w+)\"\)\](\.\w+)", column.path)
        if found:
            assert f"{found.group(1)}[]{found.group(3)}" in paths
            assert found.group(2) in ConditionType.__members__.values()
        elif column.path != ".metadata.creationTimestamp":
            assert types[column.path] == column.type
    assert set(definition.selectable) <= paths
    assert definition.columns[-1].name == "Age"


@EACH
def test_kubectl_explain_has_a_sentence_for_every_field(definition: Definition) -> None:
    for path, node in nodes(structural(definition.model)):
        if not path.endswith("[]") and path not in ("", ".metadata"):
            assert node.get("description"), path


@EACH
def test_conditions_merge_by_type(definition: Definition) -> None:
    conditions = structural(definition.model)["properties"]["status"]["properties"]["conditions"]

    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]
    assert {"type", "status", "reason", "lastTransitionTime"} <= set(conditions["items"]["required"])


@EACH
def test_a_newer_operator_can_write_reasons_that_an_older_definition_does_not_know(definition: Definition) -> None:
    conditions = structural(definition.model)["properties"]["status"]["properties"]["conditions"]

    assert "enum" not in conditions["items"]["properties"]["reason"]
    assert re.search(conditions["items"]["properties"]["reason"]["pattern"], "TargetDidNotFail")


@EACH
def test_status_is_never_filled_in_by_the_server(definition: Definition) -> None:
    status = structural(definition.model)["properties"]["status"]

    assert [path for path, node in nodes(status) if "default" in node] == []


@EACH
def test_every_text_and_list_of_a_spec_that_users_write_is_bounded(definition: Definition) -> None:
    if definition.short == "tv":
        return
    for path, node in nodes(structural(definition.model)["properties"]["spec"]):
        unbounded = {
            "string": "maxLength" not in node and "enum" not in node and "format" not in node,
            "array": "maxItems" not in node,
            "object": "additionalProperties" in node and "maxProperties" not in node,
        }
        assert not unbounded.get(node.get("type", ""), False) or path.endswith(".files[]"), path


@EACH
def test_defaults_of_the_server_are_those_of_the_models(definition: Definition) -> None:
    filled = _filled(structural(definition.model)["properties"]["spec"])
    model = definition.model.model_fields["spec"].annotation
    assert model is not None
    for name, info in model.model_fields.items():
        if info.alias in filled and not info.is_required():
            given = TypeAdapter(info.annotation).validate_python(filled[info.alias])
            assert given == info.get_default(), name


def _filled(schema: dict[str, Any]) -> dict[str, Any]:
    """What the API server makes of an empty object: defaults, and the defaults below them."""
    made = {}
    for name, field in schema["properties"].items():
        if "default" in field:
            value = field["default"]
            made[name] = {**_filled(field), **value} if isinstance(value, dict) and "properties" in field else value
    return made


@EACH
def test_every_rule_is_told_in_words(definition: Definition) -> None:
    for path, found in rules(definition).items():
        for rule in found:
            assert re.fullmatch(r"\S.{10,300}[^.\s]", rule["message"]), path
            assert "\n" not in rule["rule"]


def test_what_is_immutable_and_what_is_not() -> None:
    frozen = {d.short: [rule["fieldPath"] for rule in rules(d)[".spec"]] for d in DEFINITIONS}

    assert ".retention" not in frozen["mb"]
    assert ".suspend" not in frozen["tc"]
    for definition in DEFINITIONS:
        fields = structural(definition.model)["properties"]["spec"]["properties"]
        allowed = {"mb": {".mining", ".retention"}, "tc": {".suspend"}, "tv": set()}[definition.short]
        assert {f".{name}" for name in fields} - set(frozen[definition.short]) == allowed


def test_a_field_that_may_be_absent_may_neither_appear_nor_vanish() -> None:
    texts = {rule["fieldPath"]: rule["rule"] for rule in rules(DEFINITIONS[1])[".spec"]}

    assert texts[".change"] == "self.change == oldSelf.change"
    assert texts[".intent"].startswith("has(self.intent) == has(oldSelf.intent) && ")


def test_unions_and_bounds_between_fields_have_rules() -> None:
    base, candidate, variant = (rules(d) for d in DEFINITIONS)

    assert ".spec.checks" in base
    assert {".spec.change", ".spec.checks[]", ".spec.checks[].static"} <= set(candidate)
    assert {".spec.taskPatch", ".spec.hidingPatch", ".spec.restorationPatch"} <= set(variant)


@pytest.mark.parametrize("name", sorted(crd_files()))
def test_the_files_in_the_checkout_are_these(name: str) -> None:
    text = (ROOT / "crds" / name).read_text(encoding="utf-8")

    assert text == crd_files()[name]
    assert yaml.safe_load(text)["kind"] == "CustomResourceDefinition"


def test_definitions_are_small_enough_for_kubectl_apply() -> None:
    """Client-side apply copies the whole document into an annotation of at most 262144 bytes."""
    assert max(len(text) for text in crd_files().values()) < 100_000


def test_reference_pages_tell_every_field_and_rule() -> None:
    pages = reference_pages()

    assert set(pages) == {"modernbase.md", "taskcandidate.md", "taskvariant.md", "reasons.md", "labels.md"}
    assert "| `timeoutSeconds` | integer, 1 to 86,400 | `900` |" in pages["modernbase.md"]
    assert "give exactly one of pullRequest, commit and range" in pages["taskcandidate.md"]
    for definition in DEFINITIONS:
        page = pages[f"{definition.model.__name__.lower()}.md"]
        for path, _ in nodes(structural(definition.model)["properties"]["spec"]):
            name = path.rpartition(".")[2]
            assert f"`{name.removesuffix('[]')}`" in page or name in ("", "[]"), path


@EACH
def test_a_pattern_means_the_same_to_go_and_to_pydantic(definition: Definition) -> None:
    """RE2 has no look-around, back-reference, possessive or atomic group; its short classes are ASCII's."""
    for path, node in nodes(structural(definition.model)):
        if pattern := node.get("pattern"):
            assert not re.search(r"\\[sSwWdDbB]", pattern), path
            assert not re.search(r"\(\?[=!<>]|\\[1-9kpPhHRXZz]|[*+?}]\+|\(\?P=", pattern), path
            assert pattern.startswith("^"), path
            assert pattern.endswith("$"), path


@EACH
def test_what_the_server_would_hold_the_model_reads(definition: Definition) -> None:
    """A minimal spec after the server's defaults equals the minimal spec read by the command line."""
    minimal: dict[str, Any] = {
        "mb": {"repository": {"url": "https://example.org/x.git"}},
        "tc": {"baseRef": {"name": "b"}, "change": {"commit": "c"}},
        "tv": {},
    }[definition.short]
    model = definition.model.model_fields["spec"].annotation
    assert model is not None
    if not minimal:
        with pytest.raises(ValidationError):
            model.model_validate(minimal)
        return

    served = {**_filled(structural(definition.model)["properties"]["spec"]), **minimal}

    assert model.model_validate(served) == model.model_validate(minimal)
