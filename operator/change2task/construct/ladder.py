"""The order in which strategies are tried: cheapest and most precise first, each tree only once.

``paper`` is exactly the paper's conservative levels 1 and 2, so that its configuration can be run and
compared; ``full`` is everything there is. Stopping at the first candidate that passes the gates is left to
the pipeline, which alone knows the gates' answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from change2task.api.taskcandidate import Profile
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.strategies.added_dropped import AddedDropped
from change2task.construct.strategies.exact_reversal import ExactReversal
from change2task.construct.strategies.history_walk import HistoryWalk
from change2task.construct.strategies.line_ownership import LineOwnership
from change2task.construct.strategies.narrowed import Narrowed
from change2task.construct.strategies.older_regions import OlderRegions
from change2task.construct.strategies.older_units import OlderUnits
from change2task.construct.strategies.partial_reversal import PartialReversal
from change2task.construct.strategies.per_file import PerFile
from change2task.construct.strategies.relaxed_context import RelaxedContext
from change2task.construct.strategies.repaired import Repaired
from change2task.construct.strategies.three_way import ThreeWay
from change2task.construct.strategies.unique_block import UniqueBlock
from change2task.construct.strategies.unit_merge import UnitMerge
from change2task.construct.strategies.word_merge import WordMerge
from change2task.construct.strategy import Searching, Strategy
from change2task.construct.trials import Trials
from change2task.vcs.repository import Repository

_PAPER: tuple[Strategy, ...] = (ExactReversal(), UniqueBlock())
_FULL: tuple[Strategy, ...] = (
    ExactReversal(),
    RelaxedContext(),
    ThreeWay(),
    UniqueBlock(),
    WordMerge(),
    LineOwnership(),
    UnitMerge(),
    HistoryWalk(),
    AddedDropped(),
    PerFile(),
    PartialReversal(),
    OlderUnits(),
    OlderRegions(),
    Narrowed(),
)


def strategies(profile: Profile, levels: Collection[int]) -> tuple[Strategy, ...]:
    """The strategies of a profile that count under one of ``levels``, in the order they are tried.

    What is repaired is no plain reversal any more and counts under level 2; without that, nothing is repaired.
    """
    chosen = _PAPER if profile is Profile.PAPER else _FULL
    among = tuple(strategy for strategy in chosen if strategy.level in levels)
    if profile is Profile.PAPER or 2 not in levels:
        return among
    return tuple(Repaired(strategy) for strategy in among)


def climb(
    ladder: Sequence[Strategy], repository: Repository, assignment: Assignment, trials: Trials | None = None
) -> Iterator[Proposal | NotApplicable]:
    """Proposals and refusals one by one; a tree proposed before, or the healthy one, is a refusal that says so.

    ``trials`` serve the strategies that search among what was refused; without them these refuse themselves.
    """
    seen: dict[str, str] = {assignment.healthy_tree: "the healthy base itself"}
    for strategy in ladder:
        plain = strategy.plain if isinstance(strategy, Repaired) else strategy
        if trials is not None and isinstance(plain, Searching):
            yield from (_only_once(answer, seen) for answer in plain.search(repository, assignment, trials))
            continue
        for answer in plain.propose(repository, assignment):
            first = _only_once(answer, seen)
            if isinstance(first, Proposal) and isinstance(strategy, Repaired):
                yield from (_only_once(m, seen) for m in strategy.mended(repository, assignment, first))
            else:
                yield first


def _only_once(answer: Proposal | NotApplicable, seen: dict[str, str]) -> Proposal | NotApplicable:
    if not isinstance(answer, Proposal):
        return answer
    by = seen.setdefault(answer.tree, answer.strategy)
    if by == answer.strategy:
        return answer
    return NotApplicable(strategy=answer.strategy, level=answer.level, why=f"same tree as {by}", duplicate=True)
