"""The base of every model that crosses a border: frozen, closed, camelCase on the wire.

It exists so that a stage's output is the same document in a pod's log, in the store and in a resource's
status. What the models mean is left to the rooms that define them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Model(BaseModel):
    """A frozen value: unknown fields are errors, names are camelCase on the wire, numbers are finite as in JSON."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
        validate_default=True,
        allow_inf_nan=False,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )

    def document(self) -> dict[str, Any]:
        """The model as plain JSON types, camelCase keys, without absent optional values."""
        return self.model_dump(mode="json", exclude_none=True)

    def canonical(self) -> bytes:
        """The one byte form of this value: sorted keys, no blanks, UTF-8; what every digest is taken of."""
        return json.dumps(self.document(), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    def content_hash(self) -> str:
        """SHA-256 of the canonical bytes, 64 hex digits."""
        return hashlib.sha256(self.canonical()).hexdigest()

    def replacing(self, **changes: Any) -> Self:
        """A copy with some fields replaced, validated like a new value (unlike pydantic's model_copy)."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**fields, **changes})
