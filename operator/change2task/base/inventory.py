"""Which checks of a base can carry a task, and what is wrong with the others.

It exists as a pure fold over passes: a check is healthy if it passed in every one of them, whatever was varied, and
everything else is listed with its reason. The document has no times in it, so equal behaviour gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from change2task.api import modernbase
from change2task.api.model import Model
from change2task.checks.results import CollectionError, SuiteResult, TestOutcome

State = Literal["failing", "unstable", "skipped", "xfailed", "duplicate"]
_BAD: frozenset[TestOutcome] = frozenset({"failed", "error", "crashed", "hung"})
_FIRST = 20


class OtherCheck(Model):
    """A check that is not healthy: its outcome in each pass (``missing`` where it was not run) and a sentence."""

    state: State
    outcomes: tuple[str, ...]
    reason: str


class Inventory(Model):
    """All checks of a base by id. ``passes`` are the perturbations in words; ids are sorted."""

    tree: str
    environment: str
    passes: tuple[str, ...]
    healthy: tuple[str, ...]
    other: dict[str, OtherCheck] = {}
    collection_errors: tuple[CollectionError, ...] = ()
    skipped_files: tuple[str, ...] = ()

    def contradictions(self, later: Inventory) -> tuple[str, ...]:
        """What a later inventory of the same checks says otherwise, as sentences; empty where it agrees.

        A check that is unstable in one of them differs by its own chance, which says nothing of where it ran.
        """
        before, after = self.states(), later.states()
        states = ((check, before.get(check, "absent"), after.get(check, "absent")) for check in sorted(before | after))
        return tuple(
            f"{check} was {then} and is {now}"
            for check, then, now in states
            if then != now and "unstable" not in (then, now)
        )

    def states(self) -> dict[str, str]:
        """Every check with its state, ``healthy`` included."""
        return dict.fromkeys(self.healthy, "healthy") | {check: other.state for check, other in self.other.items()}

    def counted(self) -> modernbase.Inventory:
        """Counts and the first ids, for a base's status."""
        by_state: dict[State, list[str]] = {}
        for identity, check in self.other.items():
            by_state.setdefault(check.state, []).append(identity)
        failing, unstable = by_state.get("failing", []), by_state.get("unstable", [])
        return modernbase.Inventory(
            digest=self.content_hash(),
            healthy=len(self.healthy),
            failing=len(failing),
            unstable=len(unstable),
            not_run=len(self.other) - len(failing) - len(unstable),
            failing_ids=tuple(failing[:_FIRST]),
            unstable_ids=tuple(unstable[:_FIRST]),
        )


def take(tree: str, environment: str, passes: Sequence[tuple[str, SuiteResult]]) -> Inventory:
    """The inventory that passes of one tree give; each comes with its perturbation in words.

    The passes have all finished. A test listed in one and not in another is unstable.
    """
    suites = [suite for _, suite in passes]
    duplicates = {identity for suite in suites for identity in suite.duplicates}
    identities = sorted({identity for suite in suites for identity in (*suite.results, *suite.collected)} | duplicates)
    healthy: list[str] = []
    other: dict[str, OtherCheck] = {}
    for identity in identities:
        outcomes = tuple(_outcome(suite, identity) for suite in suites)
        if identity in duplicates:
            other[identity] = OtherCheck(
                state="duplicate", outcomes=outcomes, reason="the id stands for more than one test"
            )
        elif set(outcomes) == {"passed"}:
            healthy.append(identity)
        else:
            state = _state(outcomes)
            other[identity] = OtherCheck(state=state, outcomes=outcomes, reason=_reason(state, identity, passes))
    errors = {error.file: error for suite in reversed(suites) for error in suite.collection_errors}
    return Inventory(
        tree=tree,
        environment=environment,
        passes=tuple(words for words, _ in passes),
        healthy=tuple(healthy),
        other=other,
        collection_errors=tuple(errors[file] for file in sorted(errors)),
        skipped_files=tuple(sorted({file for suite in suites for file in suite.skipped_files})),
    )


def _outcome(suite: SuiteResult, identity: str) -> str:
    result = suite.results.get(identity)
    return "missing" if result is None else result.outcome


def _state(outcomes: tuple[str, ...]) -> State:
    seen = set(outcomes)
    if seen <= _BAD:
        return "failing"
    if seen == {"skipped"}:
        return "skipped"
    return "xfailed" if seen in ({"xfailed"}, {"xpassed"}) else "unstable"


def _reason(state: State, identity: str, passes: Sequence[tuple[str, SuiteResult]]) -> str:
    told = [(words, suite.results[identity]) for words, suite in passes if identity in suite.results]
    signature = next((result.signature for _, result in told if result.outcome != "passed" and result.signature), None)
    if state == "unstable":
        outcomes = ", ".join(f"{_outcome(suite, identity)} with {words}" for words, suite in passes)
        return f"{outcomes}: {signature}" if signature else outcomes
    return signature or {"failing": "it fails", "skipped": "it is skipped", "xfailed": "it is expected to fail"}.get(
        state, state
    )
