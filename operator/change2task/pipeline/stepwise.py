"""A candidate driven from pass to pass, where passes are run elsewhere: the same pipeline, stopped at what it lacks.

On a cluster no program that decides may run repository code, and what runs it may decide nothing. So the pipeline is
replayed from the start with every result there is so far; it is deterministic in them. Where one is lacking it stops
and says which passes it needs, those it foresees with it. Running them, and keeping the results, is the caller's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from change2task.api.model import Model
from change2task.api.taskcandidate import TaskCandidate
from change2task.checks.passes import PassOrder, PassRecord
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.ports import BaseOnHand

Answers = Mapping[str, Sequence[PassRecord]]
"""By an order's key its results, in the order in which they were asked for: a faulty pass is asked for once more."""


class Step(Model):
    """What came of one replay: the candidate with its verdict, or the passes that are needed first, foreseen ones last.

    The first order is needed in any case. None of them stands in the answers as often as it is asked for.
    """

    candidate: TaskCandidate | None = None
    needs: tuple[PassOrder, ...] = ()


def step(driver: CandidateDriver, candidate: TaskCandidate, base: BaseOnHand, answers: Answers) -> Step:
    """Drive a candidate as far as the answers reach.

    Raises what ``CandidateDriver.drive`` raises. The base's own runner is never used, and the driver's store should
    not be one whose journals are kept, since all that is known stands in ``answers``.
    """
    runner = Replaying(answers)
    try:
        return Step(candidate=driver.drive(candidate, replace(base, runner=runner)))
    except Lacking as lacking:
        return Step(needs=tuple(runner.lacking(lacking.order)))


class Lacking(BaseException):
    """A pass has no answer yet. Nobody but those who step may catch it, so it is no Exception."""

    def __init__(self, order: PassOrder) -> None:
        super().__init__(order.label)
        self.order = order


class Replaying:
    """Answers passes from what there is."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._asked: Counter[str] = Counter()
        self._foreseen: dict[str, PassOrder] = {}

    def run(self, order: PassOrder) -> PassRecord:
        """The next answer to this order. Raises Lacking."""
        key = order.key()
        known = self._answers.get(key, ())
        if self._asked[key] >= len(known):
            raise Lacking(order)
        self._asked[key] += 1
        return known[self._asked[key] - 1]

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """See PassRunner.foresee."""
        self._foreseen |= {order.key(): order for order in orders}

    def lacking(self, first: PassOrder) -> list[PassOrder]:
        """The order without an answer, then those foreseen that have none at all."""
        others = (order for key, order in self._foreseen.items() if key != first.key() and key not in self._answers)
        return [first, *others]
