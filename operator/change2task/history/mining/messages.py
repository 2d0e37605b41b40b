"""What a change's messages alone say against it: a program made it, it sets a version, it takes another back.

A claim to revert is believed only where the files bear it out: "This reverts commit …" also stands on partial reverts
and in discussions. The proof here is by blobs and line counts, which the survey has at hand; `reverts` proves one
change by its diff.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from change2task.history.mining.units import Unit
from change2task.history.subjects import reverted_commits, reverted_requests, reverted_title
from change2task.history.wording import unwrapped
from change2task.vcs.commits import CommitInfo
from change2task.vcs.counted import CountedChange

_BOTS = re.compile(
    r"(?i).*\[bot\]|dependabot(-preview)?|renovate([- ]bot)?|pyup[- .]?(io )?bot|pyup\.io|pre-commit[- ]ci"
    r"|greenkeeper(io)?([- ]bot)?|snyk[- ]bot|github[- ]actions?|weblate|hosted weblate|semantic-release-bot|mergify"
    r"|imgbot|transifex|allcontributors|requires\.io"
)
_BOT_BRANCH = re.compile(
    r"^Merge (?:pull request #\d+ from|branch) \S*(?:dependabot|renovate|pyup|pre-commit-ci|greenkeeper|snyk)\b"
)
_RELEASE_TITLE = re.compile(
    r"(?i)\W*(?:chore(?:\([\w-]*\))?:?\s*)?(?:(?:bump|bumping|update|set|change|increase|prepare|prep|cut|start|begin"
    r"|open|tag|make|new|back to|re-?start)\b[\s:]*)?"
    r"(?:(?:the|for|to|package|pkg|patch|minor|major|post|dev(?:elopment)?|next|final)\b\s*)*"
    r"(?:(?:versions?|releases?|releasing|released)\b[\s:]*(?:number|bump|commit|(?:to|for|of|from)\b|\W)*\s*)?"
    r"v?\d+(?:\.\d+)+[\w.+-]*(?:\s*(?:->|=>|→|to)\s*v?\d+(?:\.\d+)+[\w.+-]*)?\s*(?:release[ds]?|version|dev(?:elopment)?"
    r"|final|\([#!]\d+\)|\W)*"
)
_RELEASE_WORDS = re.compile(
    r"(?i)\W*(?:(?:bump|update|increment|set|change|prepare|start|make|cut|new|next)\b\s*(?:the|for|a|to)?\s*)+"
    r"(?:(?:package|dev(?:elopment)?|minor|major|patch|next)\s+)*(?:version|release)(?:\s+(?:number|bump))?\W*(?:\([#!]\d+\))?\W*"
    r"|\W*(?:version|release)\s+bump\W*"
)
RELEASE_LINES: Final = 20
"""Most source lines that setting a version changes."""


def made_by_program(unit: Unit, infos: Mapping[str, CommitInfo]) -> bool:
    """Whether every commit of the change that is no merge was written by a program, or its branch was a program's."""
    info = infos[unit.commit]
    if _BOT_BRANCH.match(info.subject):
        return True
    own = [infos[oid] for oid in unit.inside if len(infos[oid].parents) < 2] or [info]
    return all(_BOTS.fullmatch(one.author_name.strip()) for one in own)


def is_release_title(info: CommitInfo) -> bool:
    """Whether the title speaks of setting a version and of nothing else."""
    title = unwrapped(info.subject, info.body)[0][:200]
    return bool(_RELEASE_TITLE.fullmatch(title) or _RELEASE_WORDS.fullmatch(title))


def says_it_reverts(info: CommitInfo) -> bool:
    """Whether the change presents itself as taking another back; a mention in the body alone does not."""
    title = unwrapped(info.subject, info.body)[0]
    return reverted_title(info.subject) is not None or reverted_title(title) is not None


class Reverts:
    """Which changes were taken back by later ones, and not brought in again since."""

    def __init__(
        self,
        found: Sequence[Unit],
        infos: Mapping[str, CommitInfo],
        changes: Callable[[str], Sequence[CountedChange]],
        product: Callable[[bytes], bool],
    ) -> None:
        """``found``: newest first. ``changes``: of a unit by its commit. ``product``: whether a path is source."""
        self._infos = infos
        self._changes = changes
        self._product = product
        self._place = {unit.commit: number for number, unit in enumerate(found)}
        self._by_commit: defaultdict[str, list[str]] = defaultdict(list)
        self._by_number: defaultdict[int, list[str]] = defaultdict(list)
        self._by_title: defaultdict[str, list[str]] = defaultdict(list)
        for unit in found:
            self._learn(unit)

    def _learn(self, unit: Unit) -> None:
        for oid in (unit.commit, *unit.inside):
            info = self._infos[oid]
            for said in reverted_commits(info.message[:20_000]):
                self._by_commit[said[:7]].append(unit.commit)
            for number in reverted_requests(info.message[:20_000]):
                self._by_number[number].append(unit.commit)
            for title in (info.subject, unwrapped(info.subject, info.body)[0]):
                if (quoted := reverted_title(title)) is not None:
                    self._by_title[quoted].append(unit.commit)

    def undone_by(self, unit: Unit) -> str | None:
        """The change that took this one back for good, or None."""
        return next((later for later in self._undoing(unit) if self._stands(later)), None)

    def _stands(self, revert: str) -> bool:
        """Whether a revert was not itself taken back; reverts of reverts of reverts are followed one step."""
        claims = self._claims((revert,), None, self._infos[revert].subject)
        return not any(self._undoes(later, revert) for later in claims)

    def _undoing(self, unit: Unit) -> Iterator[str]:
        titles = [self._infos[unit.commit].subject]
        titles.append(unwrapped(titles[0], self._infos[unit.commit].body)[0])
        claims = self._claims((unit.commit, *unit.inside), unit.number, *titles)
        return (later for later in claims if self._undoes(later, unit.commit))

    def _claims(self, oids: Iterable[str], number: int | None, *titles: str) -> list[str]:
        found = [later for oid in oids for later in self._by_commit.get(oid[:7], ())]
        found += self._by_number.get(number, ()) if number is not None else ()
        found += [later for title in titles for later in self._by_title.get(title, ())]
        return list(dict.fromkeys(found))

    def _undoes(self, later: str, earlier: str) -> bool:
        """Whether the later change does the earlier one backwards, in every source file of it."""
        if self._place.get(later, len(self._place)) >= self._place.get(earlier, -1):
            return False
        backwards = {one.change.path: one for one in self._changes(later)}
        own = [one for one in self._changes(earlier) if self._product(one.change.path)]
        return bool(own) and all(_is_inverse(backwards.get(one.change.path), one) for one in own)


def _is_inverse(later: CountedChange | None, earlier: CountedChange) -> bool:
    if later is None:
        return False
    if (later.change.old, later.change.new) == (earlier.change.new, earlier.change.old):
        return True
    counts, known = later.lines, earlier.lines
    return counts.added is not None and (counts.added, counts.removed) == (known.removed, known.added)
