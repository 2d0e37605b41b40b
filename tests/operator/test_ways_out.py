"""Ways out can be followed as they stand: what is immutable is never asked to be changed."""

from __future__ import annotations

import re

import pytest

from change2task.api.modernbase import ModernBaseSpec
from change2task.api.reasons import Reason
from change2task.operator import ways_out, work

TABLES = {"step": ways_out.STEP, "fetch": ways_out.FETCH, "build": ways_out.BUILD}
ROWS = [(name, reason) for name, table in TABLES.items() for reason in table]
FAILURES = frozenset(
    {
        Reason.IMAGE_PULL_FAILED, Reason.UNSCHEDULABLE, Reason.QUOTA_EXCEEDED, Reason.ADMISSION_REFUSED,
        Reason.OUT_OF_MEMORY, Reason.EVICTED, Reason.PREEMPTED, Reason.NODE_LOST, Reason.START_FAILED,
        Reason.RESULT_LOST, Reason.DEADLINE_EXCEEDED, Reason.INFRASTRUCTURE, Reason.FOREIGN_OBJECT,
    }
)  # fmt: skip
_FIELDS = "|".join(sorted(info.alias or name for name, info in ModernBaseSpec.model_fields.items()))
SPEC_FIELD = re.compile(rf"\b(?:spec\.(?:{_FIELDS})|podTemplate|checks\.\w+)")


@pytest.mark.parametrize(("table", "reason"), ROWS, ids=[f"{table}: {reason}" for table, reason in ROWS])
def test_a_field_of_a_base_is_only_changed_by_a_new_base(table: str, reason: Reason) -> None:
    words = TABLES[table][reason].do
    assert not SPEC_FIELD.search(words) or "new ModernBase" in words


@pytest.mark.parametrize("table", TABLES)
def test_every_failure_has_a_way_out(table: str) -> None:
    assert TABLES[table].keys() >= FAILURES


@pytest.mark.parametrize(("table", "reason"), ROWS, ids=[f"{table}: {reason}" for table, reason in ROWS])
def test_where_nothing_more_happens_by_itself_it_is_said_how_to_go_on(table: str, reason: Reason) -> None:
    told = work.stalled(reason, "why", TABLES[table], again=True).message
    assert "change2task.dev/retry" in told or "a new ModernBase" in told


def test_a_reason_without_a_way_out_of_its_own_can_be_tried_again() -> None:
    assert work.stalled(Reason.CREDENTIALS_REFUSED, "why", ways_out.STEP, again=True).message.endswith("another word")
