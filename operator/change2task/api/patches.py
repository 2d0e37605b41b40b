"""A patch as a value: bytes that survive YAML, JSON and etcd, or a reference to where they lie.

Text is used only when it is UTF-8 and every character of it can stand in YAML as it is (no carriage return, no
NEL or line separator, no control or non-character, no byte order mark), since a patch is what a developer's
bytes were and never a re-encoding of them (design: "Bytes"). Parsing the content is left to the ``patch`` room.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from change2task.api.model import Model
from change2task.api.rules import ruled
from change2task.api.yamlscalars import carried_literally

INLINE_LIMIT = 128 * 1024
"""Bytes up to which a patch travels inside a resource; beyond, it is an artifact by digest."""


class Patch(Model):
    """A unified diff, inline (``text`` or ``base64``) or by reference (``artifact``)."""

    model_config = ConfigDict(
        json_schema_extra=ruled(
            ("has(self.data) == (self.encoding != 'artifact')", "data is given exactly when encoding is text or base64")
        )
    )

    encoding: Literal["text", "base64", "artifact"] = Field(
        description="How data holds the bytes, or that it does not."
    )
    data: str | None = Field(
        default=None, max_length=INLINE_LIMIT * 4 // 3 + 4, description="The patch itself, for text and base64."
    )
    digest: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the patch's bytes.")
    size: int = Field(ge=0, description="Length of the patch in bytes.")

    @model_validator(mode="after")
    def _inline_has_data(self) -> Self:
        if (self.encoding == "artifact") != (self.data is None):
            raise ValueError("data is given exactly when encoding is text or base64")
        return self

    @classmethod
    def of(cls, content: bytes, *, limit: int = INLINE_LIMIT) -> Self:
        """The patch with these bytes, inline when they fit in ``limit`` (at most INLINE_LIMIT)."""
        digest = hashlib.sha256(content).hexdigest()
        if len(content) > limit:
            return cls(encoding="artifact", digest=digest, size=len(content))
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        if text is None or not carried_literally(text):
            data = base64.b64encode(content).decode("ascii")
            return cls(encoding="base64", data=data, digest=digest, size=len(content))
        return cls(encoding="text", data=text, digest=digest, size=len(content))

    def inline(self) -> bytes | None:
        """The patch's bytes, or None when they are an artifact; raises ValueError if they were altered."""
        if self.data is None:
            return None
        content = self.data.encode() if self.encoding == "text" else base64.b64decode(self.data, validate=True)
        if hashlib.sha256(content).hexdigest() != self.digest or len(content) != self.size:
            raise ValueError(f"patch content does not have its digest {self.digest} and its {self.size} bytes")
        return content
