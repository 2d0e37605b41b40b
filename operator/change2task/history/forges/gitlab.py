"""GitLab's REST API as the export that its own answers are, with the issues that each request closes beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import quote

from change2task.history.forges.client import Client, ForgeNotFound
from change2task.history.mining.issues import GITLAB

HINT: Final = "that is https://gitlab.com/api/v4, or https://HOST/api/v4 of a server of your own"
HEADERS: Final = {"Accept": "application/json"}
_KEPT = ("merge_commit_sha", "squash_commit_sha", "sha")
_MOST_ISSUES = 5


def api_url(host: str) -> str:
    """Where the API of a host is."""
    return f"https://{host}/api/v4"


def requests(client: Client, repository: str, wanted: Collection[int]) -> list[dict[str, Any]]:
    """The merged ones of these requests, newest first. ``repository``: group/project. Raises ForgeRefuses."""
    found: list[dict[str, Any]] = []
    asked: dict[str, str | int] = {"state": "merged", "order_by": "created_at", "sort": "desc", "per_page": 100}
    for rows in client.pages(f"projects/{quote(repository, safe='')}/merge_requests", asked) if wanted else ():
        numbers = [row["iid"] for row in rows if _is_request(row)]
        found += [_row(row) for row in rows if _is_request(row) and row["iid"] in wanted]
        if numbers and min(numbers) <= min(wanted):
            break
    return found


def with_issues(client: Client, repository: str, row: dict[str, Any]) -> dict[str, Any]:
    """The request with title and body of the issues it closes. Raises ForgeRefuses."""
    place = f"projects/{quote(repository, safe='')}/merge_requests/{row['iid']}/closes_issues"
    try:
        told = client.one(place)
    except ForgeNotFound:
        told = []
    issues = [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []
    return {
        **row,
        GITLAB: [
            {"iid": one.get("iid"), "title": _text(one.get("title")), "description": _text(one.get("description"))}
            for one in issues[:_MOST_ISSUES]
        ],
    }


def _is_request(row: Any) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("iid"), int)


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "iid": row["iid"],
        "title": _text(row.get("title")),
        "description": _text(row.get("description")),
        "labels": [one for one in row.get("labels") or () if isinstance(one, str)],
        **{name: row[name] for name in _KEPT if isinstance(row.get(name), str)},
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
