"""The API server takes the resource definitions, and refuses by them in words that a person can act on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.api import Api, Refusal, proxy
from tests.cluster.bounds import Beyond, beyond_bounds, places
from tests.cluster.crds import DEFINITIONS, FILES, spec_schema
from tests.cluster.kubectl import Kubectl
from tests.cluster.samples import (
    CHANGES,
    KINDS,
    MODERN_BASE,
    ORACLE,
    PATCH,
    SCRIPT,
    SPECS,
    TASK_CANDIDATE,
    TASK_VARIANT,
    Spec,
    replaced,
    resource,
)

EACH = pytest.mark.parametrize("plural", DEFINITIONS)
RULES = "x-kubernetes-validations"


@pytest.fixture(scope="module")
def definitions(kubectl: Kubectl) -> Kubectl:
    for file in FILES:
        kubectl("apply", "--server-side", "--force-conflicts", "-f", str(file))
    names = [f"crd/{plural}.change2task.dev" for plural in DEFINITIONS]
    kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
    return kubectl


@pytest.fixture(scope="module")
def api(definitions: Kubectl) -> Iterator[Api]:
    with definitions.namespace() as name, proxy(definitions) as address:
        yield Api(address, name)


@EACH
def test_a_definition_is_established_without_complaint(definitions: Kubectl, plural: str) -> None:
    conditions = {c["type"]: c for c in definitions.get(f"crd/{plural}.change2task.dev")["status"]["conditions"]}

    assert conditions["Established"]["status"] == "True"
    assert conditions["NamesAccepted"]["status"] == "True"
    assert "NonStructuralSchema" not in conditions


@EACH
def test_a_resource_with_every_field_is_taken_as_it_is(api: Api, plural: str) -> None:
    made = api.create(plural, resource(plural), try_only=True)

    assert isinstance(made, dict), made
    assert made["spec"] == SPECS[plural]


@pytest.mark.parametrize(("plural", "field"), [(plural, field) for plural in CHANGES for field in CHANGES[plural]])
def test_a_frozen_field_is_refused_by_its_name_and_with_the_way_out(api: Api, plural: str, field: str) -> None:
    stored = _stored(api, plural)

    refused = api.replace(plural, {**stored, "spec": {**stored["spec"], field: CHANGES[plural][field]}})

    assert isinstance(refused, Refusal), f"{field} could be changed"
    assert (refused.code, [where for where, _ in refused.causes]) == (422, [f"spec.{field}"])
    assert re.search(rf"{field} is immutable; .*(make a new|another TaskVariant)", refused.message)


@pytest.mark.parametrize(
    ("plural", "field"),
    [
        ("modernbases", "revision"),
        ("modernbases", "environment"),
        ("modernbases", "scope"),
        ("taskcandidates", "intent"),
        ("taskcandidates", "checks"),
    ],
)
def test_a_frozen_field_cannot_be_taken_away(api: Api, plural: str, field: str) -> None:
    stored = _stored(api, plural)
    without = {name: value for name, value in stored["spec"].items() if name != field}

    refused = api.replace(plural, {**stored, "spec": without})

    assert isinstance(refused, Refusal), f"{field} could be taken away"
    assert f"{field} is immutable" in refused.message


@pytest.mark.parametrize(
    ("plural", "field", "value"),
    [("modernbases", "retention", {"finishedJobsSeconds": 1}), ("taskcandidates", "suspend", True)],
)
def test_what_may_change_may(api: Api, plural: str, field: str, value: Any) -> None:
    stored = _stored(api, plural)

    changed = api.replace(plural, {**stored, "spec": {**stored["spec"], field: value}})

    assert isinstance(changed, dict), changed
    assert changed["spec"][field] == value


TARGETS, OBSERVERS = ("checks", "targets", 0), ("checks", "observers", 0)
ONE_CHANGE = "give exactly one of pullRequest, commit and range"
DATA = "data is given exactly when encoding is text or base64"
NAMES = "give at least one name in gone or used"
RESOURCES, TOLERATION = ("podTemplate", "resources"), ("podTemplate", "tolerations", 0)
ABOVE = "a request is above its limit"
UNIONS: list[tuple[str, tuple[str | int, ...], Any, str]] = [
    ("modernbases", ("checks", "testTimeoutSeconds"), 601, "testTimeoutSeconds is above timeoutSeconds"),
    ("modernbases", RESOURCES, {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}, ABOVE),
    ("modernbases", RESOURCES, {"requests": {"cpu": 2}, "limits": {"cpu": "1500m"}}, ABOVE),
    (
        "modernbases",
        TOLERATION,
        {"key": "a", "operator": "Exists", "value": "b"},
        "with operator Exists there is no value",
    ),
    ("modernbases", TOLERATION, {"operator": "Equal", "value": "b"}, "without a key the operator must be Exists"),
    (
        "modernbases",
        TOLERATION,
        {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 3},
        "tolerationSeconds means something with effect NoExecute only",
    ),
    ("taskcandidates", ("change",), {}, ONE_CHANGE),
    ("taskcandidates", ("change",), {"pullRequest": 1, "commit": "v1"}, ONE_CHANGE),
    ("taskcandidates", ("change",), {"commit": "v1", "range": "a..b"}, ONE_CHANGE),
    ("taskcandidates", ("change",), {"pullRequest": 1, "commit": "v1", "range": "a..b"}, ONE_CHANGE),
    ("taskcandidates", ("checks", 0), {"id": "x", "kind": "static"}, "static is given exactly when kind is static"),
    ("taskcandidates", ("checks", 0), {"id": "x", "static": ORACLE}, "static is given exactly when kind is static"),
    ("taskcandidates", ("checks", 0), {"id": "x", "kind": "script"}, "script is given exactly when kind is script"),
    ("taskcandidates", ("checks", 0), {"id": "x", "script": SCRIPT}, "script is given exactly when kind is script"),
    ("taskcandidates", ("checks", 1, "static"), {}, NAMES),
    ("taskcandidates", ("checks", 1, "static"), {"gone": [], "used": []}, NAMES),
    *(
        ("taskvariants", (patch,), value, DATA)
        for patch in ("taskPatch", "hidingPatch", "restorationPatch")
        for value in (
            {**PATCH, "encoding": "artifact"},
            {name: PATCH[name] for name in ("encoding", "digest", "size")},
        )
    ),
    ("taskvariants", (*TARGETS, "static"), {"paths": ["x"]}, NAMES),
    ("taskvariants", (*OBSERVERS, "static"), {"paths": ["x"]}, NAMES),
    ("taskvariants", ("checks", "regression", 0, "static"), {"paths": ["x"]}, NAMES),
]


@pytest.mark.parametrize(("plural", "path", "value", "message"), UNIONS)
def test_a_union_or_a_relation_is_refused_where_it_is_broken(
    api: Api, plural: str, path: tuple[str | int, ...], value: Any, message: str
) -> None:
    refused = api.create(plural, resource(plural, replaced(SPECS[plural], path, value)), try_only=True)

    assert isinstance(refused, Refusal), "it was taken"
    place = Beyond(path, "", None).field.removesuffix(".testTimeoutSeconds")
    assert (place, True) in {(where, message in told) for where, told in refused.causes}, refused


@pytest.mark.parametrize(
    "amounts",
    [
        {"requests": {"cpu": 1}, "limits": {"cpu": "1"}},
        {"requests": {"memory": "1024Mi"}, "limits": {"memory": "1Gi"}},
        {"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}},
        {"requests": {"cpu": "2"}},
    ],
    ids=str,
)
def test_amounts_within_their_limits_are_taken(api: Api, amounts: Spec) -> None:
    made = api.create("modernbases", resource("modernbases", replaced(MODERN_BASE, RESOURCES, amounts)), try_only=True)

    assert isinstance(made, dict), made


@pytest.mark.parametrize("change", [{"pullRequest": 1}, {"commit": "v1"}, {"range": "a..b"}], ids=str)
def test_each_way_to_name_a_change_is_taken(api: Api, change: Spec) -> None:
    made = api.create("taskcandidates", resource("taskcandidates", {**TASK_CANDIDATE, "change": change}), try_only=True)

    assert isinstance(made, dict), made


@EACH
def test_every_rule_of_the_schema_is_refused_in_a_test(plural: str) -> None:
    frozen = {f"{field} is immutable" for field in CHANGES[plural]}
    tried = {
        (tuple("*" if isinstance(p, int) else p for p in path), m) for kind, path, _, m in UNIONS if kind == plural
    }
    for path, schema in places(spec_schema(plural)):
        for rule in schema.get(RULES, ()):
            told = rule["message"].split(";")[0]
            assert told in frozen or any(
                at[: len(path)] == path and told.startswith(message.split(";")[0]) for at, message in tried
            ), f"{path}: {rule['message']}"


BOUNDS = [(plural, beyond) for plural, spec in SPECS.items() for beyond in beyond_bounds(spec_schema(plural), spec)]


@pytest.mark.parametrize(("plural", "beyond"), BOUNDS, ids=str)
def test_a_value_beyond_its_bound_is_refused_by_its_place(api: Api, plural: str, beyond: Beyond) -> None:
    spec = replaced(SPECS[plural], beyond.path, beyond.value) if beyond.path else beyond.value

    refused = api.create(plural, resource(plural, spec), try_only=True)

    assert isinstance(refused, Refusal), f"{beyond.field} took {str(beyond.value)[:80]}"
    assert refused.code in (400, 422)
    assert beyond.field in refused.message


def test_an_unknown_field_is_told(definitions: Kubectl, api: Api) -> None:
    spec = {**MODERN_BASE, "repositry": {"url": "x"}}

    refused = definitions.apply(resource("modernbases", spec), namespace=api.namespace)

    assert refused.code != 0
    assert re.search(r'unknown field "(spec\.)?repositry"', refused.errors)


def test_defaults_of_a_base_are_filled_in(api: Api) -> None:
    made = api.create("modernbases", resource("modernbases", {"repository": MODERN_BASE["repository"]}), try_only=True)

    assert isinstance(made, dict), made
    assert made["spec"] == {
        "repository": MODERN_BASE["repository"],
        "revision": {"strict": False},
        "checks": {
            "command": ["python", "-m", "pytest"],
            "format": "pytest",
            "timeoutSeconds": 900,
            "testTimeoutSeconds": 60,
        },
        "build": {"cache": True},
        "retention": {"finishedJobsSeconds": 3600},
    }


def test_defaults_of_a_candidate_are_filled_in(api: Api) -> None:
    least = {"baseRef": {"name": "base"}, "change": {"commit": "v1"}}

    made = api.create("taskcandidates", resource("taskcandidates", least), try_only=True)

    assert isinstance(made, dict), made
    assert made["spec"] == {
        **least,
        "family": "Auto",
        "construction": {"levels": [1, 2, 3], "attempts": 4},
        "validation": {"taskRepeats": 3, "healthyRepeats": 2},
        "suspend": False,
    }


def test_a_default_inside_a_list_is_filled_in(api: Api) -> None:
    spec = replaced(TASK_VARIANT, TARGETS, {"id": "t", "role": "target"})

    made = api.create("taskvariants", resource("taskvariants", spec), try_only=True)

    assert isinstance(made, dict), made
    assert made["spec"]["checks"]["targets"][0] == {"id": "t", "kind": "test", "role": "target", "hidden": False}


@EACH
def test_the_columns_are_the_definition_s(api: Api, definitions: Kubectl, plural: str) -> None:
    columns = DEFINITIONS[plural]["spec"]["versions"][0]["additionalPrinterColumns"]

    for wide, words in ((False, ()), (True, ("-o", "wide"))):
        _stored(api, plural)
        head = definitions("-n", api.namespace, "get", plural, *words).splitlines()[0].split()
        assert head == ["NAME", *(c["name"].upper() for c in columns if wide or not c.get("priority"))]


def test_the_columns_show_the_status(api: Api, definitions: Kubectl) -> None:
    _stored(api, "taskcandidates")
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "TargetDidNotFail",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"family": "BugFix", "level": 2, "accepted": False, "reason": "TargetDidNotFail", "conditions": [ready]}
    written = api.set_status("taskcandidates", "sample", status)
    assert isinstance(written, dict), written

    row = definitions("-n", api.namespace, "get", "tc", "sample", "--no-headers").split()

    assert row[:-1] == ["sample", "base", "BugFix", "2", "false", "TargetDidNotFail", "TargetDidNotFail"]


def test_a_write_to_the_resource_does_not_touch_its_status(api: Api) -> None:
    with_status = {**resource("modernbases"), "status": {"commit": "c1"}}

    made = api.create("modernbases", with_status, try_only=True)

    assert isinstance(made, dict), made
    assert "status" not in made


@pytest.mark.parametrize(("short", "plural"), [("mb", "modernbases"), ("tc", "taskcandidates"), ("tv", "taskvariants")])
def test_short_names_are_understood(definitions: Kubectl, api: Api, short: str, plural: str) -> None:
    _stored(api, plural)

    assert definitions("-n", api.namespace, "get", short, "-o", "name").split() == [
        f"{plural[:-1]}.change2task.dev/sample"
    ]


def test_the_category_lists_all_three_kinds(definitions: Kubectl, api: Api) -> None:
    for plural in DEFINITIONS:
        _stored(api, plural)

    listed = definitions("-n", api.namespace, "get", "change2task", "-o", "name").split()

    assert listed == [f"{plural[:-1]}.change2task.dev/sample" for plural in sorted(DEFINITIONS)]


def test_candidates_are_selected_by_their_base(definitions: Kubectl, api: Api) -> None:
    _stored(api, "taskcandidates")
    select = ("-n", api.namespace, "get", "tc", "-o", "name", "--field-selector")

    assert definitions(*select, "spec.baseRef.name=base").split() == ["taskcandidate.change2task.dev/sample"]
    assert definitions(*select, "spec.baseRef.name=other") == ""


@EACH
def test_every_field_is_explained(definitions: Kubectl, plural: str) -> None:
    fields = {}
    for path, schema in places(spec_schema(plural)):
        if "*" not in path and path:
            fields[".".join(path)] = schema.get("description", "")
    assert all(fields.values()), f"without a word: {[name for name, told in fields.items() if not told]}"

    told = definitions("explain", f"{plural}.spec", "--api-version=change2task.dev/v1alpha1")

    assert spec_schema(plural)["description"] in " ".join(told.split())
    for name in spec_schema(plural)["properties"]:
        assert name in told


def test_a_nested_field_is_explained_with_its_choices(definitions: Kubectl) -> None:
    told = definitions("explain", "taskcandidates.spec.family", "--api-version=change2task.dev/v1alpha1")

    assert "Auto decides from the evidence" in told
    for family in ("BugFix", "TestGeneration", "SecurityRepair"):
        assert family in told


def _stored(api: Api, plural: str) -> dict[str, Any]:
    """The sample, stored; the same one for all tests, which only try to change it."""
    made = api.create(plural, resource(plural))
    if isinstance(made, Refusal):
        assert made.code == 409, made
        return api.read(f"/apis/change2task.dev/v1alpha1/namespaces/{api.namespace}/{plural}/sample")
    return made


assert set(KINDS) == set(DEFINITIONS)
