"""A task as a value, for tests to which what is in it is all the same."""

from __future__ import annotations

from change2task.api.fidelity import ChangeProfile, Fidelity
from change2task.api.metadata import ObjectMeta
from change2task.api.patches import Patch
from change2task.api.taskcandidate import Family
from change2task.api.taskvariant import (
    Check,
    Checks,
    OutputContract,
    SourceChange,
    Statement,
    TaskVariant,
    TaskVariantSpec,
    Trees,
    VariantBase,
)

TREES = Trees(healthy="1" * 40, task="2" * 40, agent="3" * 40)
PATCH = OutputContract(output="patch", permitted=("src/**",), protected=("tests/**", "pyproject.toml"))


def variant(trees: Trees = TREES, output: OutputContract = PATCH, family: Family = Family.BUG_FIX) -> TaskVariant:
    """A task."""
    profile = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=1)
    spec = TaskVariantSpec(
        base=VariantBase(
            name="base", key="k", repository="https://example.org/pkg", commit="1" * 40, tree=trees.healthy,
            environment_key="e",
        ),
        source_change=SourceChange(commit="2" * 40, title="Fix it", patch_digest="0" * 64),
        family=family,
        statement=Statement(title="Fix it", body="", provenance="title"),
        goal="Fix it.",
        output=output,
        task_patch=Patch.of(b""),
        hiding_patch=Patch.of(b""),
        restoration_patch=Patch.of(b""),
        trees=trees,
        checks=Checks(
            targets=(Check(id="tests/test_core.py::test_hidden", role="target", hidden=True),),
            regression_digest="0" * 64,
            regression_count=1,
            hidden_files={"tests/test_core.py": "3" * 40},
        ),
        level=1,
        strategy="exact-reversal",
        fidelity=Fidelity(
            files=1, hunks=1, lines=1, symbols=1, target_checks=1, regression_checks=1, score=1, line_ratio=1,
            regression_ratio=1, source=profile, modern=profile,
        ),
        tool_version="0",
    )  # fmt: skip
    return TaskVariant(metadata=ObjectMeta(name="tv-x"), spec=spec)
