"""YAML text as a bounded tree that remembers its lines, so that a fault can be shown where it stands.

PyYAML's own composer is recursive, keeps the last of two equal keys, expands aliases without end and turns
``on``, ``1e5`` and dates into values of other types than the API server does. So the tree is built here from
its event stream: in one loop, with every bound checked on the way. Scalars keep their text; ``resolve`` gives
the value that Kubernetes gives them (YAML 1.1 as go-yaml reads it, where a date stays a string). What the
tree means is left to ``manifests``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from change2task.api.yamlscalars import describe, resolve

Path = tuple[str | int, ...]
Loader = type[Any]

FASTEST_LOADER: Final[Loader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one document may cost: nodes and characters are counted with every alias expanded."""

    depth: int = 64
    nodes: int = 100_000
    characters: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text as written; ``plain`` when it has neither quotes nor a tag, so that YAML gives it a type."""

    text: str
    plain: bool
    line: int
    nodes: int = 1
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Nodes in order; ``nodes`` and ``characters`` are the whole cost below, aliases expanded."""

    items: tuple[Node, ...]
    line: int
    nodes: int
    characters: int


@dataclass(frozen=True, slots=True)
class Mapping:
    """Nodes by key, with the line of each key."""

    entries: dict[str, Node]
    lines: dict[str, int]
    line: int
    nodes: int
    characters: int


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at a line (1-based) and a place in the tree."""

    line: int
    path: Path
    message: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Composed:
    """The tree, or None where there is none, and everything that was wrong on the way."""

    root: Node | None
    faults: tuple[Fault, ...]


class _StopError(Exception):
    """The document cannot be read any further."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Ignored:
    """Stands for a key that was refused, so that its value is read and dropped."""


_IGNORED: Final = _Ignored()


@dataclass(slots=True)
class _Frame:
    """An open collection."""

    mapping: bool
    line: int
    anchor: str | None
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    merged: list[Mapping] = field(default_factory=list)
    key: str | _Ignored | None = None
    key_line: int = 0
    merging: bool = False
    nodes: int = 1
    characters: int = 0

    def step(self) -> str | int | None:
        if not self.mapping:
            return len(self.items)
        return self.key if isinstance(self.key, str) else None


_ALLOWED_TAGS: Final = {
    "scalar": frozenset(("!", "tag:yaml.org,2002:str")),
    "sequence": frozenset(("!", "tag:yaml.org,2002:seq")),
    "mapping": frozenset(("!", "tag:yaml.org,2002:map")),
}


