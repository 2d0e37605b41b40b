"""Answers to be graded, one JSON document a line; a line that is none becomes its own refusal, and the rest goes on."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase

from pydantic import Field, ValidationError

from change2task.api.model import Model
from change2task.api.shapes import fields, nearest
from change2task.cli.failures import InputError
from change2task.corpus.submission import MOST_BYTES
from change2task.pipeline.rewards import Request, Reward

MOST_LINE = 2 * MOST_BYTES
"""Bytes of one line: a patch of the largest size that is read, written with escapes."""

_CHUNK = 1 << 16


class Line(Model):
    """One line: the asker's word for the answer, the task's name, and the patch as text, or in base64."""

    id: str = Field(min_length=1, max_length=500)
    task: str = Field(min_length=1, max_length=253)
    patch: str = ""
    patch_base64: str = ""


_FIELDS = tuple(fields(Line))


@contextmanager
def read_requests(place: str) -> Iterator[Iterator[Request | Reward]]:
    """The lines of a file, or of standard input for ``-``, as they are asked for; raises InputError at its opening."""
    try:
        # Without a buffer, whose lock would be held for ever by a thread that waits for the next line.
        with open(0 if place == "-" else place, "rb", buffering=0, closefd=place != "-") as file:
            yield _requests(file)
    except OSError as error:
        if error.filename != place:
            raise
        raise InputError(f"--batch {place}: cannot be read: {error.strerror}") from error


def _requests(file: RawIOBase) -> Iterator[Request | Reward]:
    for number, line in enumerate(_lines(file), 1):
        if line is None:
            yield _refusal(number, f"longer than {MOST_LINE >> 20} MiB")
        elif line.strip():
            yield _request(number, line)


def _lines(file: RawIOBase) -> Iterator[bytes | None]:
    """Lines as they come; None for one that is too long, of which no more is kept than is needed to know."""
    rest, too_long = bytearray(), False
    while chunk := file.read(_CHUNK):
        *whole, tail = chunk.split(b"\n")
        for piece in whole:
            yield None if too_long or len(rest) + len(piece) > MOST_LINE else bytes(rest + piece)
            rest, too_long = bytearray(), False
        too_long = too_long or len(rest) + len(tail) > MOST_LINE
        rest += b"" if too_long else tail
    if rest or too_long:
        yield None if too_long else bytes(rest)


def _request(number: int, line: bytes) -> Request | Reward:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _refusal(number, f"it is no JSON: {error}")
    if not isinstance(document, dict):
        return _refusal(number, "it is no JSON object")
    asked = {key: value for key in ("id", "task") if isinstance(value := document.get(key), str)}
    if (why := _fault(document)) is not None:
        return _refusal(number, why, **asked)
    try:
        said = Line.model_validate(document)
        patch = said.patch if "patch" in document else base64.b64decode(said.patch_base64, validate=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return _refusal(number, f"{'.'.join(map(str, first['loc']))}: {first['msg']}", **asked)
    except (binascii.Error, ValueError) as error:
        return _refusal(number, f"patchBase64: {error}", **asked)
    return Request(said.id, said.task, patch)


def _fault(document: dict[str, object]) -> str | None:
    """What a person would see at once: a field that is none, or no answer at all."""
    strange = next((key for key in document if key not in _FIELDS), None)
    if strange is not None:
        near = nearest(strange, _FIELDS)
        return f"unknown field {strange!r}" + (f"; did you mean {near}?" if near else "")
    if ("patch" in document) == ("patchBase64" in document):
        return "give patch or patchBase64, one of them; an empty patch is an answer too"
    return None


def _refusal(number: int, why: str, id: str = "", task: str = "") -> Reward:  # noqa: A002 - the field's name
    message = f'{why}; a line is {{"id": …, "task": …, "patch": …}}'
    return Reward(id=id or f"line {number}", task=task, message=f"line {number}: {message}", fault="RequestUnusable")
