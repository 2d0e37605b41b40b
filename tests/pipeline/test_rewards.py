"""Many answers at once: a reward each, as soon as it is known, and none where nothing can be said."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import pytest

from change2task.api.taskvariant import TaskVariant, VariantBase
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.rewards import Request, Reward, Rewards, TaskUnusable
from tests.pipeline.conftest import Hand


class Counted:
    """Rewards over the hand's store, counting how often a base was opened."""

    def __init__(self, hand: Hand) -> None:
        self.hand, self.opened, self.cancel = hand, 0, threading.Event()
        self.rewards = Rewards(store=hand.store, find=self.find, reopen=self.reopen, cancel=self.cancel)

    def find(self, name: str) -> TaskVariant:
        if self.hand.store.candidate(name) is None:
            raise TaskUnusable(f"there is no {name}")
        return self.hand.variant(name)

    def reopen(self, _wanted: VariantBase) -> BaseOnHand:
        self.opened += 1
        return self.hand.base


@pytest.fixture
def counted(hand: Hand) -> Counted:
    return Counted(hand)


def test_each_answer_earns_what_its_grade_says_and_the_base_is_opened_once(counted: Counted, hand: Hand) -> None:
    right = hand.restoration("fix")
    requests = [Request("right", "fix", right), Request("empty", "fix", b""), Request("none", "feature", b"no patch")]
    found = {one.id: one for one in counted.rewards.stream(requests, jobs=2)}
    assert {name: (one.reward, one.fault) for name, one in found.items()} == {
        "right": (1.0, None),
        "empty": (0.0, None),
        "none": (0.0, "PatchUnusable"),
    }
    assert counted.opened == 1
    assert found["right"].grade is not None
    assert found["right"].variant == hand.variant("fix").metadata.name


def test_a_task_that_is_not_there_is_no_zero_and_holds_up_nobody(counted: Counted) -> None:
    requests = [Request("a", "nowhere", b""), Request("b", "fix", b"")]
    found = {one.id: (one.reward, one.fault) for one in counted.rewards.stream(requests, jobs=1)}
    assert found == {"a": (None, "TaskUnusable"), "b": (0.0, None)}


def test_a_machine_that_fails_is_no_zero(counted: Counted) -> None:
    def fails(_wanted: VariantBase) -> BaseOnHand:
        raise InfrastructureFault("the disk is full")

    counted.rewards.reopen = fails
    reward = counted.rewards.reward(Request("a", "fix", b""))
    assert (reward.reward, reward.fault, reward.message) == (None, "InfrastructureFault", "the disk is full")


def test_who_waits_for_a_reward_before_asking_on_gets_it(counted: Counted) -> None:
    asked: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
    asked.put(Request("first", "fix", b""))
    stream = counted.rewards.stream(iter(asked.get, None), jobs=2)
    assert next(stream).id == "first"
    asked.put(Request("second", "fix", b""))
    assert next(stream).id == "second"
    asked.put(None)
    assert list(stream) == []


def test_a_refusal_among_the_requests_is_passed_on_in_its_turn(counted: Counted) -> None:
    refusal = Reward(id="line 1", task="", message="no JSON", fault="RequestUnusable")
    assert list(counted.rewards.stream([refusal], jobs=1)) == [refusal]


def test_requests_are_read_no_further_than_needed(counted: Counted) -> None:
    read: list[int] = []

    def endless() -> Iterator[Reward]:
        for number in range(10_000):
            read.append(number)
            yield Reward(id=str(number), task="", message="", fault="RequestUnusable")

    stream = counted.rewards.stream(endless(), jobs=1)
    assert next(stream).id == "0"
    stream.close()  # type: ignore[attr-defined]
    assert len(read) < 10_000


def test_what_reading_raises_comes_after_what_was_read(counted: Counted) -> None:
    def broken() -> Iterator[Request]:
        yield Request("a", "nowhere", b"")
        raise OSError("the pipe broke")

    stream = counted.rewards.stream(broken(), jobs=1)
    assert next(stream).id == "a"
    with pytest.raises(OSError, match="the pipe broke"):
        next(stream)


def test_asked_to_stop_a_stream_that_waits_for_requests_ends(counted: Counted) -> None:
    asked: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
    counted.cancel.set()
    with pytest.raises(Cancelled):
        next(counted.rewards.stream(iter(asked.get, None), jobs=1))
    asked.put(None)
