"""Units are whole definitions with all that is attached to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.languages import Language
from change2task.syntax.units import Unit, unit_named, units

PYTHON = b'''#!/usr/bin/env python
# about A
@decorated(1)
class A(Base):
    """Doc."""

    LIMIT = 3

    # the value
    @property
    def value(self):
        return 1  # one
        # and its end

    @value.setter
    def value(self, v):
        def inner():
            pass


x, y = 1, 2  # why
__all__ += ["z"]

# not attached

if x:
    def g(): pass
else:
    async def g(): pass
'''

GO = b"""package a

// Route does.
// And more.
func (m *Mux[K]) Route(x int) error {
\tlocal := 1
\tvar other = 2
\treturn nil
} // end

const (
\t// C is
\tC = iota
\tD
)

type T struct{ a int }
"""

TYPESCRIPT = b"""/** doc */
@Component()
export class A {
  @Input() name: string;
  get y() { return 1 }
  set y(v) {}
  onClick = () => 1;
}

export const f = (x) => {
  const inner = () => 1;
};
const a = 1, {b, c: d} = q;
exports.foo = function () {};
const obj = { meth() {}, arrow: () => 1 };
export default { setup() {} };
function over(a: string): void;
function over(a: any) {}
"""

RUST = b"""//! about the file
/// about S
#[derive(Debug)]
pub struct S<T> { a: T }

impl<T> Tr for S<T> {
    fn m(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves
    #[test]
    #[ignore = "slow"]
    fn t() { let c = || 1; }
}
"""

JAVA = b"""package a;

/** about A */
@Ann(1)
public class A extends B {
    private int x = 1;

    /** m */
    @Test
    public void m() { }

    A() { }

    class In { void q() { } }
}
"""


def found(language: Language, source: bytes) -> dict[str, Unit]:
    return {unit.key: unit for unit in units(language, source)}


def lines(unit: Unit) -> tuple[int, int]:
    return unit.span.first_line, unit.span.last_line


def test_python_units_have_qualified_names_told_apart_by_number() -> None:
    assert list(found(Language.PYTHON, PYTHON)) == [
        "A",
        "A.value",
        "A.value#2",
        "A.value.<locals>.inner",
        "x",
        "y",
        "__all__",
        "g",
        "g#2",
    ]


def test_python_decorators_and_comments_belong_to_a_unit_but_not_the_shebang() -> None:
    names = found(Language.PYTHON, PYTHON)
    assert lines(names["A"]) == (2, 18)
    assert lines(names["A.value"]) == (9, 13)
    assert names["A"].marks == ("decorated",)
    assert names["A.value#2"].marks == ("value.setter",)
    assert lines(names["g"]) == (27, 27)


def test_names_bound_together_share_a_span_with_their_comment() -> None:
    names = found(Language.PYTHON, PYTHON)
    assert names["x"].span == names["y"].span
    assert PYTHON[names["x"].span.start : names["x"].span.end] == b"x, y = 1, 2  # why"


def test_a_body_is_what_a_definition_holds() -> None:
    body = found(Language.PYTHON, PYTHON)["A.value#2"].body
    assert body is not None
    assert PYTHON[body.start : body.end].startswith(b"def inner")


def test_go_methods_are_named_by_receiver_and_locals_are_no_units() -> None:
    names = found(Language.GO, GO)
    assert list(names) == ["Mux.Route", "C", "D", "T"]
    assert lines(names["Mux.Route"]) == (3, 9)
    assert lines(names["C"]) == (12, 13)
    assert names["T"].kind == "struct"


def test_typescript_units_are_functions_wherever_they_are_bound() -> None:
    names = found(Language.TYPESCRIPT, TYPESCRIPT)
    assert list(names) == [
        "A",
        "A.y",
        "A.y#2",
        "A.onClick",
        "f",
        "f.<locals>.inner",
        "a",
        "b",
        "d",
        "exports.foo",
        "obj",
        "obj.meth",
        "obj.arrow",
        "default",
        "default.setup",
        "over",
        "over#2",
    ]
    assert lines(names["A"]) == (1, 8)
    assert names["A"].marks == ("Component",)
    assert names["f"].kind == "function"


def test_rust_attributes_and_doc_comments_belong_to_a_unit() -> None:
    names = found(Language.RUST, RUST)
    assert list(names) == ["S", "impl Tr for S<T>", "S.m", "tests", "tests.t"]
    assert lines(names["S"]) == (2, 4)
    assert names["tests.t"].marks == ("test", "ignore")
    assert lines(names["tests.t"]) == (14, 17)


def test_java_annotations_and_documentation_belong_to_a_unit() -> None:
    names = found(Language.JAVA, JAVA)
    assert list(names) == ["A", "A.m", "A.A", "A.In", "A.In.q"]
    assert lines(names["A"]) == (3, 15)
    assert names["A.m"].marks == ("Test",)
    assert lines(names["A.m"]) == (8, 10)


def test_broken_code_gives_what_can_be_read() -> None:
    assert unit_named(Language.PYTHON, b"def f():\n    return 1\n\nclass (:\n", "f") is not None


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_line_ends_do_not_change_lines(newline: bytes) -> None:
    names = found(Language.PYTHON, PYTHON.replace(b"\n", newline))
    assert lines(names["A.value"]) == (9, 13)


def test_deep_and_long_sources_are_read_without_recursion() -> None:
    deep = b"(" * 20_000 + b")" * 20_000
    assert units(Language.JAVASCRIPT, deep) == ()
    minified = b"".join(b"function f%d(a){return a+%d}" % (n, n) for n in range(5_000))
    assert len(units(Language.JAVASCRIPT, minified)) == 5_000


SAMPLES = [
    (Language.PYTHON, PYTHON),
    (Language.GO, GO),
    (Language.TYPESCRIPT, TYPESCRIPT),
    (Language.RUST, RUST),
    (Language.JAVA, JAVA),
]


def assert_nested(language: Language, source: bytes) -> None:
    everything = units(language, source)
    for unit in everything:
        assert 0 <= unit.span.start <= unit.code_start <= unit.span.end <= len(source)
        assert 1 <= unit.span.first_line <= unit.span.last_line
        if unit.parent is not None:
            outer = everything[unit.parent].span
            assert outer.start <= unit.span.start
            assert unit.span.end <= outer.end
    spans = sorted({(unit.span.start, -unit.span.end) for unit in everything})
    stack: list[int] = []
    for start, minus_end in spans:
        while stack and stack[-1] <= start:
            stack.pop()
        assert not stack or -minus_end <= stack[-1]
        stack.append(-minus_end)


@pytest.mark.parametrize(("language", "source"), SAMPLES)
def test_spans_nest(language: Language, source: bytes) -> None:
    assert_nested(language, source)


@given(st.sampled_from(SAMPLES), st.data())
def test_spans_nest_in_any_damaged_source(sample: tuple[Language, bytes], data: st.DataObject) -> None:
    language, source = sample
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, min(len(source), start + 60)))
    assert_nested(language, source[:start] + data.draw(st.binary(max_size=8)) + source[end:])


@given(st.sampled_from(list(Language)), st.binary(max_size=300))
def test_any_bytes_have_units(language: Language, source: bytes) -> None:
    assert_nested(language, source)
