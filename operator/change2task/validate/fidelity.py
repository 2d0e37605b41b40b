"""Fidelity gate: does the restoration have the source change's footprint (paper, appendix A.2)?

Weights and thresholds are the paper's and are not configurable: a corpus whose numbers differ from run to
run cannot be compared. Its limit of 2.50 on the line ratio needs no rule of its own: lines that are at least half
similar differ by a factor of 2 at most. Counting is left to ``history.profile``.
"""

from __future__ import annotations

from change2task.api.fidelity import ChangeProfile, Fidelity
from change2task.api.reasons import Reason
from change2task.validate.verdict import Verdict, passed, refused

WEIGHTS = {
    "files": 0.18,
    "hunks": 0.20,
    "lines": 0.28,
    "symbols": 0.10,
    "target_checks": 0.12,
    "regression_checks": 0.12,
}
MIN_SCORE = 0.65
MIN_SIMILARITY = 0.50
MIN_REGRESSION_RATIO = 0.25

GATE = "fidelity"


def similarity(source: int, modern: int) -> float:
    """Smaller count ÷ larger count; equal empties are 1, one empty is 0."""
    if source == modern:
        return 1.0
    return min(source, modern) / max(source, modern)


def ratio(source: int, modern: int) -> float:
    """Modern count ÷ source count; equal empties are 1, and with nothing in the source any count is its own ratio."""
    if source == 0:
        return 1.0 if modern == 0 else float(modern)
    return modern / source


def measure(source: ChangeProfile, modern: ChangeProfile) -> Fidelity:
    """The six similarities between the source patch's profile and the restoration patch's, and their score."""
    parts = {name: similarity(getattr(source, name), getattr(modern, name)) for name in WEIGHTS}
    score = sum(WEIGHTS[name] * value for name, value in parts.items())
    return Fidelity(
        **{name: round(value, 6) for name, value in parts.items()},
        score=round(score, 6),
        line_ratio=round(ratio(source.lines, modern.lines), 6),
        regression_ratio=round(ratio(source.regression_checks, modern.regression_checks), 6),
        source=source,
        modern=modern,
    )


def footprint(fidelity: Fidelity) -> Verdict:
    """The part of the gate that needs no run: files, hunks and lines (for rejecting before tests are run)."""
    for name in ("lines", "hunks", "files"):
        if getattr(fidelity, name) < MIN_SIMILARITY:
            return _footprint_refusal(fidelity, name)
    return passed(GATE, Reason.VALIDATED, "files, hunks and lines correspond", **fidelity.document())


def judge(fidelity: Fidelity) -> Verdict:
    """The whole gate; the first threshold missed names the reason."""
    first = footprint(fidelity)
    if not first.passed:
        return first
    if fidelity.regression_ratio < MIN_REGRESSION_RATIO:
        return refused(
            GATE,
            Reason.REGRESSION_SURFACE_TOO_SMALL,
            f"the task holds {fidelity.modern.regression_checks} of {fidelity.source.regression_checks} historical"
            f" regression checks (ratio {fidelity.regression_ratio:.2f}, at least {MIN_REGRESSION_RATIO:.2f})",
        )
    if fidelity.score < MIN_SCORE:
        return refused(
            GATE,
            Reason.FIDELITY_TOO_LOW,
            f"fidelity {fidelity.score:.3f} is below {MIN_SCORE:.2f}",
        )
    return passed(GATE, Reason.VALIDATED, f"fidelity {fidelity.score:.3f}", **fidelity.document())


def _footprint_refusal(fidelity: Fidelity, name: str) -> Verdict:
    source, modern = getattr(fidelity.source, name), getattr(fidelity.modern, name)
    collapse = modern < source
    return refused(
        GATE,
        Reason.SCOPE_COLLAPSE if collapse else Reason.SCOPE_INFLATION,
        f"restoration changes {modern} {name}, the source change {source}"
        f" (similarity {getattr(fidelity, name):.2f}, at least {MIN_SIMILARITY:.2f})",
    )
