"""What the fields of known benchmarks mean, as one reference to a merged change each.

SWE-bench and its kin say the commit before the change and, in the instance's id, the request; PyMigBench says the
commit itself and two libraries; our own lines say either. Nothing is looked up here, and a field that is wrong costs
its row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from change2task.api.taskcandidate import Family, Intent
from change2task.history.benchmarks.rows import Row, RowFault
from change2task.history.wording import clean_body, clean_title

_NAME = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")
_URL = re.compile(r"(?:https?|ssh|git|file)://\S{1,2000}|[\w.-]+@[\w.-]+:\S{1,2000}")
_OID = re.compile(r"[0-9a-f]{7,64}")
_INSTANCE = re.compile(r"(?P<owner>[\w.-]+?)__(?P<name>[\w.-]+)-(?P<number>\d{1,9})")
_INSTANCE_OF_COMMIT = re.compile(r"(?:instance_)?[\w.-]+?__[\w.-]+-(?P<commit>[0-9a-f]{40})(?:-v\S+)?")
_PATCHED = re.compile(r"(?m)^diff --git (?:a/(\S+)) b/(\S+)$")
_BODY: Final = 65_536
_TITLE: Final = 1024


@dataclass(frozen=True, slots=True)
class Imported:
    """One row as what it refers to. At least one of number, commit and before is given.

    ``paths``: files that the row's patches touch, by which one of several commits is known.
    """

    line: int
    repository: str | None
    number: int | None = None
    commit: str | None = None
    before: str | None = None
    paths: frozenset[str] = frozenset()
    family: Family = Family.AUTO
    intent: Intent | None = None
    name: str = ""


class _Wrong(Exception):
    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field, self.reason = field, reason


def imported(row: Row, form: str) -> Imported | RowFault:
    """A row of this format (swe-bench, pymigbench, jsonl) as a reference, or what is wrong with it."""
    try:
        return FORMATS[form](row)
    except _Wrong as wrong:
        return RowFault(row.line, wrong.field, wrong.reason)


def _swe_bench(row: Row) -> Imported:
    fields = row.fields
    name = _text(fields, "instance_id", required=False)
    repository = _repository(fields, required=True)
    match, of_commit = _INSTANCE.fullmatch(name), _INSTANCE_OF_COMMIT.fullmatch(name)
    number = _number(fields, "number", "pull_number")
    if number is None and match is not None:
        number = int(match["number"])
    before = _oid(fields, "base_commit", required=False)
    if before is None and isinstance(base := fields.get("base"), Mapping):
        before = _oid(base, "sha", required=False)
    commit = of_commit["commit"] if of_commit is not None else None
    if number is None and before is None and commit is None:
        raise _Wrong("base_commit", "missing, and instance_id names no request either; one of them is needed")
    patches = "\n".join(str(fields.get(one) or "") for one in ("patch", "test_patch", "fix_patch"))
    return Imported(
        line=row.line,
        repository=repository,
        number=number,
        # A commit in an instance's id is the one before the change in some of these benchmarks; base_commit is certain.
        before=before or commit,
        paths=frozenset(path for pair in _PATCHED.findall(patches) for path in pair),
        intent=_intent(_text(fields, "problem_statement", required=False)),
        name=name,
    )


def _pymigbench(row: Row) -> Imported:
    fields = row.fields
    source = _text(fields, "source", "source_library", "sourceLibrary", "source_lib")
    target = _text(fields, "target", "target_library", "targetLibrary", "target_lib")
    return Imported(
        line=row.line,
        repository=_repository(fields, required=True),
        commit=_oid(fields, "commit", "commit_sha", required=True),
        family=Family.API_MIGRATION,
        intent=Intent(title=f"Migrate from {source} to {target}"[:_TITLE]),
        name=_text(fields, "id", required=False),
    )


def _jsonl(row: Row) -> Imported:
    fields = row.fields
    number = _number(fields, "pullRequest", "pull_request", "pr", "number")
    commit = _oid(fields, "commit", "sha", required=False)
    before = _oid(fields, "base_commit", "baseCommit", required=False)
    if number is None and commit is None and before is None:
        raise _Wrong("commit", "missing; a row says commit or pullRequest")
    title, body = _text(fields, "title", required=False), _text(fields, "body", required=False)
    return Imported(
        line=row.line,
        repository=_repository(fields, required=False),
        # A commit is the narrower word of the two, and numbers are of forges that may have moved.
        number=number if commit is None else None,
        commit=commit,
        before=before,
        family=_family(fields),
        intent=_intent(f"{' '.join(title.split())}\n{body}") if title.strip() else None,
        name=_text(fields, "id", "instance_id", required=False),
    )


FORMATS: Final[dict[str, Callable[[Row], Imported]]] = {
    "swe-bench": _swe_bench,
    "pymigbench": _pymigbench,
    "jsonl": _jsonl,
}


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, Any]:
    return next(((name, fields[name]) for name in names if fields.get(name) not in (None, "")), (names[0], None))


def _text(fields: Mapping[str, Any], *names: str, required: bool = True) -> str:
    name, value = _first(fields, names)
    if value is None:
        if required:
            raise _Wrong(name, "missing")
        return ""
    if not isinstance(value, str):
        raise _Wrong(name, f"text is expected, this is {_shown(value)}")
    return value.replace("\r\n", "\n").replace("\0", "")


def _repository(fields: Mapping[str, Any], *, required: bool) -> str | None:
    name, value = _first(fields, ("repository", "repo", "repo_name"))
    if value is not None and isinstance(fields.get("org"), str) and "/" not in str(value):
        value = f"{fields['org']}/{value}"
    if value is None and not required:
        return None
    if not isinstance(value, str) or not (_NAME.fullmatch(value) or _URL.fullmatch(value)):
        given = "missing" if value is None else f"{_shown(value)} is neither OWNER/NAME nor a URL"
        raise _Wrong(name, given)
    return value.removesuffix("/")


def _oid(fields: Mapping[str, Any], *names: str, required: bool) -> str | None:
    name, value = _first(fields, names)
    if value is None and not required:
        return None
    if not isinstance(value, str) or not _OID.fullmatch(value.lower()):
        raise _Wrong(name, "missing" if value is None else f"{_shown(value)} is no commit's id (7 to 64 hex digits)")
    return value.lower()


def _number(fields: Mapping[str, Any], *names: str) -> int | None:
    name, value = _first(fields, names)
    if value is None:
        return None
    text = str(value).lstrip("#!") if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < 1:
        raise _Wrong(name, f"{_shown(value)} is no request's number")
    return int(text)


def _family(fields: Mapping[str, Any]) -> Family:
    given = _text(fields, "family", required=False)
    found = next((one for one in Family if one.value.lower() == given.lower()), None)
    if given and found is None:
        raise _Wrong("family", f"{_shown(given)} is none of {', '.join(one.value for one in Family)}")
    return found or Family.AUTO


def _intent(statement: str) -> Intent | None:
    title, _, body = statement.strip().partition("\n")
    # Numbers and advisories are answers to look up; a title that is nothing else is better than none.
    title = (clean_title(title) or title.strip())[:_TITLE]
    return Intent(title=title, body=clean_body(body)[:_BODY]) if title else None


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
