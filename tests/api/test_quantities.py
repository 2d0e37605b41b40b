"""Quantities compare as Kubernetes compares them; podTemplate refuses what the API server would refuse of a Job."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from change2task.api.modernbase import Retention
from change2task.api.podtemplate import PodTemplate, ResourceAmounts
from change2task.api.quantities import amount

SAME = [("1", "1000m"), ("1Gi", "1024Mi"), ("1G", "1e9"), ("1.5Ki", "1536"), ("+2", "2"), (".5", "500m"),
        ("1E", "1000P"),
        ("1n", "1e-9"), ("3.", "3")]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_amount_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert amount(one) == amount(other)


@given(st.integers(0, 10**9), st.sampled_from(["n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi"]))
def test_more_is_more_in_every_unit(number: int, unit: str) -> None:
    assert amount(f"{number}{unit}") < amount(f"{number + 1}{unit}")
    assert amount(f"{number}") == Decimal(number)


@pytest.mark.parametrize("text", ["", "G", "1 Gi", "1gi", "-1", "1e", "0x1", "1.2.3"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no quantity"):
        amount(text)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a request above its limit": (
        {"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}, "above its limit",
    ),
    "less than nothing": ({"resources": {"requests": {"cpu": "-1"}}}, "pattern"),
    "a label's key": ({"labels": {"a b": "c"}}, "no key of Kubernetes"),
    "a node selector's key": ({"nodeSelector": {"pool/": "c"}}, "no key of Kubernetes"),
    "a key that is too long": ({"labels": {"x" * 64: "c"}}, "no key of Kubernetes"),
    "a value of Exists": ({"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}, "there is no value"),
    "a toleration of nothing": ({"tolerations": [{"operator": "Equal", "value": "b"}]}, "without a key"),
    "seconds of another effect": (
        {"tolerations": [{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 3}]}, "NoExecute only",
    ),
    "an account": ({"serviceAccountName": "Not A Name"}, "pattern"),
    "a priority": ({"priorityClassName": ""}, "at least 1"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "said"), REFUSED.values(), ids=REFUSED)
def test_a_template_that_no_job_can_have_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        PodTemplate.model_validate(given)


def test_a_template_that_jobs_can_have_is_taken() -> None:
    given = {
        "resources": {"requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"memory": "1Gi", "example.com/gpu": "1"}},
        "labels": {"kueue.x-k8s.io/queue-name": "tasks", "plain": ""},
        "tolerations": [
            {"operator": "Exists"},
            {"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 1},
        ],
    }
    assert PodTemplate.model_validate(given).resources.requests["cpu"] == "1"


def test_a_finished_job_stays_no_longer_than_a_job_can() -> None:
    with pytest.raises(ValidationError, match="less than or equal"):
        Retention(finished_jobs_seconds=2**31)
    assert ResourceAmounts(requests={"cpu": "2"}).limits == {}
