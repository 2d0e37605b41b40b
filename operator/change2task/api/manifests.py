"""Manifests in, resources and problems out: everything that can be known of a document without running it.

People write these by hand, so every fault of every document is reported at once, with its line and the way
out, and a faulty document hides no other. What the API server would accept is accepted here (status is
dropped, null is absent, ``kind: List`` is unpacked) and what it would silently drop or turn into another
type is refused, so that the same files mean the same on a laptop and in a cluster. Reading files is left to
the caller; faults between documents are found by ``cross_check``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from pydantic import ValidationError

from change2task.api.crosscheck import cross_check
from change2task.api.documents import Document, documents
from change2task.api.faults import explain, refused_metadata, told
from change2task.api.metadata import API_VERSION, GROUP
from change2task.api.problems import Problem, bounded, field_path, listed
from change2task.api.render import render
from change2task.api.resources import KINDS, Origin, Resource
from change2task.api.shapes import below, model_of, nearest
from change2task.api.yamlscalars import describe, resolve
from change2task.api.yamltree import FASTEST_LOADER, Bounds, Loader, Mapping, Node, Path, Scalar, Sequence, compose

__all__ = [
    "KINDS",
    "Origin",
    "ParsedManifests",
    "Resource",
    "cross_check",
    "load_stored",
    "parse_manifests",
    "render",
]

MAX_SOURCE: Final = 10 * 1024 * 1024
"""Bytes of one source (a file, stdin) beyond which it is refused unread."""
MAX_DOCUMENT: Final = 1024 * 1024
"""Bytes of one document beyond which it is refused unread; the API server's own limit is about the same."""
MAX_DOCUMENTS: Final = 10_000
MAX_PROBLEMS: Final = 200
"""Problems told of one source; how many more there were is the last of them."""


