"""Commits as values, read from the raw object, so that a strange encoding, date or header never stops a walk."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_TIME = re.compile(rb" (-?\d{1,19}) ([+-])(\d{2})(\d{2})$")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """One commit. `subject` is the first paragraph on one line; `body` the rest, without blank lines around it."""

    oid: str
    parents: tuple[str, ...]
    tree: str
    author_name: str
    author_time: datetime
    committer_time: datetime
    subject: str
    body: str

    @property
    def message(self) -> str:
        """Subject and body as the author wrote them, near enough to search."""
        return f"{self.subject}\n\n{self.body}" if self.body else self.subject


def parse(oid: str, data: bytes) -> CommitInfo:
    """The commit of a raw object. Raises ValueError when it names no tree."""
    head, _, message = data.partition(b"\n\n")
    parents: list[str] = []
    fields: dict[bytes, bytes] = {}
    for line in head.split(b"\n"):
        if line.startswith(b" "):  # a signature goes on
            continue
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii"))
        else:
            fields.setdefault(key, value)
    if b"tree" not in fields:
        raise ValueError(f"commit {oid} names no tree")
    encoding = fields.get(b"encoding", b"utf-8").decode("ascii", errors="replace")
    subject, body = _message(_decoded(message, encoding))
    author = fields.get(b"author", b"")
    return CommitInfo(
        oid=oid,
        parents=tuple(parents),
        tree=fields[b"tree"].decode("ascii"),
        author_name=_decoded(author.partition(b" <")[0], encoding),
        author_time=_time(author),
        committer_time=_time(fields.get(b"committer", b"")),
        subject=subject,
        body=body,
    )


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        codecs.lookup(encoding)
    except LookupError:
        encoding = "utf-8"
    return raw.decode(encoding, errors="replace")


def _message(text: str) -> tuple[str, str]:
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    blank = next((number for number, line in enumerate(lines) if not line.strip()), len(lines))
    subject = " ".join(line.strip() for line in lines[:blank])
    return subject, "\n".join(lines[blank:]).strip("\n").rstrip()


def _time(identity: bytes) -> datetime:
    match = _TIME.search(identity)
    if not match:
        return _EPOCH
    seconds, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == b"-" else 1)
    zone = timezone(offset) if abs(offset) < timedelta(hours=24) else UTC
    try:
        return (_EPOCH + timedelta(seconds=int(seconds))).astimezone(zone)
    except OverflowError:
        return _EPOCH
