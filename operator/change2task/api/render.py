"""Resources as YAML that people read, diff and keep under version control, and that gives the same value back.

A library's emitter will not put a patch into a literal block, since a diff's empty context line is a blank
before a line end; so the few shapes that a resource has are written here: two blanks a level, a literal block
wherever YAML carries every byte of the text, double quotes wherever a bare word could be read as anything
but this string (by YAML 1.1 or 1.2, by PyYAML or by the API server). No aliases, no folding, LF, and the same
text for the same value everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.api.yamlscalars import UNCHANGED, carried_literally, resolve

# Whatever begins with a digit, a sign or a full stop may be a number, a date or base 60 to some reader.
_BARE: Final = re.compile(r"[A-Za-z_/](?:[A-Za-z0-9_./@+,;'()*=<>?!-]|:(?=[A-Za-z0-9/])| (?=[A-Za-z0-9_./@+'(*=<>-]))*")
_ESCAPED: Final = re.compile(f'["\\\\]|[^{UNCHANGED}]')
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def render(resource: ModernBase | TaskCandidate | TaskVariant) -> str:
    """The resource as one YAML document: apiVersion, kind, metadata, spec, status; defaults are left out."""
    values = resource.model_dump(mode="json", exclude_defaults=True)
    ordered = {"apiVersion": resource.api_version, "kind": resource.kind}
    ordered |= {key: values[key] for key in ("metadata", "spec", "status") if values.get(key)}
    return "".join(f"{line}\n" for line in _mapping(ordered, 0))


def render_values(values: dict[str, Any]) -> str:
    """JSON values (so finite numbers only) as one YAML document, keys in the order given."""
    return "".join(f"{line}\n" for line in _mapping(values, 0))


def _mapping(values: dict[str, Any], indent: int) -> Iterator[str]:
    for key, value in values.items():
        yield from _entry(f"{' ' * indent}{_word(key)}:", value, indent, indent + 2)


def _sequence(values: list[Any], indent: int) -> Iterator[str]:
    for value in values:
        if isinstance(value, dict | list) and value:
            lines = list(_collection(value, indent + 2))
            yield f"{' ' * indent}- {lines[0][indent + 2 :]}"
            yield from lines[1:]
        else:
            yield from _entry(f"{' ' * indent}-", value, indent, indent + 2)


def _collection(value: dict[str, Any] | list[Any], indent: int) -> Iterator[str]:
    return _mapping(value, indent) if isinstance(value, dict) else _sequence(value, indent)


def _entry(head: str, value: Any, indent: int, deeper: int) -> Iterator[str]:
    """``head`` and its value, on its line or below it; a list stands at its key's own column."""
    if isinstance(value, dict) and value:
        yield head
        yield from _mapping(value, deeper)
    elif isinstance(value, list) and value:
        yield head
        yield from _sequence(value, indent)
    elif isinstance(value, str) and "\n" in value and _fits_block(value):
        yield from _block(head, value, deeper)
    else:
        yield f"{head} {_flow(value)}"


def _fits_block(text: str) -> bool:
    return carried_literally(text) and text.strip(" \n\t") != ""


def _block(head: str, text: str, indent: int) -> Iterator[str]:
    """A literal block; the indicator says how deep it is wherever the first line cannot."""
    lines = text.split("\n")
    ending = "-"
    if lines[-1] == "":
        lines.pop()
        ending = "+" if lines[-1] == "" else ""
    depth = "2" if lines[0][:1] in ("", " ", "\t") else ""
    yield f"{head} |{depth}{ending}"
    margin = " " * indent
    for line in lines:
        yield margin + line if line else ""


def _flow(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case str():
            return _word(value)
        case dict():
            return "{}"
        case _:
            return "[]"


def _float(value: float) -> str:
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{e}{exponent}" if e else mantissa


def _word(text: str) -> str:
    """A string bare where nothing can take it for another type, else in double quotes."""
    bare = _BARE.fullmatch(text) and isinstance(resolve(text), str)
    return text if bare else '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    sign = match.group()
    if sign in _SHORT:
        return _SHORT[sign]
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
