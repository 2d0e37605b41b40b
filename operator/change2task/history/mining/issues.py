"""The issues that requests close, as far as an export has their text, and what else an export tells a miner.

`gh pr list --json closingIssuesReferences` gives numbers alone; what `change2task mine --forge-api` keeps has title and
body too, in the same place. An issue says what is wrong in the words of whoever met it, which is the better intent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from change2task.api.taskcandidate import Intent
from change2task.history.forge import BODY_LIMIT
from change2task.history.wording import clean_body, clean_title, is_thin, without_lines

GITHUB: Final = "closingIssuesReferences"
GITLAB: Final = "closes_issues"
_SHORTEST_ANSWER = 16


def issues_of(rows: Sequence[Any]) -> dict[int, tuple[tuple[str, str], ...]]:
    """Title and body of the issues that each request closes, by the request's number."""
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    for row in rows:
        number = number_of(row)
        if number is not None:
            told = row.get(GITHUB) or row.get(GITLAB) or ()
            found[number] = tuple(text for one in told if (text := _text(one)) is not None)
    return found


def number_of(row: Any) -> int | None:
    """The number of an export's row; None where it has none."""
    number = row.get("iid", row.get("number")) if isinstance(row, Mapping) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def repeated_numbers(rows: Sequence[Any]) -> tuple[int, ...]:
    """Numbers that stand in an export more than once, in order."""
    counts = Counter(number for row in rows if (number := number_of(row)) is not None)
    return tuple(sorted(number for number, times in counts.items() if times > 1))


def intent_of(issues: Sequence[tuple[str, str]], added_lines: Sequence[str]) -> Intent | None:
    """The intent that a closed issue gives, without references and without lines of the answer.

    None where a request closes no issue, or several, or one whose title says too little.
    """
    if len(issues) != 1:
        return None
    title = clean_title(issues[0][0])
    if not title or is_thin(title):
        return None
    answer = frozenset(line.strip() for line in added_lines if len(line.strip()) >= _SHORTEST_ANSWER)
    return Intent(title=title, body=without_lines(clean_body(issues[0][1]), answer)[:BODY_LIMIT])


def _text(issue: Any) -> tuple[str, str] | None:
    if not isinstance(issue, Mapping):
        return None
    title, body = issue.get("title"), issue.get("body", issue.get("description"))
    if not isinstance(title, str) or not title.strip():
        return None
    return title[:1024], body[:BODY_LIMIT] if isinstance(body, str) else ""
