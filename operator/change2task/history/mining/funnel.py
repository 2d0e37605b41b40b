"""How many changes each stage took in, left out for which reason, and passed on; and the proof that nothing is lost.

The paper reports a funnel of readiness in its appendix A.1. Here every change has exactly one fate, the counts are made
of the fates, and a funnel that does not add up cannot be built at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from pydantic import Field

from change2task.api.model import Model
from change2task.api.reasons import RejectionClass
from change2task.history.mining.leaving import EVIDENCE, RAW, SELECTION, Left

MINED: Final = (RAW, EVIDENCE, SELECTION)
RUN: Final = ("base", "alignment", "construction", "qualification")
"""What a run adds: the paper's later stages."""

_STAGE_OF: Final = {
    RejectionClass.ENVIRONMENT: "base",
    RejectionClass.ALIGNMENT: "alignment",
    RejectionClass.CONSTRUCTION: "construction",
    RejectionClass.LIFECYCLE: "construction",
    RejectionClass.HARNESS: "construction",
    RejectionClass.QUALIFICATION: "qualification",
}


class FunnelDoesNotAddUp(Exception):
    """A defect of ours: changes were lost or counted twice."""


class Stage(Model):
    """One stage: ``entered`` is what it left out and what passed."""

    name: str
    entered: int = Field(ge=0)
    left: dict[str, int] = Field(default_factory=dict, description="Reason to how many changes, in the list's order.")
    passed: int = Field(ge=0)


class Funnel(Model):
    """From all commits of a history to the candidates, and on to the tasks once they have run."""

    commits: int = Field(ge=0, description="Commits under the base.")
    within: int = Field(ge=0, description="Of them, those that came in with another one's change.")
    stages: tuple[Stage, ...] = ()
    waiting: int = Field(default=0, ge=0, description="Candidates that have no verdict, once some have run.")

    @property
    def candidates(self) -> int:
        """How many the last stage passed."""
        return self.stages[-1].passed if self.stages else self.commits - self.within


def funnel_of(commits: int, within: int, everything: Collection[str], fates: Mapping[str, Left | None]) -> Funnel:
    """The funnel of ``everything`` by each one's fate (None: a candidate). Raises FunnelDoesNotAddUp."""
    if set(everything) != fates.keys() or len(everything) != len(fates):
        lost = sorted(set(everything) - fates.keys())[:3]
        raise FunnelDoesNotAddUp(f"{len(everything)} changes have {len(fates)} fates; without one: {lost}")
    counts = Counter(fate for fate in fates.values() if fate is not None)
    stages: list[Stage] = []
    entered = len(everything)
    for name in MINED:
        left = {str(reason): counts[reason] for reason in Left if reason.stage == name and counts[reason]}
        stages.append(Stage(name=name, entered=entered, left=left, passed=entered - sum(left.values())))
        entered = stages[-1].passed
    return checked(Funnel(commits=commits, within=within, stages=tuple(stages)), sum(f is None for f in fates.values()))


def checked(funnel: Funnel, candidates: int) -> Funnel:
    """The funnel again, if it adds up to so many candidates. Raises FunnelDoesNotAddUp."""
    for stage in funnel.stages:
        if stage.entered != stage.passed + sum(stage.left.values()):
            raise FunnelDoesNotAddUp(f"{stage.name}: {stage.entered} entered, {stage.left} left, {stage.passed} passed")
    for before, after in pairwise(funnel.stages):
        if before.passed != after.entered + (funnel.waiting if after.name == RUN[0] else 0):
            raise FunnelDoesNotAddUp(f"{before.name} passed {before.passed}, {after.name} took in {after.entered}")
    if funnel.stages and funnel.commits != funnel.within + funnel.stages[0].entered:
        raise FunnelDoesNotAddUp(
            f"{funnel.commits} commits, {funnel.within} within others and {funnel.stages[0].entered} changes"
        )
    if funnel.candidates != candidates:
        raise FunnelDoesNotAddUp(f"{funnel.candidates} passed the last stage, and {candidates} are there")
    return funnel


def with_verdicts(funnel: Funnel, verdicts: Sequence[tuple[RejectionClass, str] | bool | None]) -> Funnel:
    """The funnel with the later stages of all its candidates' verdicts.

    Each verdict is True (accepted), the class and reason of a rejection, or None where there is none yet; one for each
    candidate. Raises FunnelDoesNotAddUp.
    """
    mined = tuple(stage for stage in funnel.stages if stage.name in MINED)
    known = mined[-1].passed if mined else 0
    if len(verdicts) != known:
        raise FunnelDoesNotAddUp(f"{known} candidates were mined, and these are {len(verdicts)}")
    waiting = sum(verdict is None for verdict in verdicts)
    rejected = Counter(verdict for verdict in verdicts if isinstance(verdict, tuple))
    stages = list(mined)
    entered = len(verdicts) - waiting
    for name in RUN:
        left = {reason: n for (kind, reason), n in sorted(rejected.items()) if _STAGE_OF[kind] == name}
        stages.append(Stage(name=name, entered=entered, left=left, passed=entered - sum(left.values())))
        entered = stages[-1].passed
    accepted = sum(verdict is True for verdict in verdicts)
    return checked(funnel.replacing(stages=tuple(stages), waiting=waiting), accepted)
