"""How setup is held to a date, and how an index that keeps no dates is told from one that is not there.

It exists because newest packages break old healthy revisions, and because many mirrors drop the upload dates without
which an installer, asked for a date, finds nothing at all.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from pathlib import Path

from change2task.base.steps import Bench

_PROBES = ("pip", "setuptools", "pytest")
_FAR = "2999-01-01T00:00:00Z"
VARIABLES = frozenset({"UV_EXCLUDE_NEWER", "PIP_UPLOADED_PRIOR_TO", "npm_config_before"})
_REGISTRY_UNREACHABLE = re.compile(
    r"\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN)\b|Could not resolve host|Couldn't connect to server"
    r"|spurious network error|Could not transfer artifact .*(?:refused|timed out|Unknown host)|Unknown host"
)
_GO_UNREACHABLE = re.compile(
    r"dial tcp|connection refused|i/o timeout|no such host|TLS handshake|network is unreachable|\b50[234] ", re.I
)
_REQUEST_FAILED = 2
_REFUSED = re.compile(r"\b401 Unauthorized|\b403 Forbidden")
"""uv's own words; the log is of a command of ours alone."""


def cutoff(as_of: date) -> str:
    """The moment before which a package must have been published: the end of the day after, in UTC (RFC 3339).

    A day of slack, because a commit's clock and an index's seldom agree.
    """
    moment = datetime.combine(as_of + timedelta(days=2), time(), UTC)
    return moment.isoformat().replace("+00:00", "Z")


def variables(as_of: date) -> dict[str, str]:
    """What makes uv, pip (26 and newer) and npm install nothing younger."""
    moment = cutoff(as_of)
    return {"UV_EXCLUDE_NEWER": moment, "PIP_UPLOADED_PRIOR_TO": moment, "npm_config_before": moment}


class Index(Enum):
    """What a probe says of the package index."""

    DATED = "dated"
    UNDATED = "undated"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"


def probe(bench: Bench) -> Index:
    """Ask the index for a package every mirror has, without a date and with one far in the future.

    Only an index without dates knows a package in the first case and no version of it in the second. Some indexes
    refuse what they have not, so only one that refuses everything does not let us in.
    """
    failures = refusals = 0
    for name in _PROBES:
        log = bench.logs / "probe.log"
        without = _ask(bench, name, log, None)
        if without == _REQUEST_FAILED:
            failures += 1
            if failures > 1:
                return Index.UNREACHABLE
        elif without == 0:
            return Index.DATED if _ask(bench, name, log, _FAR) == 0 else Index.UNDATED
        else:
            refusals += _REFUSED.search(bench.tail("probe.log")) is not None
    if refusals == len(_PROBES):
        return Index.REFUSED
    return Index.UNREACHABLE if failures else Index.DATED


def _ask(bench: Bench, name: str, log: Path, date_: str | None) -> int | None:
    extra = {"UV_HTTP_RETRIES": "1"} | ({} if date_ is None else {"UV_EXCLUDE_NEWER": date_})
    script = f"echo {name} | {bench.uv} pip compile -q --no-cache --no-deps --no-build -"
    without = VARIABLES | {"UV_CONSTRAINT"}
    return bench.run(("sh", "-c", script), log=log, extra=extra, without=without).exit_code


def go_unreachable(tail: str) -> bool:
    """Whether Go's own words say that a server could not be reached."""
    return _GO_UNREACHABLE.search(tail) is not None


def registry_unreachable(tail: str) -> bool:
    """Whether npm's, cargo's or Maven's own words say that a server could not be reached."""
    return _REGISTRY_UNREACHABLE.search(tail) is not None
