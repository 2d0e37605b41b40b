"""GitHub's REST API as the export that ``gh pr list --json`` prints, so that asking again offline gives the same.

The REST API does not say which issues a request closes; the words that close them do, which GitHub itself reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from change2task.history.forges.client import Client, ForgeNotFound
from change2task.history.mining.issues import GITHUB

HINT: Final = "that is https://api.github.com, or https://HOST/api/v3 of a server of your own"
HEADERS: Final = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_CLOSES = re.compile(
    r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]{1,100}/[\w.-]{1,100}))?#(\d{1,9})\b"
)
_MOST_ISSUES = 5


def api_url(host: str) -> str:
    """Where the API of a host is."""
    return "https://api.github.com" if host in {"github.com", "www.github.com"} else f"https://{host}/api/v3"


def requests(client: Client, repository: str, wanted: Collection[int]) -> list[dict[str, Any]]:
    """The merged ones of these requests, newest first. ``repository``: owner/name. Raises ForgeRefuses."""
    found: list[dict[str, Any]] = []
    asked: dict[str, str | int] = {"state": "closed", "sort": "created", "direction": "desc", "per_page": 100}
    for rows in client.pages(f"repos/{repository}/pulls", asked) if wanted else ():
        numbers = [row["number"] for row in rows if _is_request(row)]
        found += [_row(row) for row in rows if _is_request(row) and row["number"] in wanted and row.get("merged_at")]
        if numbers and min(numbers) <= min(wanted):
            break
    return found


def with_issues(client: Client, repository: str, row: dict[str, Any]) -> dict[str, Any]:
    """The request with title and body of the issues it closes. Raises ForgeRefuses."""
    numbers = [
        int(number)
        for place, number in _CLOSES.findall(f"{row['title']}\n{row['body']}"[:100_000])
        if not place or place.lower() == repository.lower()
    ]
    issues = [_issue(client, repository, number) for number in list(dict.fromkeys(numbers))[:_MOST_ISSUES]]
    return {**row, GITHUB: [issue for issue in issues if issue is not None]}


def _issue(client: Client, repository: str, number: int) -> dict[str, Any] | None:
    try:
        told = client.one(f"repos/{repository}/issues/{number}")
    except ForgeNotFound:
        return None
    if not isinstance(told, Mapping) or told.get("pull_request"):
        return None
    return {"number": number, "title": _text(told.get("title")), "body": _text(told.get("body"))}


def _is_request(row: Any) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("number"), int)


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    head, merged = row.get("head"), row.get("merge_commit_sha")
    return {
        "number": row["number"],
        "title": _text(row.get("title")),
        "body": _text(row.get("body")),
        "labels": [{"name": one["name"]} for one in row.get("labels") or () if isinstance(one.get("name"), str)],
        "mergeCommit": {"oid": merged} if isinstance(merged, str) else None,
        "headRefOid": head.get("sha") if isinstance(head, Mapping) else None,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
