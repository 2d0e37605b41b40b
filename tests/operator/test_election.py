"""Several replicas and one lease: one works, another takes over in time, and nobody believes another's clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from change2task.cluster.kube import Json, KubeFault
from change2task.operator.election import Election
from change2task.operator.leading import SeenLease, decide
from change2task.operator.settings import LeaseSettings
from tests.support.kube import Api

LEASE = LeaseSettings(name="operator", namespace="system", duration_seconds=30, renew_seconds=20, retry_seconds=4)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class Time:
    """Seconds of the world, that every replica's steady clock follows from a beginning of its own."""

    seconds: float = 0.0

    def goes(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass
class Replicas:
    """An API server in memory and replicas before it; ``skew`` is what a replica's date is off by."""

    api: Api = field(default_factory=Api)
    time: Time = field(default_factory=Time)

    def replica(self, name: str, skew: timedelta = timedelta()) -> Election:
        untyped: Any = self.api
        begun = hash(name) % 1000

        def now() -> datetime:
            return NOW + timedelta(seconds=self.time.seconds) + skew

        return Election(untyped, LEASE, name, now, lambda: self.time.seconds + begun)

    @property
    def lease(self) -> Json:
        there = self.api.get("Lease", "system", "operator")
        assert there is not None
        return there


def test_of_two_replicas_one_leads_for_as_long_as_it_renews() -> None:
    world = Replicas()
    one, other = world.replica("one"), world.replica("other")
    for _ in range(50):
        assert (one.step(), other.step()) == (True, False)
        world.time.goes(4)
    assert (world.lease["spec"]["holderIdentity"], other.said) == ("one", "one leads")
    assert world.lease["spec"]["leaseTransitions"] == 0


def test_when_the_leader_dies_the_other_takes_over_after_the_duration_and_not_before() -> None:
    world = Replicas()
    one, other = world.replica("one"), world.replica("other")
    one.step()
    other.step()
    began = world.time.seconds
    while not other.step():
        world.time.goes(1)
        assert world.time.seconds < 100
    assert LEASE.duration_seconds <= world.time.seconds - began <= LEASE.duration_seconds + LEASE.retry_seconds
    assert not one.leads(), "it has stopped long before"
    assert world.lease["spec"]["leaseTransitions"] == 1


def test_a_leader_that_cannot_renew_stops_before_anybody_else_may_begin() -> None:
    world = Replicas()
    one = world.replica("one")
    one.step()

    def away(*_: object) -> Json:
        raise KubeFault("GET", 0, "no route to host")

    world.api.get = away  # type: ignore[method-assign]
    stopped = 0.0
    while one.step():
        world.time.goes(1)
        stopped = world.time.seconds
    assert stopped == LEASE.renew_seconds < LEASE.duration_seconds
    assert "cannot be read" in one.said


def test_an_answer_that_was_long_on_its_way_prolongs_nothing() -> None:
    world = Replicas()
    one, replace = world.replica("one"), world.api.replace
    one.step()

    def slow(manifest: Json) -> Json:
        made = replace(manifest)
        world.time.goes(19)
        return made

    world.api.replace = slow  # type: ignore[method-assign]
    one.step()
    assert one.left() == pytest.approx(1)


@pytest.mark.parametrize("skew", [timedelta(days=-400), timedelta(hours=-1), timedelta(hours=1), timedelta(days=400)])
def test_nobody_believes_another_machines_clock(skew: timedelta) -> None:
    world = Replicas()
    one, other = world.replica("one", skew), world.replica("other")
    one.step()
    for _ in range(20):
        world.time.goes(4)
        assert (one.step(), other.step()) == (True, False), "a date that is off is no lease that is over"
    began = world.time.seconds
    while not other.step():
        world.time.goes(1)
    assert world.time.seconds - began == pytest.approx(LEASE.duration_seconds, abs=1)


def test_of_two_that_take_it_at_once_one_gets_a_conflict_and_waits() -> None:
    world = Replicas()
    one, other = world.replica("one"), world.replica("other")
    get = world.api.get
    seen = get("Lease", "system", "operator")
    world.api.get = lambda *_: seen  # type: ignore[method-assign]
    assert (one.step(), other.step()) == (True, False)
    assert other.said == "another replica was quicker"
    world.api.get = get  # type: ignore[method-assign]
    assert (one.step(), other.step()) == (True, False)


def test_a_conflict_while_renewing_is_looked_at_again_and_the_holder_goes_on() -> None:
    world = Replicas()
    one, replace = world.replica("one"), world.api.replace
    one.step()
    world.time.goes(4)

    def touched(manifest: Json) -> Json:
        world.api.touch(world.api.objects["Lease", "system", "operator"])
        return replace(manifest)

    world.api.replace = touched  # type: ignore[method-assign]
    assert one.step(), "it has still time"
    assert one.left() == pytest.approx(16)
    world.api.replace = replace  # type: ignore[method-assign]
    assert one.step()
    assert one.left() == pytest.approx(20)


def test_a_holder_whose_lease_another_one_has_stops_at_once() -> None:
    world = Replicas()
    one = world.replica("one")
    one.step()
    world.api.objects["Lease", "system", "operator"]["spec"]["holderIdentity"] = "other"
    assert not one.step()
    assert one.left() < 0


def test_what_is_let_go_at_the_end_is_taken_at_once() -> None:
    world = Replicas()
    one, other = world.replica("one"), world.replica("other")
    one.step()
    other.step()
    one.let_go()
    assert (one.leads(), other.step()) == (False, True)
    one.let_go()
    assert world.lease["spec"]["holderIdentity"] == "other", "what it does not hold it does not let go"


def test_a_lease_that_somebody_deleted_is_made_again() -> None:
    world = Replicas()
    one = world.replica("one")
    one.step()
    del world.api.objects["Lease", "system", "operator"]
    assert one.step()
    assert world.lease["spec"]["holderIdentity"] == "one"


def test_a_replica_that_came_back_under_its_name_goes_on() -> None:
    world = Replicas()
    world.replica("one").step()
    assert world.replica("one").step()


@pytest.mark.parametrize("spec", [None, {}, {"holderIdentity": None}, {"holderIdentity": "", "renewTime": "x"}])
def test_a_lease_that_nobody_holds_is_taken(spec: Json | None) -> None:
    world = Replicas()
    world.api.put({"kind": "Lease", "metadata": {"name": "operator", "namespace": "system"}, "spec": spec})
    assert world.replica("one").step()


@settings(deadline=None)
@given(st.text(min_size=1, max_size=9), st.integers(-9, 9999), st.floats(0, 9999))
def test_another_holders_lease_is_never_taken_before_its_own_duration_is_over(
    holder: str, seconds: int, unchanged: float
) -> None:
    raw = {
        "metadata": {"resourceVersion": "1"},
        "spec": {"holderIdentity": f"other-{holder}", "leaseDurationSeconds": seconds},
    }
    step = decide("me", SeenLease.of(raw), unchanged, LEASE)
    longest = max(LEASE.duration_seconds, seconds if 0 < seconds <= 3600 else 0)
    assert step.do == ("take" if unchanged >= longest else "wait")


@pytest.mark.parametrize(
    "times", [{"renew_seconds": 30}, {"retry_seconds": 20}, {"duration_seconds": 2}, {"renew_seconds": 31}]
)
def test_times_that_could_overlap_are_refused(times: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        LeaseSettings.model_validate({**LEASE.model_dump(), **times})
