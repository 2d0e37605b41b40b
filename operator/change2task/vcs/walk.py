"""Which commits to look at: the options of a walk through history, as git's words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk from `ends` backwards, without anything reachable from `excluded`; all of them whole commit ids.

    `paths` keeps commits that changed one of them, or something below; `since` and `until` compare committer times.
    """

    ends: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    first_parent: bool = False
    paths: Collection[bytes] = ()
    merges: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    most: int | None = None
    oldest_first: bool = False

    def words(self) -> list[str | bytes]:
        """The arguments of `git rev-list`."""
        words: list[str | bytes] = ["rev-list"]
        if self.first_parent:
            words.append("--first-parent")
        if self.merges is not None:
            words.append("--merges" if self.merges else "--no-merges")
        if self.since is not None:
            words.append(f"--since={int(self.since.timestamp())}")
        if self.until is not None:
            words.append(f"--until={int(self.until.timestamp())}")
        if self.most is not None:
            words.append(f"--max-count={self.most}")
        if self.oldest_first:
            words.append("--reverse")
        words += ["--end-of-options", *self.ends, *(f"^{oid}" for oid in self.excluded), "--"]
        return [*words, *self.paths]
