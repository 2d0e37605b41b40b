"""Answers to be graded, one JSON document a line; a line that is none becomes its own refusal, and the rest goes on."""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

from pydantic import Field, ValidationError

from change2task.api.model import Model
from change2task.cli.failures import InputError
from change2task.corpus.submission import MOST_BYTES
from change2task.pipeline.rewards import Request, Reward

MOST_LINE = 2 * MOST_BYTES
"""Bytes of one line: a patch of the largest size that is read, written with escapes."""


class Line(Model):
    """One line: the asker's word for the answer, the task's name, and the patch as text, or in base64."""

    id: str = Field(min_length=1, max_length=500)
    task: str = Field(min_length=1, max_length=253)
    patch: str = ""
    patch_base64: str | None = None


@contextmanager
def read_requests(place: str) -> Iterator[Iterator[Request | Reward]]:
    """The lines of a file, or of standard input for ``-``, as they are asked for; raises InputError at its opening."""
    try:
        with nullcontext(sys.stdin.buffer) if place == "-" else Path(place).open("rb") as file:
            yield _requests(file)
    except OSError as error:
        if error.filename != place:
            raise
        raise InputError(f"--batch {place}: cannot be read: {error.strerror}") from error


def _requests(file: BinaryIO) -> Iterator[Request | Reward]:
    number = 0
    while line := file.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            yield _refusal(number, f"longer than {MOST_LINE >> 20} MiB")
            while line and not line.endswith(b"\n"):
                line = file.readline(MOST_LINE)
        elif line.strip():
            yield _request(number, line)


def _request(number: int, line: bytes) -> Request | Reward:
    try:
        said = Line.model_validate_json(line)
        patch = said.patch.encode() if said.patch_base64 is None else base64.b64decode(said.patch_base64, validate=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return _refusal(number, f"{where}: {first['msg']}" if where else first["msg"])
    except binascii.Error as error:
        return _refusal(number, f"patchBase64: {error}")
    return Request(said.id, said.task, patch)


def _refusal(number: int, why: str) -> Reward:
    message = f'{why}; a line is {{"id": …, "task": …, "patch": …}}'
    return Reward(id=f"line {number}", task="", message=message, fault="RequestUnusable")
