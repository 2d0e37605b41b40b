"""How often a task's checks come out otherwise than it says: a rate with its bounds, and when to stop asking.

Repeats are independent trials of one question, did every check come out as stated, so the rate has a Beta posterior
over a uniform prior (the rule of succession). Asking goes on until the bounds decide against a rate that somebody can
live with. Making the repeats is left to whoever asks. Pure.
"""

from __future__ import annotations

from enum import StrEnum
from math import comb

from change2task.api.model import Model

CREDIBLE = 0.95
_STEPS = 60


class FlakeRate(Model):
    """What ``runs`` repeats, of which ``differed`` came out otherwise, say of the rate: mean and one-sided bounds."""

    runs: int
    differed: int
    mean: float
    at_least: float
    at_most: float


class Decision(StrEnum):
    """Whether a task is flaky by more than a rate."""

    STABLE = "stable"
    FLAKY = "flaky"
    UNDECIDED = "undecided"


def flake_rate(runs: int, differed: int) -> FlakeRate:
    """The posterior of the rate; each bound holds with ``CREDIBLE``. Raises ValueError for impossible counts."""
    if not 0 <= differed <= runs:
        raise ValueError(f"{differed} of {runs} runs cannot have differed")
    return FlakeRate(
        runs=runs,
        differed=differed,
        mean=round((differed + 1) / (runs + 2), 4),
        at_least=round(_quantile(runs, differed, 1 - CREDIBLE), 4),
        at_most=round(_quantile(runs, differed, CREDIBLE), 4),
    )


def decide(rate: FlakeRate, tolerated: float) -> Decision:
    """Stable once the rate is most likely below ``tolerated``, flaky once it is above, else undecided."""
    if rate.at_most <= tolerated:
        return Decision.STABLE
    return Decision.FLAKY if rate.at_least > tolerated else Decision.UNDECIDED


def _quantile(runs: int, differed: int, probability: float) -> float:
    """The point below which the posterior Beta(differed + 1, runs - differed + 1) has this probability."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _below(runs, differed, middle) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below(runs: int, differed: int, rate: float) -> float:
    """The posterior's mass below a rate: over ``differed`` successes in one trial more (Beta and binomial tails)."""
    trials = runs + 1
    return sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(differed + 1, trials + 1))