@dataclass(frozen=True, slots=True)
class ParsedManifests:
    """The sound resources in the order written, each with its origin, and what was wrong with the rest."""

    resources: tuple[Resource, ...] = ()
    problems: tuple[Problem, ...] = ()
    origins: tuple[Origin, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Several sources as one."""
        every = tuple(parts)
        return cls(
            tuple(r for p in every for r in p.resources),
            tuple(problem for p in every for problem in p.problems),
            tuple(o for p in every for o in p.origins),
        )


_UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SURROGATES: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def parse_manifests(
    text: bytes, source: str, *, keep_status: bool = False, loader: Loader = FASTEST_LOADER
) -> ParsedManifests:
    """Resources and problems of one source; never raises for anything the text holds.

    ``source`` is only a name for messages. ``keep_status`` is for documents that we rendered ourselves: it
    keeps their status and lifts the bounds on size.
    """
    reader = _Reader(source, keep_status, loader)
    reader.read(text)
    problems = reader.problems
    if len(problems) > MAX_PROBLEMS:
        more = len(problems) - MAX_PROBLEMS
        problems = [*problems[:MAX_PROBLEMS], Problem(source=source, message=f"and {more} more problems")]
    return ParsedManifests(tuple(reader.resources), tuple(problems), tuple(reader.origins))


def load_stored(text: bytes, source: str) -> Resource:
    """The one resource of a document that :func:`render` wrote, with its status; ValueError tells all faults."""
    parsed = parse_manifests(text, source, keep_status=True)
    if parsed.problems:
        raise ValueError("\n".join(str(problem) for problem in parsed.problems))
    if len(parsed.resources) != 1:
        raise ValueError(f"{source}: holds {len(parsed.resources)} resources instead of one")
    return parsed.resources[0]


class _Reader:
    """One pass over one source."""

    def __init__(self, source: str, keep_status: bool, loader: Loader) -> None:
        self.source = source
        self.keep_status = keep_status
        self.loader = loader
        self.bounds = Bounds(nodes=2_000_000, characters=64 * 1024 * 1024) if keep_status else Bounds()
        self.resources: list[Resource] = []
        self.origins: list[Origin] = []
        self.problems: list[Problem] = []

    def fail(self, message: str, document: int = 0, line: int = 0, **more: Any) -> None:
        self.problems.append(Problem(source=self.source, document_index=document, line=line, message=message, **more))

    def read(self, text: bytes) -> None:
        text = text.removeprefix(b"\xef\xbb\xbf")
        if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
            self.fail("the text is UTF-16; save it as UTF-8")
            return
        if len(text) > MAX_SOURCE and not self.keep_status:
            self.fail(f"{len(text)} bytes are more than the {MAX_SOURCE} that one source may hold; split it")
            return
        for count, document in enumerate(documents(text)):
            if count >= MAX_DOCUMENTS:
                self.fail(f"more than {MAX_DOCUMENTS} documents; split the source", document.number, document.line)
                return
            self.document(document)
        if not self.resources and not self.problems:
            self.fail(f"no document in it; write at least one resource of apiVersion {API_VERSION}")

    def document(self, document: Document) -> None:
        number, line, content = document
        if len(content) > MAX_DOCUMENT and not self.keep_status:
            self.fail(
                f"the document has {len(content)} bytes, more than the {MAX_DOCUMENT} that one may have; split it",
                number,
                line,
            )
            return
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            at = line + content.count(b"\n", 0, error.start)
            self.fail("not UTF-8; save the file as UTF-8", number, at, value=f"byte 0x{content[error.start]:02x}")
            return
        if odd := _UNPRINTABLE.search(text):
            at = line + text.count("\n", 0, odd.start())
            message = "YAML does not allow this character; remove it or write it as an escape in double quotes"
            self.fail(message, number, at, value=f"U+{ord(odd.group()):04X}")
            return
        if text.removeprefix("---").lstrip()[:1] in ("{", "["):
            text = _SURROGATES.sub(_joined_surrogates, text)
        composed = compose(text, line, self.bounds, self.loader)
        kind, name = _names(composed.root)
        for fault in composed.faults:
            self.fail(
                fault.message,
                number,
                fault.line,
                kind=kind,
                name=name,
                field=field_path(fault.path),
                value=None if fault.value is None else bounded(fault.value),
            )
        if composed.root is not None:
            self.node(composed.root, number, (), sound=not composed.faults)

    def node(self, node: Node, number: int, at: Path, *, sound: bool) -> None:
        """Take one object, or all of a list's."""
        if not isinstance(node, Mapping):
            self.fail(
                f"a resource must be a mapping with apiVersion, kind, metadata and spec, not {_written(node)}",
                number,
                node.line,
                field=field_path(at),
            )
            return
        kind, items = _text(node.entries.get("kind")), node.entries.get("items")
        if kind is not None and kind.endswith("List") and isinstance(items, Sequence):
            for index, item in enumerate(items.items):
                self.node(item, number, (*at, "items", index), sound=sound)
            return
        self.resource(node, number, at, sound=sound)

    def resource(self, node: Mapping, number: int, at: Path, *, sound: bool) -> None:
        kind, name = _names(node)
        before = len(self.problems)

        def fail(message: str, line: int, path: Path, value: str | None) -> None:
            place = field_path((*at, *path))
            self.fail(message, number, line, kind=kind, name=name, field=place, value=value)

        self.check_api_version(node, fail)
        model = self.check_kind(node, fail)
        if model is None:
            return
        values = _plain(node, model)
        values["apiVersion"], values["kind"] = API_VERSION, model.__name__
        if not self.keep_status:
            values.pop("status", None)
        errors: list[dict[str, Any]] = [{"type": "extra_forbidden", "loc": path} for path in refused_metadata(values)]
        resource = None
        try:
            resource = model.model_validate_json(json.dumps(values), strict=True, by_alias=True, by_name=False)
        except ValidationError as refusal:
            errors += map(dict, refusal.errors(include_url=False, include_context=True, include_input=False))
        for error in told(errors, model):
            path = tuple(step for step in error["loc"] if step != "[key]")
            message, value = explain(error, model, node)
            fail(message, _line(node, path), path, value)
        if resource is not None and sound and len(self.problems) == before:
            self.resources.append(resource)
            self.origins.append(Origin(self.source, number, node.line))

    def check_api_version(self, node: Mapping, fail: Any) -> None:
        written = node.entries.get("apiVersion")
        text = _text(written)
        if written is None:
            fail(f"missing; write apiVersion: {API_VERSION}", node.line, ("apiVersion",), None)
        elif text is None:
            fail(f"must be a string; write {API_VERSION}", written.line, ("apiVersion",), _shown(written))
        elif text != API_VERSION:
            served = "this version is not served" if text.startswith(f"{GROUP}/") else "unknown"
            fail(f"{served}; the only one here is {API_VERSION}", written.line, ("apiVersion",), bounded(text))

    def check_kind(self, node: Mapping, fail: Any) -> type[Resource] | None:
        written = node.entries.get("kind")
        text = _text(written)
        if written is None or text is None:
            line = node.line if written is None else written.line
            fail(
                f"missing; write one of {listed(KINDS)}", line, ("kind",), None if written is None else _shown(written)
            )
            return None
        if text not in KINDS:
            near = nearest(text, KINDS)
            way = f"did you mean {near}?" if near else f"known are {listed(KINDS)}"
            fail(f"unknown kind; {way}", written.line, ("kind",), bounded(text))
            return None
        return KINDS[text]


def _joined_surrogates(match: re.Match[str]) -> str:
    """JSON writes a character beyond the first plane as two escapes; YAML knows only one."""
    high, low = int(match.group(2), 16), int(match.group(3), 16)
    return match.group(1) + f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


def _plain(node: Node, annotation: Any) -> Any:
    """The node as JSON values; a null field of a model is an absent one, as it is for the API server."""
    if isinstance(node, Scalar):
        return resolve(node.text) if node.plain else node.text
    if isinstance(node, Sequence):
        return [_plain(item, below(annotation, i)) for i, item in enumerate(node.items)]
    values = {key: _plain(value, below(annotation, key)) for key, value in node.entries.items()}
    if model_of(annotation):
        return {key: value for key, value in values.items() if value is not None}
    return values


def _text(node: Node | None) -> str | None:
    if isinstance(node, Scalar) and not (node.plain and not isinstance(resolve(node.text), str)):
        return node.text
    return None


def _names(node: Node | None) -> tuple[str | None, str | None]:
    """Kind and name of a resource as far as they can be read."""
    if not isinstance(node, Mapping):
        return None, None
    metadata = node.entries.get("metadata")
    name = _text(metadata.entries.get("name")) if isinstance(metadata, Mapping) else None
    kind = _text(node.entries.get("kind"))
    return kind and kind[:80], name and name[:80]


def _written(node: Node) -> str:
    return describe(_plain(node, Any))


def _shown(node: Node) -> str:
    return bounded(node.text) if isinstance(node, Scalar) else _written(node)


def _line(node: Node, path: Path) -> int:
    """The line of the deepest part of the path that was written."""
    line = node.line
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
            line, node = node.lines[step], node.entries[step]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            line = node.line
        else:
            break
    return line