class _Composer:
    """Turns one document's events into a tree."""

    def __init__(self, first_line: int, bounds: Bounds) -> None:
        self.first_line = first_line
        self.bounds = bounds
        self.faults: list[Fault] = []
        self.anchors: dict[str, Node | None] = {}
        self.stack: list[_Frame] = []
        self.root: Node | None = None
        self.nodes = 0
        self.characters = 0
        self.documents = 0

    def path(self) -> Path:
        return tuple(step for frame in self.stack if (step := frame.step()) is not None)

    def stop(self, line: int, message: str, value: str) -> _StopError:
        return _StopError(Fault(line, self.path(), message, value))

    def line(self, event: Any) -> int:
        return self.first_line + int(event.start_mark.line)

    def consume(self, event: Any) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise _StopError(
                        Fault(
                            self.line(event), (), "a second document begins here; let a line --- stand between the two"
                        )
                    )
            case yaml.AliasEvent():
                self.alias(event)
            case yaml.ScalarEvent():
                self.tag(event, "scalar")
                node = Scalar(
                    event.value, bool(event.implicit[0]) and not event.style, self.line(event), 1, len(event.value)
                )
                self.pay(1, len(event.value), node.line)
                if event.anchor:
                    self.anchors[event.anchor] = node
                self.place(node)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self.open(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self.close()

    def pay(self, nodes: int, characters: int, line: int) -> None:
        self.nodes += nodes
        self.characters += characters
        if self.nodes > self.bounds.nodes or self.characters > self.bounds.characters:
            raise _StopError(
                Fault(
                    line,
                    self.path(),
                    f"the document grows beyond {self.bounds.nodes} values or {self.bounds.characters} characters"
                    " (aliases counted in full); write less, or split it",
                )
            )

    def tag(self, event: Any, kind: str) -> None:
        if event.tag is not None and event.tag not in _ALLOWED_TAGS[kind]:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.faults.append(
                Fault(self.line(event), self.path(), "YAML tags are not allowed; remove the tag", tag[:80])
            )

    def alias(self, event: Any) -> None:
        line = self.line(event)
        if event.anchor not in self.anchors:
            raise self.stop(line, "this alias has no anchor before it; write the value out", f"*{event.anchor}")
        node = self.anchors[event.anchor]
        if node is None:
            raise self.stop(line, "this alias stands inside its own anchor; write the value out", f"*{event.anchor}")
        self.pay(node.nodes, node.characters, line)
        self.place(node, line)

    def open(self, event: Any) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        self.tag(event, "mapping" if mapping else "sequence")
        line = self.line(event)
        if len(self.stack) >= self.bounds.depth:
            raise _StopError(
                Fault(line, self.path()[:8], f"nested deeper than {self.bounds.depth} levels; no resource is so deep")
            )
        self.pay(1, 0, line)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Frame(mapping, line, event.anchor))

    def close(self) -> None:
        frame = self.stack.pop()
        node: Node
        if frame.mapping:
            for other in frame.merged:
                for key, value in other.entries.items():
                    if key not in frame.entries:
                        frame.entries[key] = value
                        frame.lines[key] = other.lines[key]
            node = Mapping(frame.entries, frame.lines, frame.line, frame.nodes, frame.characters)
        else:
            node = Sequence(tuple(frame.items), frame.line, frame.nodes, frame.characters)
        if frame.anchor:
            self.anchors[frame.anchor] = node
        self.place(node)

    def place(self, node: Node, line: int | None = None) -> None:
        if not self.stack:
            self.root = node
            return
        frame = self.stack[-1]
        frame.nodes += node.nodes
        frame.characters += node.characters
        if not frame.mapping:
            frame.items.append(node)
        elif frame.key is None:
            self.take_key(frame, node, node.line if line is None else line)
        else:
            self.take_value(frame, node)

    def take_key(self, frame: _Frame, node: Node, line: int) -> None:
        frame.key_line = line
        if not isinstance(node, Scalar):
            self.faults.append(Fault(line, self.path(), "a mapping or a list cannot be a key; use a plain name"))
            frame.key = _IGNORED
            return
        frame.key = node.text
        frame.merging = node.plain and node.text == "<<"
        if node.plain and not isinstance(resolve(node.text), str):
            kind = describe(resolve(node.text))
            self.faults.append(
                Fault(line, self.path(), f'this key is {kind} in YAML; quote it: "{node.text[:60]}"', node.text[:80])
            )
        elif not frame.merging and node.text in frame.entries:
            self.faults.append(
                Fault(
                    line,
                    self.path(),
                    f"key {node.text[:80]!r} is given twice, in line {frame.lines[node.text]} and in line {line};"
                    " remove one of them",
                )
            )
            frame.key = _IGNORED

    def take_value(self, frame: _Frame, node: Node) -> None:
        key, frame.key = frame.key, None
        if frame.merging:
            frame.merging = False
            parts = node.items if isinstance(node, Sequence) else (node,)
            for part in parts:
                if isinstance(part, Mapping):
                    frame.merged.append(part)
                else:
                    self.faults.append(
                        Fault(part.line, self.path(), "only mappings can be merged by <<; write the fields out")
                    )
        elif isinstance(key, str):
            frame.entries[key] = node
            frame.lines[key] = frame.key_line


def compose(text: str, first_line: int, bounds: Bounds, loader: Loader = FASTEST_LOADER) -> Composed:
    """The tree of one document that begins at ``first_line``; a tree is given even when it has faults."""
    composer = _Composer(first_line, bounds)
    try:
        for event in _events(text, loader):
            composer.consume(event)
    except _StopError as stop:
        return Composed(None, (*composer.faults, stop.fault))
    except yaml.MarkedYAMLError as error:
        return Composed(None, (*composer.faults, _syntax_fault(error, text, composer)))
    except yaml.reader.ReaderError as error:
        return Composed(None, (*composer.faults, Fault(first_line, (), f"not YAML: {error.reason}")))
    return Composed(composer.root, tuple(composer.faults))


def _events(text: str, loader: Loader) -> Iterator[Any]:
    parser = loader(text)
    try:
        while parser.check_event():
            yield parser.get_event()
    finally:
        parser.dispose()


def _syntax_fault(error: yaml.MarkedYAMLError, text: str, composer: _Composer) -> Fault:
    mark = error.problem_mark or error.context_mark
    message = f"not YAML: {error.problem or error.context or 'unreadable'}"
    lines = text.rstrip().split("\n")
    offset = min(int(mark.line) if mark else 0, len(lines) - 1)
    written = lines[offset]
    indentation = written[: len(written) - len(written.lstrip())]
    if "\t" in indentation:
        message = "YAML does not allow tabs as indentation; use spaces"
    elif error.context and error.context_mark:
        message += f" ({error.context} that begins in line {composer.first_line + int(error.context_mark.line)})"
    return Fault(composer.first_line + offset, composer.path(), message, written.strip()[:80] or None)
