"""Fields of an event that a reporter of ours wrote, or somebody else in its name: of the right kind, or refused.

What an event means is each reader's; here stands only that a hostile one is told from ours by its shape.
"""

from __future__ import annotations

from typing import Any

from change2task.checks.ids import to_model


class Malformed(Exception):
    """An event does not have the shape that reporters of ours write."""


def text(event: dict[str, Any], key: str) -> str:
    """A field that is a string. Raises Malformed."""
    value = event.get(key)
    if not isinstance(value, str):
        raise Malformed
    return value


def ids(event: dict[str, Any]) -> list[str]:
    """The field ``ids``, a list of strings, as ids of the model. Raises Malformed."""
    value = event.get("ids")
    if not isinstance(value, list) or not all(isinstance(identity, str) for identity in value):
        raise Malformed
    return [to_model(identity) for identity in value]
