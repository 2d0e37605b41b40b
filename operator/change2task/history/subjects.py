"""Reading what commits say of themselves: which pull request, which revert, which branch.

Forges write the same few sentences into merge and squash commits; people edit them. Only names and numbers are
read here, and none is believed without looking: proving them is left to ``references``.
"""

from __future__ import annotations

import re

_MERGES = (
    re.compile(r"^Merge pull request #(\d+)\b"),  # GitHub; Bitbucket server says "in PROJ/repo from …"
    re.compile(r"^Merged in .+ \(pull request #(\d+)\)"),  # Bitbucket cloud
    re.compile(r"^Merged PR (\d+):"),  # Azure
    re.compile(r"^Pull request #(\d+):"),  # Bitbucket server, squashed
    re.compile(r"^(?:Auto merge of|Merge) #(\d+)(?: - .*|\s*)$"),  # bors, homu
)
_TRAILING = re.compile(r"\((?:pull request |PR )?(?:#|GH-|gh-|!)(\d+)\)")
_MERGE_REQUEST = re.compile(r"^See merge request (?:[\w./-]*)!(\d+)\s*$", re.MULTILINE)
_QUOTED = re.compile(r"^(?:Revert|Reapply|Reland|Re-land) [\"“](.*)[\"”]")
_REVERTS_COMMIT = re.compile(r"\bThis reverts (?:merge )?commits? ([0-9a-f]{7,64})", re.IGNORECASE)
_REVERTS_REQUEST = re.compile(
    r"^[ \t]*(?:This )?reverts (?:(?:merge|pull) request )?[\w./-]{0,200}(?:#|!)(\d+)\b",
    re.IGNORECASE | re.MULTILINE,
)
_MERGED_BRANCH = re.compile(r"^Merge (?:remote-tracking )?branch(?:es)? ['\"‘]?(?:[\w.-]+/)?([^'\"’\s]+)")
_REQUEST_FROM = re.compile(r"^Merge pull request #\d+ (?:in \S+ )?from (\S+)")
_LONG_LIVED = re.compile(
    r"(?i)^(?:(?:origin|upstream)/)?(?:main|master|trunk|develop(?:ment)?|devel|dev|next|stable|staging|production"
    r"|maint(?:enance)?|stable[-/_.].+|(?:maint|releases?|support|branch)[-/_.]v?\d[\w.-]*"
    r"|v?\d+(?:\.\d+)*(?:\.x|[-_.]maintenance)|v?\d+\.\d+|.+[-_]stable|.+[-_]maintenance)$"
)


def named_request(subject: str, body: str = "") -> int | None:
    """The pull or merge request a message names last, or None; leading numbers name issues and are not taken.

    A revert's quoted title names what it takes back, not itself.
    """
    for pattern in _MERGES:
        if match := pattern.match(subject):
            return int(match[1])
    own = _QUOTED.sub("", subject) if _QUOTED.match(subject) else subject
    if numbers := _TRAILING.findall(own):
        return int(numbers[-1])
    if requests := _MERGE_REQUEST.findall(body):
        return int(requests[-1])
    return None


def reverted_commits(message: str) -> tuple[str, ...]:
    """Object ids, possibly abbreviated, that a message says it reverts."""
    return tuple(dict.fromkeys(_REVERTS_COMMIT.findall(message)))


def reverted_requests(message: str) -> tuple[int, ...]:
    """Requests that a message says it reverts (GitHub's button writes ``Reverts owner/name#N``)."""
    return tuple(dict.fromkeys(int(n) for n in _REVERTS_REQUEST.findall(message)))


def reverted_title(subject: str) -> str | None:
    """The quoted title of a ``Revert "…"`` subject, or None."""
    match = _QUOTED.match(subject)
    return match[1] if match and subject.startswith("Revert") else None


def merged_branch(subject: str) -> str | None:
    """The branch that a merge's subject says it brings in, without its remote, or None."""
    if match := _MERGED_BRANCH.match(subject):
        return match[1]
    if match := _REQUEST_FROM.match(subject):
        return match[1].partition("/")[2] or match[1]
    return None


def is_long_lived(branch: str) -> bool:
    """Whether a branch of this name collects many changes: main, stable, ``8.1.x``, ``release/2``."""
    return _LONG_LIVED.match(branch) is not None
