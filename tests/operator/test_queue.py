"""Looks run side by side up to a bound; one that fails is tried again and stops nobody."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

from change2task.operator.queue import Queue
from change2task.operator.schedule import Backoff, Key


def key(name: str, namespace: str = "one") -> Key:
    return Key("TaskCandidate", namespace, name)


class Looks:
    """Counts looks, and those at a time; what a look does can be said for each name."""

    def __init__(self) -> None:
        self.seen: defaultdict[str, int] = defaultdict(int)
        self.now = self.most = 0
        self.does: dict[str, Callable[[int], Awaitable[float | None]]] = {}

    async def __call__(self, key: Key) -> float | None:
        self.seen[key.name] += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0)
            does = self.does.get(key.name)
            return None if does is None else await does(self.seen[key.name])
        finally:
            self.now -= 1

    async def until(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not met():
                await asyncio.sleep(0.001)


def with_queue(looks: Looks, act: Callable[[Queue], Awaitable[None]], workers: int = 2) -> None:
    async def main() -> None:
        queue = Queue(looks, workers=workers, backoff=Backoff(first=0.01, most=0.02))
        running = asyncio.create_task(queue.run())
        try:
            await act(queue)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(main())


def test_no_more_looks_at_a_time_than_there_are_workers() -> None:
    looks = Looks()

    async def act(queue: Queue) -> None:
        for number in range(20):
            queue.add(key(str(number)))
        await looks.until(lambda: len(looks.seen) == 20)

    with_queue(looks, act, workers=3)
    assert looks.most == 3


def test_a_look_that_fails_is_tried_again_and_the_others_go_on() -> None:
    looks = Looks()

    async def fails_twice(times: int) -> float | None:
        if times <= 2:
            raise RuntimeError("the API server said no")
        return None

    looks.does["bad"] = fails_twice

    async def act(queue: Queue) -> None:
        queue.add(key("bad"))
        queue.add(key("good"))
        await looks.until(lambda: looks.seen["bad"] == 3 and looks.seen["good"] == 1)

    with_queue(looks, act, workers=1)


def test_a_look_that_wants_another_gets_it() -> None:
    looks = Looks()

    async def thrice(times: int) -> float | None:
        return 0.01 if times < 3 else None

    looks.does["a"] = thrice

    async def act(queue: Queue) -> None:
        queue.add(key("a"))
        await looks.until(lambda: looks.seen["a"] == 3)
        assert len(queue) == 0

    with_queue(looks, act)


def test_what_is_asked_for_in_a_while_is_looked_at_then() -> None:
    looks = Looks()

    async def act(queue: Queue) -> None:
        queue.add_after(key("later"), 0.05)
        queue.add(key("now"))
        await looks.until(lambda: looks.seen["now"] == 1)
        assert looks.seen["later"] == 0
        await looks.until(lambda: looks.seen["later"] == 1)

    with_queue(looks, act)


def test_what_is_gone_is_not_looked_at() -> None:
    looks = Looks()

    async def act(queue: Queue) -> None:
        queue.add_after(key("gone"), 0.01)
        queue.forget(key("gone"))
        queue.add(key("here"))
        await looks.until(lambda: looks.seen["here"] == 1)
        await asyncio.sleep(0.05)
        assert "gone" not in looks.seen

    with_queue(looks, act)


def test_a_queue_that_is_stopped_ends_its_looks() -> None:
    looks = Looks()
    ended: list[str] = []

    async def forever(_: int) -> float | None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("look")
        return None

    looks.does["a"] = forever

    async def act(queue: Queue) -> None:
        queue.add(key("a"))
        await looks.until(lambda: looks.seen["a"] == 1)

    with_queue(looks, act)
    assert ended == ["look"]
