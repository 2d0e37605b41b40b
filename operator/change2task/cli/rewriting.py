"""A lock put into a manifest as its author wrote it: comments, order, other documents and line ends stay.

The text is edited at the places where YAML's own parser saw the fields, and read again afterwards: if it does not say
exactly what it should, the one document is written anew instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import yaml

from change2task.api.documents import documents
from change2task.api.manifests import parse_manifests, render
from change2task.api.modernbase import ModernBase

_INDENT = "  "


def with_lock(text: bytes, base: ModernBase, lock: str) -> bytes:
    """The source ``text`` with ``lock`` as spec.environment.lock of ``base``, which it holds."""
    locked = base.replacing(
        spec=base.spec.replacing(environment=base.spec.environment.replacing(lock=lock)), status=type(base.status)()
    )
    end = 0
    for document in documents(text):
        start = text.index(document.content, end)
        end = start + len(document.content)
        parsed = parse_manifests(document.content, "")
        if len(parsed.resources) != 1 or parsed.resources[0].metadata != base.metadata:
            continue
        if not isinstance(parsed.resources[0], ModernBase):
            continue
        return text[:start] + _edited(document.content, locked, lock) + text[end:]
    raise ValueError(f"ModernBase {base.metadata.name} is no document of its own")


def _edited(content: bytes, locked: ModernBase, lock: str) -> bytes:
    text = content.decode()
    for edited in _edits(text, lock):
        if parse_manifests(edited.encode(), "").resources == (locked,):
            return edited.encode()
    return f"---\n{render(locked)}".encode()


def _edits(text: str, lock: str) -> Iterator[str]:
    """The text with the lock in its place, if it is a place that can be edited."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    spec = _value(root, "spec")
    environment = _value(spec, "environment")
    if isinstance(environment, yaml.MappingNode) and environment.value:
        yield _inserted(_without(text, environment, "lock"), environment, {"lock": lock}, nested=False)
    elif isinstance(spec, yaml.MappingNode):
        yield _inserted(_without(text, spec, "environment"), spec, {"lock": lock}, nested=True)


def _value(node: yaml.Node | None, name: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for key, value in node.value if key.value == name), None)


def _without(text: str, mapping: yaml.MappingNode, name: str) -> str:
    """The text without this field, if the mapping has it; in braces it is left, for the new one to be refused."""
    key = next((key for key, _ in mapping.value if key.value == name), None)
    if key is None or mapping.flow_style:
        return text
    lines = text.splitlines(keepends=True)
    first, column = key.start_mark.line, key.start_mark.column
    last = first + 1
    while last < len(lines) and (not lines[last].strip() or _indent(lines[last]) > column):
        last += 1
    while last > first + 1 and not lines[last - 1].strip():
        last -= 1
    return "".join((*lines[:first], *lines[last:]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _inserted(text: str, mapping: yaml.MappingNode, fields: dict[str, str], *, nested: bool) -> str:
    if mapping.flow_style:
        start = mapping.start_mark.index + 1
        value = json.dumps(fields)
        inner = f'"environment": {value}' if nested else value[1:-1]
        return f"{text[:start]}{inner}{', ' if mapping.value else ''}{text[start:]}"
    key = mapping.value[0][0]
    lines = text.splitlines(keepends=True)
    indent = " " * key.start_mark.column
    new = [f"{indent}environment:\n"] if nested else []
    indent += _INDENT if nested else ""
    for name, value in fields.items():
        new.append(f"{indent}{name}: |{'' if value.endswith(chr(10)) else '-'}\n")
        new += [f"{indent}{_INDENT}{line}\n" for line in value.splitlines()]
    at = key.start_mark.line
    return "".join((*lines[:at], *new, *lines[at:]))
