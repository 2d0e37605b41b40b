"""Events: their names are names whatever the object is called, and their words are nobody's secrets."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.api.metadata import NAME_PATTERN
from change2task.operator.events import Events

NAMES = st.from_regex(NAME_PATTERN, fullmatch=True).filter(lambda name: len(name) <= 253)


def told(name: str, message: str) -> dict[str, Any]:
    made: list[dict[str, Any]] = []

    class Kube:
        def create(self, manifest: dict[str, Any]) -> dict[str, Any]:
            made.append(manifest)
            return manifest

    meta = {"name": name, "namespace": "team", "uid": "u", "resourceVersion": "1"}
    about = {"apiVersion": "change2task.dev/v1alpha1", "kind": "ModernBase", "metadata": meta}
    events = Events(Kube(), lambda: datetime(2026, 11, 30, tzinfo=UTC), "operator-0")  # type: ignore[arg-type]
    events.event(about, "SetupFailed", message, warning=True)
    return made[0]


@given(NAMES)
def test_an_event_of_any_object_has_a_name_that_kubernetes_takes(name: str) -> None:
    made = told(name, "why")["metadata"]["name"]
    assert re.search(NAME_PATTERN, made)
    assert len(made) <= 253


@pytest.mark.parametrize("end", [".", "-", "-.", "a"])
def test_a_name_that_is_cut_at_a_sign_is_one_still(end: str) -> None:
    made = told("x" * (200 - len(end)) + end.replace("-.", "-x") + "y" * 20, "why")["metadata"]["name"]
    assert re.search(NAME_PATTERN, made)


def test_an_event_is_bounded_and_repeats_no_secret() -> None:
    message = told("base", f"fetching https://ada:s3cret@host/x failed {'x' * 2000}")["message"]
    assert len(message) <= 1024
    assert "s3cret" not in message
