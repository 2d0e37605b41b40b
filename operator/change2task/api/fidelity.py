"""The six-dimension source change profile and the fidelity made of two of them, as values.

The numbers are the paper's (appendix A.2, "Fidelity Gate"); computing a profile is left to ``history`` and
judging it to ``validate``.
"""

from __future__ import annotations

from pydantic import Field

from change2task.api.model import Model


class ChangeProfile(Model):
    """Counts of one patch over its source files; hunks at three lines of context."""

    files: int = Field(ge=0)
    hunks: int = Field(ge=0)
    lines: int = Field(ge=0)
    symbols: int = Field(ge=0)
    target_checks: int = Field(ge=0)
    regression_checks: int = Field(ge=0)


class Fidelity(Model):
    """Similarity of the restoration to the source change, a dimension each, and the weighted score."""

    files: float
    hunks: float
    lines: float
    symbols: float
    target_checks: float
    regression_checks: float
    score: float
    line_ratio: float = Field(description="Lines of the restoration ÷ lines of the source change.")
    regression_ratio: float = Field(description="Regression checks held ÷ historical regression checks.")
    source: ChangeProfile
    modern: ChangeProfile
