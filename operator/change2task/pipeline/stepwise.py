"""A candidate, or a task's replay, driven from pass to pass where passes are run elsewhere: stopped at what it lacks.

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
from change2task.api.taskvariant import TaskVariant
from change2task.checks.passes import PassOrder, PassRecord
from change2task.corpus.store import Store
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.grading import Replay, replay
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


class ReplayStep(Model):
    """What came of one attempt at replays: all of them, or the passes that are needed first, foreseen ones last."""

    replays: tuple[Replay, ...] = ()
    needs: tuple[PassOrder, ...] = ()


def replay_step(store: Store, variant: TaskVariant, base: BaseOnHand, times: int, answers: Answers) -> ReplayStep:
    """Replay a task ``times`` times, as far as the answers reach; raises what ``grading.replay`` raises."""
    runner = Replaying(answers)
    try:
        found = [replay(store, replace(base, runner=runner), variant, repeat) for repeat in range(times)]
    except Lacking as lacking:
        return ReplayStep(needs=tuple(runner.lacking(lacking.order)))
    return ReplayStep(replays=tuple(found))


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
        self._foreseen: dict[str, list[PassOrder]] = {}

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
        groups: dict[str, list[PassOrder]] = {}
        for order in orders:
            groups.setdefault(order.key(), []).append(order)
        for key, group in groups.items():
            self._foreseen[key] = max(self._foreseen.get(key, []), group, key=len)

    def lacking(self, first: PassOrder) -> list[PassOrder]:
        """The order without an answer, then what was foreseen more often than there are answers."""
        key = first.key()
        others = (
            order
            for other, group in self._foreseen.items()
            for order in group[len(self._answers.get(other, ())) + (other == key) :]
        )
        return [first, *others]
