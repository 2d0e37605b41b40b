"""What a forge exported of its requests: JSON as ``gh pr list --json`` and GitLab's API print it, beside the manifest.

A closed network has no forge to ask, and a forge knows what git does not: the words under the title, the labels,
which commit a request landed as. This reads bytes that are given; finding the file is left to the caller.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from change2task.api.model import Model

BODY_LIMIT: Final = 65_536
"""Characters of a body that are kept; more is a pasted log, not an intent."""

EXPORT_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of an export that are read."""


class ForgeExportInvalid(ValueError):
    """An export that is not in a shape we know; the message names the record, the field and the way out."""


class ForgeRecord(Model):
    """One request as its forge knows it."""

    number: int = Field(ge=1)
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    landed: tuple[str, ...] = Field(default=(), description="Commits it is said to have landed as, best first.")
    head: str | None = Field(default=None, description="Its last commit.")
    start: str | None = Field(default=None, description="The commit it began on.")


def _label(value: Any) -> Any:
    return value.get("name", value) if isinstance(value, Mapping) else value


def _none_is_empty(value: Any) -> Any:
    return "" if value is None else value


class _Request(BaseModel):
    """The union of GitHub's and GitLab's names for the same things; everything else is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    number: int = Field(ge=1, validation_alias=AliasChoices("iid", "number"))
    title: str
    body: Annotated[str, BeforeValidator(_none_is_empty)] = Field(
        default="", validation_alias=AliasChoices("body", "description")
    )
    labels: tuple[Annotated[str, BeforeValidator(_label)], ...] = ()
    merged: str | None = Field(
        default=None, validation_alias=AliasChoices("merge_commit_sha", AliasPath("mergeCommit", "oid"))
    )
    squashed: str | None = Field(default=None, validation_alias="squash_commit_sha")
    head: str | None = Field(default=None, validation_alias=AliasChoices("headRefOid", AliasPath("head", "sha"), "sha"))
    start: str | None = Field(default=None, validation_alias=AliasPath("diff_refs", "base_sha"))


def parse_forge_export(content: bytes, name: str = "forge export") -> dict[int, ForgeRecord]:
    """The requests of an export by number; of one number the last record counts. Raises ForgeExportInvalid."""
    return records_of(export_rows(content, name), name)


def records_of(rows: Sequence[Any], name: str) -> dict[int, ForgeRecord]:
    """The requests of an export's rows by number; of one number the last counts. Raises ForgeExportInvalid."""
    records = (_record(row, place, name) for place, row in enumerate(rows))
    return {record.number: record for record in records}


def export_rows(content: bytes, name: str = "forge export") -> list[Any]:
    """The requests of an export as they stand in it. Raises ForgeExportInvalid."""
    if len(content) > EXPORT_LIMIT:
        raise ForgeExportInvalid(f"{name}: {len(content)} bytes, more than the {EXPORT_LIMIT} that are read; split it")
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ForgeExportInvalid(
            f"{name}: not JSON in UTF-8 ({error}); give what `gh pr list --json` prints"
        ) from error
    rows = [document] if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise ForgeExportInvalid(f"{name}: a list of requests is expected, this is {type(document).__name__}")
    return rows


def _record(row: Any, place: int, name: str) -> ForgeRecord:
    try:
        request = _Request.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        raise ForgeExportInvalid(
            f"{name}: request at position {place}: {field}: {first['msg']}; export at least number, title and body"
        ) from error
    return ForgeRecord(
        number=request.number,
        title=request.title[:1024],
        body=request.body[:BODY_LIMIT],
        labels=tuple(dict.fromkeys(request.labels)),
        landed=tuple(dict.fromkeys(oid for oid in (request.merged, request.squashed) if oid)),
        head=request.head or None,
        start=request.start or None,
    )
