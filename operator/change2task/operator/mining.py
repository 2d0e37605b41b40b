"""Which candidates of a base's history are made on a cluster: the pure decision, as a list of what to create.

Once a base is healthy, what was mined of it is compared with what is there. Never more than the cap is made, over the
whole life of a base: a candidate that somebody deleted is not made again, and one that a person wrote for the same
change is not made twice. All carry one label, by which they are selected and deleted as a set. They are owned by
nobody: a verdict outlives the base that it was reached on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, Self

from pydantic import model_validator

from change2task.api.minedstatus import MinedStage
from change2task.api.mining import MINED_BY, MINED_FROM, OPERATOR, mined_from
from change2task.api.model import Model
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.history.mining.funnel import Funnel
from change2task.pipeline import status

MADE_BEFORE, BY_HAND, NAME_TAKEN, BEYOND_LIMIT = "madeBefore", "writtenByHand", "nameTaken", "beyondLimit"
LEFT: Final = (MADE_BEFORE, BY_HAND, NAME_TAKEN, BEYOND_LIMIT)
"""Why a candidate that was found is not created, in the order in which status tells it."""


class MiningDecision(Model):
    """Candidates to create, in their order, and why there are no others."""

    create: tuple[TaskCandidate, ...] = ()
    message: str
    found: int = 0
    left: dict[str, int] = {}

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.found != len(self.create) + sum(self.left.values()):
            raise ValueError(f"{self.found} found, {len(self.create)} to create, left out {self.left}")
        return self


def decide_mining(
    base: ModernBase,
    mined: Sequence[TaskCandidate] | None,
    there: Sequence[TaskCandidate],
    made: Collection[str],
    unreadable: Collection[str] = (),
) -> MiningDecision:
    """What is to be created now.

    ``mined``: what the miner found, best first; None while it is not known. ``there``: all candidates of the namespace.
    ``made``: names of candidates that mining has made for this base before, deleted ones included. ``unreadable``:
    names of candidates of which no more is known.
    """
    rules = base.spec.mining
    if rules is None:
        return MiningDecision(message="mining is off: spec.mining is absent")
    if not status.is_ready(base):
        return MiningDecision(message="mining waits for the base to be healthy")
    if mined is None:
        return MiningDecision(message="mining waits for what its history gives")
    label = mined_from(base.metadata.name)
    own = [one for one in there if one.spec.base_ref.name == base.metadata.name]
    mine = {*made, *(one.metadata.name for one in own if is_mined(one, base))}
    before = {*made, *(one.metadata.name for one in own if one.metadata.labels.get(MINED_FROM) == label)}
    changes = {one.spec.change.label() for one in own}
    names = {one.metadata.name for one in there} | set(unreadable)
    new: list[TaskCandidate] = []
    left: Counter[str] = Counter()
    for one in mined:
        if one.metadata.name in mine:
            left[MADE_BEFORE] += 1
        elif one.metadata.name in before or one.spec.change.label() in changes:
            left[BY_HAND] += 1
        elif one.metadata.name in names:
            left[NAME_TAKEN] += 1
        else:
            new.append(one)
    create = tuple(_labelled(one, base, label) for one in new[: max(rules.limit - len(before), 0)])
    left[BEYOND_LIMIT] = beyond = len(new) - len(create)
    told = f"; {beyond} more are beyond the limit of {rules.limit}" if beyond else ""
    return MiningDecision(
        create=create,
        message=f"{len(before) + len(create)} candidates mined{told}",
        found=len(mined),
        left={why: left[why] for why in LEFT if left[why]},
    )


def is_mined(candidate: TaskCandidate, base: ModernBase) -> bool:
    """Whether a candidate was made by an operator for this base, not by a person who mined it."""
    labels = candidate.metadata.labels
    mine = labels.get(MINED_BY) == OPERATOR and labels.get(MINED_FROM) == mined_from(base.metadata.name)
    return mine and candidate.spec.base_ref.name == base.metadata.name


def stages_of(funnel: Funnel, decision: MiningDecision, taken: int) -> tuple[MinedStage, ...]:
    """The funnel with what became of its candidates; ``taken``: names that somebody had taken when it came to it.

    Those made in an earlier look count as made, so that a crash in between tells nothing else.
    """
    left = {why: decision.left.get(why, 0) + (taken if why == NAME_TAKEN else 0) for why in LEFT}
    passed = len(decision.create) - taken + left.pop(MADE_BEFORE)
    counts = {why: count for why, count in left.items() if count}
    last = MinedStage(name="creation", entered=decision.found, left=counts, passed=passed)
    return (*(MinedStage.model_validate(stage.model_dump()) for stage in funnel.stages), last)


def _labelled(candidate: TaskCandidate, base: ModernBase, label: str) -> TaskCandidate:
    """As mined, in the base's namespace and with its labels, whatever a miner's answer held."""
    meta = candidate.metadata
    labels = {**meta.labels, MINED_FROM: label, MINED_BY: OPERATOR}
    return candidate.replacing(
        metadata=meta.replacing(namespace=base.metadata.namespace, labels=labels),
        spec=candidate.spec.replacing(base_ref=candidate.spec.base_ref.replacing(name=base.metadata.name)),
    )
