"""The cluster tests' samples hold every field there is, so that a new one cannot stay untried by an API server."""

from __future__ import annotations

import pytest

from tests.cluster.bounds import places, reached
from tests.cluster.crds import DEFINITIONS, spec_schema
from tests.cluster.samples import CHANGES, SPECS


@pytest.mark.parametrize("plural", DEFINITIONS)
def test_the_sample_reaches_every_place_of_the_schema(plural: str) -> None:
    schema = spec_schema(plural)

    assert {path for path, _ in places(schema)} - set(reached(schema, SPECS[plural])) <= UNREACHED[plural]


UNREACHED = {
    "modernbases": set(),
    "taskcandidates": {("change", "commit"), ("change", "range")},
    "taskvariants": {
        (*("checks", "observers", "*"), *below)
        for below in (
            ("script",),
            ("script", "command"),
            ("script", "command", "*"),
            ("script", "files"),
            ("script", "files", "*"),
            ("script", "artifacts"),
            ("script", "artifacts", "*"),
        )
    },
}
"""What excludes something else in the sample, or is the same schema a second time."""


def test_every_field_of_a_task_has_another_value_to_be_refused() -> None:
    assert CHANGES["taskvariants"].keys() == SPECS["taskvariants"].keys()
