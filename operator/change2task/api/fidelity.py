"""The six-dimension source change profile and the fidelity made of two of them, as values.

The numbers are the paper's (appendix A.2, "Fidelity Gate"); computing a profile is left to ``history`` and
judging it to ``validate``.
"""

from __future__ import annotations

from pydantic import Field

from change2task.api.model import Model


class ChangeProfile(Model):
    """Counts of one patch over its source files; hunks at three lines of context."""

    files: int = Field(ge=0, description="Source files touched.")
    hunks: int = Field(ge=0, description="Hunks at three lines of context.")
    lines: int = Field(ge=0, description="Lines added and removed.")
    symbols: int = Field(ge=0, description="Definitions touched.")
    target_checks: int = Field(ge=0, description="Checks that see the change.")
    regression_checks: int = Field(ge=0, description="Checks beside it.")


class Fidelity(Model):
    """Similarity of the restoration to the source change, a dimension each, and the weighted score."""

    files: float = Field(description="Likeness in files touched, 0 to 1.")
    hunks: float = Field(description="Likeness in hunks, 0 to 1.")
    lines: float = Field(description="Likeness in lines, 0 to 1.")
    symbols: float = Field(description="Likeness in definitions touched, 0 to 1.")
    target_checks: float = Field(description="Likeness in target checks, 0 to 1.")
    regression_checks: float = Field(description="Likeness in regression checks, 0 to 1.")
    score: float = Field(description="The weighted sum, 0 to 1.")
    line_ratio: float = Field(description="Lines of the restoration ÷ lines of the source change.")
    regression_ratio: float = Field(description="Regression checks held ÷ historical regression checks.")
    source: ChangeProfile = Field(description="Counts of the source change.")
    modern: ChangeProfile = Field(description="Counts of the restoration.")
