"""Caps by base, namespace and cluster; who found no room looks again when a Job ends."""

from __future__ import annotations

import pytest

from change2task.operator.running import Place, Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps

CAPS = Caps(per_base=2, per_namespace=3, cluster=4)


def key(name: str) -> Key:
    return Key("TaskCandidate", "team", name)


def place(base: str = "a", namespace: str = "team") -> Place:
    return Place(namespace=namespace, base=base)


@pytest.mark.parametrize(
    ("running", "wanted", "room"),
    [
        ([], place(), True),
        ([place(), place()], place(), False),
        ([place(), place()], place("b"), True),
        ([place(), place("b"), place("b")], place("c"), False),
        ([place(), place("b"), place("b")], place("c", "other"), True),
        ([place(), place("b"), place("b"), place("c", "other")], place("d", "other"), False),
    ],
)
def test_each_cap_holds(running: list[Place], wanted: Place, *, room: bool) -> None:
    counted = Running(CAPS)
    for number, one in enumerate(running):
        counted.runs(f"job-{number}", one)
    assert counted.take("new", wanted, key("new")) is room
    assert counted.waiting == (0 if room else 1)


def test_a_job_that_is_there_already_has_its_room() -> None:
    counted = Running(Caps(per_base=1, per_namespace=1, cluster=1))
    assert counted.take("job", place(), key("one"))
    assert counted.take("job", place(), key("one"))
    assert len(counted) == 1


def test_who_waited_longest_looks_first_and_once() -> None:
    counted = Running(Caps(per_base=1, per_namespace=9, cluster=2))
    assert counted.take("job", place(), key("one"))
    for name in ("two", "three"):
        assert not counted.take(f"job-{name}", place(), key(name))
    assert counted.ended("job") == (key("two"), key("three"))
    assert counted.waiting == 0


def test_who_looks_again_keeps_its_place_in_the_line() -> None:
    counted = Running(Caps(per_base=1, per_namespace=9, cluster=3))
    counted.take("job", place(), key("one"))
    for name in ("two", "three", "two"):
        counted.take(f"job-{name}", place(), key(name))
    assert counted.ended("job") == (key("two"), key("three"))


def test_what_does_not_come_to_be_wakes_nobody_and_loses_nobody() -> None:
    counted = Running(Caps(per_base=1, per_namespace=1, cluster=1))
    counted.take("job", place(), key("one"))
    counted.take("other", place(), key("two"))
    counted.release("job")
    assert (len(counted), counted.waiting) == (0, 1)


def test_an_end_that_is_told_twice_frees_once() -> None:
    counted = Running(CAPS)
    counted.runs("job", place())
    counted.ended("job")
    assert not counted.take("x", place(), key("x")) or counted.ended("job") == ()


def test_who_is_gone_waits_no_longer() -> None:
    counted = Running(Caps(per_base=1, per_namespace=1, cluster=1))
    counted.take("job", place(), key("one"))
    counted.take("other", place(), key("two"))
    counted.forget(key("two"))
    assert counted.ended("job") == ()
