"""What YAML gives for a scalar, and which text it gives back unchanged, as the API server's reader has it.

Kept apart from the tree because rendering needs the same knowledge: what must be quoted is what would be
resolved to something else.
"""

from __future__ import annotations

import re
from typing import Final

UNCHANGED: Final = "\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
"""Characters, as the inside of a regular expression's class, that YAML gives back unchanged wherever they stand.

Left out are line ends of every kind, byte order marks, and what YAML calls unprintable.
"""
_LITERAL: Final = re.compile(f"[\t\n{UNCHANGED}]*")


def carried_literally(text: str) -> bool:
    """Whether a literal block can hold this text byte for byte."""
    return _LITERAL.fullmatch(text) is not None


_BOOLEANS: Final = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_SPECIAL_FLOATS: Final = re.compile(r"^(?:([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$")
_DECIMAL: Final = re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$")
_OCTAL: Final = re.compile(r"^[-+]?0[0-7]+$")
_OTHER_BASE: Final = re.compile(r"^[-+]?0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+)$")
_FLOAT: Final = re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")
_LONGEST_NUMBER: Final = 400


def resolve(text: str) -> None | bool | int | float | str:  # noqa: RUF036 - in the order they are tried
    """The value of a plain scalar: null, boolean, number, or the text itself."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] in "+-.0123456789":
        return _number(text)
    return text


def _number(text: str) -> int | float | str:
    if text.startswith(".") and (text[1:2] == "_" or text.endswith("_")):
        return text
    digits = text.replace("_", "")
    if special := _SPECIAL_FLOATS.match(text):
        return float("nan") if "n" in text[1:2].lower() else float(f"{special.group(1)}inf")
    if len(digits) <= _LONGEST_NUMBER:
        if _DECIMAL.match(digits):
            return int(digits)
        if _OTHER_BASE.match(digits):
            return int(digits, 0)
        if _OCTAL.match(digits):
            return int(digits, 8)
    return float(digits) if _FLOAT.match(digits) else text


def describe(value: object) -> str:
    """What a YAML value is, in words: ``a boolean``, ``a list``."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "a list"
        case _:
            return "a mapping"
