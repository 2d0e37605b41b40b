"""Whether a command fills its folders or the host's disk, at a bounded cost.

It exists because neither a mount namespace nor a folder has a size. A walk over the folders is exact but dear, so it
goes on in slices of milliseconds; the file system's own count of free space says when to hurry.
Files deleted while still open are seen only by that count.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path

_BLOCK = 512
_PAUSE = 2.0
_SLICE = 0.01
_URGENT_SLICE = 0.1
_FINAL_SLICE = 2.0

RESERVE_BYTES = 256 << 20


class Disk(Enum):
    """What was found: all is well, the command's folders hold too much, or the host's disk is nearly full."""

    FINE = "fine"
    OVER_LIMIT = "over limit"
    HOST_FULL = "host full"


class DiskWatch:
    """Watches host `folders` against `limit` bytes, and `reserve` free bytes on their file systems.

    `elsewhere` tells what is to be counted besides, such as the layer of a container; it is asked a few times a second.
    Sizes are allocated bytes, links to one file counted each time they are met.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        limit: int,
        reserve: int = RESERVE_BYTES,
        clock: Callable[[], float] = time.monotonic,
        *,
        elsewhere: Callable[[], int] | None = None,
    ) -> None:
        self._folders, self._limit, self._reserve, self._clock = tuple(folders), limit, reserve, clock
        self._elsewhere = elsewhere or _nothing
        self._free_at_start = self._free()
        self._walk: Iterator[int | None] | None = None
        self._total = self._last_total = 0
        self._hidden = False
        self._next_walk = clock() + _PAUSE

    def look(self) -> Disk:
        """A quick look, some milliseconds at most; to be called a few times a second."""
        if self._elsewhere() > self._limit:
            return Disk.OVER_LIMIT
        if not self._folders:
            return Disk.FINE
        urgent = self._suspicious()
        if self._walk is None and (urgent or self._clock() >= self._next_walk):
            self._begin_walk()
        if self._advance(_URGENT_SLICE if urgent else _SLICE):
            return Disk.OVER_LIMIT
        return self._host()

    def last_look(self) -> Disk:
        """The look after the command has ended: exact if there is any sign of excess, within two seconds."""
        if self._elsewhere() > self._limit:
            return Disk.OVER_LIMIT
        if not self._folders:
            return Disk.FINE
        if self._suspicious():
            self._begin_walk()
            if self._advance(_FINAL_SLICE):
                return Disk.OVER_LIMIT
        return self._host()

    def sentence(self) -> str:
        """What is wrong with the host's disk, for a person."""
        free = min(self._free().values(), default=0)
        return (
            f"the host's disk is nearly full: {free >> 20} MiB are left below {self._folders[0]}, "
            f"{self._reserve >> 20} MiB are kept in reserve; free some space and run again"
        )

    def _host(self) -> Disk:
        if all(free >= self._reserve for free in self._free().values()):
            return Disk.FINE
        # Whose doing is it? Only an exact answer may blame the host.
        self._begin_walk()
        return Disk.OVER_LIMIT if self._advance(_FINAL_SLICE) else Disk.HOST_FULL

    def _suspicious(self) -> bool:
        return max(self._taken(), self._last_total) > self._limit / 2

    def _taken(self) -> int:
        free = self._free()
        return max((self._free_at_start.get(device, 0) - left for device, left in free.items()), default=0)

    def _free(self) -> dict[int, int]:
        free: dict[int, int] = {}
        for folder in self._folders:
            try:
                numbers = os.statvfs(folder)
                free[folder.stat().st_dev] = numbers.f_bavail * numbers.f_frsize
            except FileNotFoundError:  # a command without a mount namespace may remove its own folders
                continue
        return free

    def _begin_walk(self) -> None:
        self._walk, self._total, self._hidden = self._sizes(), 0, False

    def _advance(self, seconds: float) -> bool:
        """Go on with the walk for some time; True as soon as the limit is passed."""
        if self._walk is None:
            return False
        until = self._clock() + seconds
        for size in self._walk:
            if size is None:
                self._hidden = True
            else:
                self._total += size
            if self._total > self._limit:
                return True
            if self._clock() > until:
                return False
        self._walk, self._last_total = None, self._total
        self._next_walk = self._clock() + _PAUSE
        # What cannot be listed can hold anything: then the file system's own count is believed.
        return self._hidden and self._taken() > self._limit

    def _sizes(self) -> Iterator[int | None]:
        """Allocated bytes of each entry; None for a folder that cannot be listed."""
        waiting = [str(folder) for folder in self._folders]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        try:
                            yield entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                        except FileNotFoundError:
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                yield None


def _nothing() -> int:
    return 0
