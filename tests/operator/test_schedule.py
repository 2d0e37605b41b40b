"""Which key is looked at when: fair, never twice at a time, later after failures, and nothing is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from change2task.operator.schedule import Backoff, Key, Schedule

A, B, C = (Key("TaskCandidate", "one", name) for name in "abc")
OTHER = Key("TaskCandidate", "two", "a")


def schedule(chance: float = 0.0) -> Schedule:
    return Schedule(Backoff(first=1, most=8, spread=0.5), lambda: chance)


def test_a_key_wanted_often_is_looked_at_once() -> None:
    it = schedule()
    for _ in range(3):
        it.add(A)
    assert [it.take(0), it.take(0)] == [A, None]


def test_namespaces_take_turns_however_much_one_of_them_wants() -> None:
    it = schedule()
    for key in (A, B, C, OTHER):
        it.add(key)
    assert [it.take(0) for _ in range(4)] == [A, OTHER, B, C]


def test_a_key_is_not_taken_while_it_is_looked_at_and_then_again() -> None:
    it = schedule()
    it.add(A)
    it.take(0)
    it.add(A)
    assert it.take(0) is None
    it.done(A, 1)
    assert it.take(1) == A
    it.done(A, 2)
    assert it.take(100) is None


def test_a_look_can_ask_for_another_one_later() -> None:
    it = schedule()
    it.add(A)
    it.take(0)
    it.done(A, 0, after=10)
    assert (it.take(9.9), it.next_due(), it.take(10)) == (None, 10, A)


def test_the_earlier_of_two_wishes_stands() -> None:
    it = schedule()
    it.add_at(A, 10)
    it.add_at(A, 5)
    it.add_at(A, 20)
    assert (it.take(4), it.take(5)) == (None, A)
    it.done(A, 5)
    assert it.take(100) is None


def test_an_event_makes_a_waiting_key_ready_at_once() -> None:
    it = schedule()
    it.add_at(A, 10)
    it.add(A)
    assert it.take(0) == A
    assert it.next_due() is None


@pytest.mark.parametrize(("chance", "delays"), [(0.0, [1, 2, 4, 8, 8]), (1.0, [0.5, 1, 2, 4, 4])])
def test_failures_in_a_row_wait_longer_up_to_a_most(chance: float, delays: list[float]) -> None:
    it, now = schedule(chance), 0.0
    it.add(A)
    for delay in delays:
        assert it.take(now) == A
        it.done(A, now, failed=True)
        assert it.next_due() == now + delay
        now += delay


def test_a_success_ends_the_row() -> None:
    it = schedule()
    it.add(A)
    for now, failed in ((0, True), (1, True), (3, False)):
        assert it.take(now) == A
        it.done(A, now, failed=failed)
    it.add(A)
    assert it.take(3) == A
    it.done(A, 3, failed=True)
    assert it.next_due() == 4


def test_events_of_what_fails_do_not_outrun_its_back_off() -> None:
    it = schedule()
    it.add(A)
    it.take(0)
    it.add(A)
    it.done(A, 0, failed=True)
    it.add(A)
    assert (it.take(0.9), it.take(1)) == (None, A)


def test_nothing_is_kept_of_what_is_gone() -> None:
    it = schedule()
    it.add(A)
    it.add_at(B, 5)
    it.forget(A)
    it.forget(B)
    assert (len(it), it.take(10)) == (0, None)


class NothingIsLost(RuleBasedStateMachine):
    """Whatever happens in whatever order, a key that is wanted is looked at, and never twice at a time."""

    keys = st.sampled_from([A, B, OTHER])

    def __init__(self) -> None:
        super().__init__()
        self.it, self.now = schedule(), 0.0
        self.working: set[Key] = set()
        self.wanted: Counter[Key] = Counter()

    @rule(key=keys)
    def add(self, key: Key) -> None:
        self.it.add(key)
        self.wanted[key] += 1

    @rule(key=keys, seconds=st.integers(0, 20))
    def later(self, key: Key, seconds: int) -> None:
        self.it.add_at(key, self.now + seconds)
        self.wanted[key] += 1

    @rule()
    def take(self) -> None:
        key = self.it.take(self.now)
        if key is not None:
            assert key not in self.working
            self.working.add(key)
            self.wanted[key] = 0

    @rule(failed=st.booleans())
    def done(self, *, failed: bool) -> None:
        for key in sorted(self.working):
            self.it.done(key, self.now, failed=failed)
            self.wanted[key] += failed
        self.working.clear()

    @rule(seconds=st.integers(1, 10))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def what_is_wanted_is_kept(self) -> None:
        assert self.it.working == len(self.working)
        if not self.working:
            assert len(self.it) == sum(1 for key in self.wanted if self.wanted[key])

    def teardown(self) -> None:
        self.done(failed=False)
        left = {key for key in self.wanted if self.wanted[key]}
        self.now += 1000
        found = set()
        while (key := self.it.take(self.now)) is not None:
            found.add(key)
        assert found == left


TestNothingIsLost = NothingIsLost.TestCase
