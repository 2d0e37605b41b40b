"""A stored spec may only change where its kind says so; the same names stand in the cluster's rules."""

from __future__ import annotations

from change2task.api.metadata import Reference
from change2task.api.modernbase import Checks, ModernBaseSpec, Repository, Retention, Scope
from change2task.api.rules import refused_changes
from change2task.api.taskcandidate import Change, TaskCandidateSpec, Validation

BASE = ModernBaseSpec(repository=Repository(url="https://example.org/x.git"))
CANDIDATE = TaskCandidateSpec(base_ref=Reference(name="b"), change=Change(pull_request=1))


def test_the_same_spec_again_is_no_change() -> None:
    assert refused_changes(BASE, BASE.replacing()) == ()


def test_retention_of_a_base_and_suspension_of_a_candidate_may_change() -> None:
    assert refused_changes(BASE, BASE.replacing(retention=Retention(finished_jobs_seconds=1))) == ()
    assert refused_changes(CANDIDATE, CANDIDATE.replacing(suspend=True)) == ()


def test_everything_else_is_named_as_it_is_written() -> None:
    assert refused_changes(BASE, BASE.replacing(checks=Checks(timeout_seconds=60), scope=Scope(docs=("*",)))) == (
        "checks",
        "scope",
    )
    assert refused_changes(
        CANDIDATE, CANDIDATE.replacing(base_ref=Reference(name="c"), validation=Validation(task_repeats=1))
    ) == ("baseRef", "validation")
