"""Which parts of a file are tests, by the conventions of its language.

It exists to find the tests a change added or altered, and to hide them from an agent. Whether a runner would
collect them is left to the runner: a name found here is a name to look for, not a promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import Language
from change2task.syntax.script_blocks import script_blocks
from change2task.syntax.tokens import Word, code_words
from change2task.syntax.trees import captures, root, text
from change2task.syntax.units import Unit, units

TestKind = Literal["test", "benchmark", "example", "fuzz"]


@dataclass(frozen=True, slots=True)
class TestUnit:
    """A test function: its name within the file as a runner writes it, its kind, and the unit it is.

    Names: pytest `Class::method` or `function`; Go `TestX` or `Suite.TestX`; Rust `tests::name`; Java
    `Outer.Inner.method`; JavaScript titles from the outside in, joined by ` > `. Tests of one name are several
    TestUnits.
    """

    __test__ = False

    name: str
    kind: TestKind
    unit: Unit


@dataclass(frozen=True, slots=True)
class ChangedTests:
    """Test names that differ between two versions of a file, each list in file order."""

    added: tuple[str, ...]
    altered: tuple[str, ...]
    removed: tuple[str, ...]


@lru_cache(maxsize=64)
def test_units(language: Language, path: bytes, source: bytes) -> tuple[TestUnit, ...]:
    """The tests of a file in file order. The path counts for Go only (`_test.go`); which files hold tests is
    the caller's question.
    """
    match language:
        case Language.PYTHON:
            return _python(source)
        case Language.GO:
            return _go(source) if path.endswith(b"_test.go") else ()
        case Language.RUST:
            return _rust(source)
        case Language.JAVA:
            return _java(source)
        case _:
            return _script(language, source)


test_units.__test__ = False  # type: ignore[attr-defined]


def changed_tests(language: Language, path: bytes, before: bytes | None, after: bytes | None) -> ChangedTests:
    """The tests a change to this file added, altered and removed; None stands for a file that is not there.

    Tests are compared by their code: comments and layout do not count, decorators do. A moved test is the same
    test; of several tests with one name, all of them count as one.
    """
    old, new = _bodies(language, path, before), _bodies(language, path, after)
    return ChangedTests(
        added=tuple(name for name in new if name not in old),
        altered=tuple(name for name in new if name in old and not _same(language, old[name], new[name])),
        removed=tuple(name for name in old if name not in new),
    )


_Stretch = tuple[bytes, int, int]


def _bodies(language: Language, path: bytes, source: bytes | None) -> dict[str, list[_Stretch]]:
    bodies: dict[str, list[_Stretch]] = {}
    if source is not None:
        for test in test_units(language, path, source):
            bodies.setdefault(test.name, []).append((source, test.unit.span.start, test.unit.span.end))
    return bodies


def _same(language: Language, old: list[_Stretch], new: list[_Stretch]) -> bool:
    # Most tests of a file are untouched to the byte, and tokens of large files take long.
    if [source[start:end] for source, start, end in old] == [source[start:end] for source, start, end in new]:
        return True
    return _words(language, old) == _words(language, new)


def _words(language: Language, bodies: list[_Stretch]) -> list[tuple[Word, ...]]:
    return [code_words(language, source, start, end) for source, start, end in bodies]


def _python(source: bytes) -> tuple[TestUnit, ...]:
    everything = units(Language.PYTHON, source)
    classes = python_test_classes(source)
    found = []
    for unit in everything:
        if unit.kind not in (UnitKind.FUNCTION, UnitKind.METHOD) or not unit.short.startswith("test"):
            continue
        if unit.parent is None:
            if unit.top and not _is_fixture(unit):
                found.append(TestUnit(unit.name, "test", unit))
        elif unit.parent in classes and not _is_fixture(unit):
            owner = everything[unit.parent].name
            found.append(TestUnit("::".join([*owner.split("."), unit.short]), "test", unit))
    return tuple(found)


def _is_fixture(unit: Unit) -> bool:
    return any(mark.rpartition(".")[2] in ("fixture", "property", "setter") for mark in unit.marks)


def python_test_classes(source: bytes) -> frozenset[int]:
    """The indices (in `units`) of classes whose `test*` methods are tests.

    Those named `Test*`, those with a base named `*TestCase`, those below them in this file, and the bases of
    all of them (mixins).
    """
    everything = units(Language.PYTHON, source)
    bases = class_bases(source)
    classes = {
        index: bases.get(unit.code_start, ()) for index, unit in enumerate(everything) if unit.kind is UnitKind.CLASS
    }
    tests = {
        index
        for index, parents in classes.items()
        if everything[index].short.startswith("Test") or any(base.endswith("TestCase") for base in parents)
    }
    waiting = True
    while waiting:
        names = {everything[index].short for index in tests}
        mixins = {base for index in tests for base in classes[index]}
        more = {
            index
            for index, parents in classes.items()
            if index not in tests and (names.intersection(parents) or everything[index].short in mixins)
        }
        tests |= more
        waiting = bool(more)
    inside_function = {index for index in tests if "<locals>" in everything[index].name}
    return frozenset(tests - inside_function)


@lru_cache(maxsize=64)
def class_bases(source: bytes) -> dict[int, tuple[str, ...]]:
    """For each Python class, by where its code starts: the last name of every base, type arguments cut off."""
    top = root(Language.PYTHON, source)
    result: dict[int, tuple[str, ...]] = {}
    for node in captures(Language.PYTHON, top, "(class_definition) @c").get("c", []):
        arguments = node.child_by_field_name("superclasses")
        parent = node.parent
        outer = parent if parent is not None and parent.type == "decorated_definition" else node
        result[outer.start_byte] = tuple(
            text(base).split("[", 1)[0].split("(", 1)[0].strip().rpartition(".")[2]
            for base in (arguments.named_children if arguments is not None else [])
            if base.type not in ("keyword_argument", "comment")
        )
    return result


_GO_KINDS: tuple[tuple[str, TestKind], ...] = (
    ("Test", "test"),
    ("Benchmark", "benchmark"),
    ("Example", "example"),
    ("Fuzz", "fuzz"),
)
_GO_SUITES = (b"testify/suite", b"gopkg.in/check", b"go-check/check")


def _go(source: bytes) -> tuple[TestUnit, ...]:
    suites = any(name in source for name in _GO_SUITES)
    found = []
    for unit in units(Language.GO, source):
        kind = next((kind for word, kind in _GO_KINDS if _is_go_test(unit.short, word)), None)
        if kind is None or unit.name == "TestMain" or not unit.top:
            continue
        if unit.kind is UnitKind.FUNCTION or (unit.kind is UnitKind.METHOD and suites and kind == "test"):
            found.append(TestUnit(unit.name, kind, unit))
    return tuple(found)


def _is_go_test(name: str, word: str) -> bool:
    return name.startswith(word) and not name[len(word) : len(word) + 1].islower()


_RUST_MARKS = frozenset({"test", "rstest", "test_case", "wasm_bindgen_test", "quickcheck", "proptest"})


def _rust(source: bytes) -> tuple[TestUnit, ...]:
    found = []
    for unit in units(Language.RUST, source):
        marks = {mark.rpartition(".")[2] for mark in unit.marks}
        if unit.kind not in (UnitKind.FUNCTION, UnitKind.METHOD):
            continue
        kind: TestKind | None = "test" if marks & _RUST_MARKS else "benchmark" if "bench" in marks else None
        if kind is not None:
            found.append(TestUnit(unit.name.replace(".", "::"), kind, unit))
    return tuple(found)


_JAVA_MARKS = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"})


def _java(source: bytes) -> tuple[TestUnit, ...]:
    everything = units(Language.JAVA, source)
    top = root(Language.JAVA, source)
    junit3 = {
        node.start_byte
        for node in captures(Language.JAVA, top, "(class_declaration) @c").get("c", [])
        if (base := node.child_by_field_name("superclass")) is not None and text(base).endswith("TestCase")
    }
    found = []
    for unit in everything:
        if unit.kind is not UnitKind.METHOD:
            continue
        marked = any(mark.rpartition(".")[2] in _JAVA_MARKS for mark in unit.marks)
        owner = everything[unit.parent] if unit.parent is not None else None
        if marked or (owner is not None and owner.code_start in junit3 and unit.short.startswith("test")):
            found.append(TestUnit(unit.name, "test", unit))
    return tuple(found)


def _script(language: Language, source: bytes) -> tuple[TestUnit, ...]:
    return tuple(
        TestUnit(block.title, "test", block.unit) for block in script_blocks(language, source) if block.is_test
    )
