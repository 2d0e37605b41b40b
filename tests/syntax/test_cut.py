"""A file without some of its tests looks as if they had never been written, and still parses."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.cut import cut_tests
from change2task.syntax.faults import parses
from change2task.syntax.languages import Language
from change2task.syntax.tests import test_units as units_of

PYTHON = b'''"""Doc."""

from __future__ import annotations

import json, re
import os
import sys  # noqa: F401
from pkg import (
    alpha,
    beta,  # why
    gamma,
)
from side import *
import pytest

LIMIT = 3
OTHER = LIMIT + 1


@pytest.fixture
def client():
    return make(alpha)


@pytest.fixture(autouse=True)
def always():
    yield


def make(x):
    return json.dumps(x)


def shared():
    return re.compile("x")


# about a
@pytest.mark.parametrize("x", [1, LIMIT])
def test_a(client, x):
    assert beta(client)
    shared()


def test_b():
    shared()
    assert gamma


class TestA:
    """Doc."""

    def setup_method(self):
        self.os = os

    def test_x(self):
        assert os

    # about y
    def test_y(self):
        assert 1


class TestInheriting(Base):
    def test_only(self):
        pass


if sys:
    def test_conditional():
        pass
'''

GO = b"""package a

import (
\t"fmt"
\t"net/url"
\t"testing"

\t"github.com/mattn/go-isatty"
\t_ "net/http/pprof"
)

type fake struct{}

func (f *fake) Do() {}

// TestA does.
func TestA(t *testing.T) {
\tfmt.Println(isatty.IsTerminal())
\turl.Parse("x")
\thelper(&fake{})
}

func helper(f *fake) {}

func TestB(t *testing.T) {
\turl := 3
\turl.Foo()
}
"""

TYPESCRIPT = b"""import a, { b, c } from "x";
import { render } from "lib";
import "side";
const { m, n: o } = require("w");

const table = [1, 2];
function helper() { return table; }

describe("outer", () => {
  let z;
  beforeEach(() => { z = b; });

  // one
  it("one", () => { expect(c(z)).toBe(m); });

  describe("inner", () => {
    it("two", () => { helper(); a(); });
  });

  for (const x of [1]) {
    it(`three`, () => {});
  }

  [1, 2].forEach((x) => it("four", () => {}));

  it("five", () => { a(o); }).timeout(5);
});

test("top", () => { render(); });
"""

RUST = b"""use std::fmt;

pub fn real() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, io::{self, Read}};

    fn helper() { File::open("x"); }

    /// a
    #[test]
    fn a() { helper(); io::stdin(); }

    #[test]
    fn b() { assert!(real()); }
}
"""

JAVA = b"""package a;

import static org.junit.Assert.assertEquals;
import java.util.List;
import org.junit.Test;

public class ATest {
    private List<String> x;

    /** one */
    @Test
    public void one() {
        assertEquals(1, 1);
    }

    @Test
    public void two() { }
}
"""

SAMPLES: list[tuple[Language, bytes, bytes]] = [
    (Language.PYTHON, b"t.py", PYTHON),
    (Language.GO, b"a_test.go", GO),
    (Language.TYPESCRIPT, b"a.test.ts", TYPESCRIPT),
    (Language.RUST, b"a.rs", RUST),
    (Language.JAVA, b"ATest.java", JAVA),
]


def python(source: bytes, names: Collection[str], *, helpers: bool = False, keep: Collection[str] = ()) -> bytes:
    return cut_tests(Language.PYTHON, b"t.py", source, names, helpers=helpers, keep=keep)


def gone(before: bytes, after: bytes) -> list[bytes]:
    """The lines of `before` that `after` lacks, blank ones left aside."""
    left = after.splitlines()
    return [line for line in before.splitlines() if line.strip() and line not in left]


def test_a_python_test_goes_with_its_decorators_comments_and_imports() -> None:
    after = python(PYTHON, ["test_a"])
    assert gone(PYTHON, after) == [
        b"    beta,  # why",
        b"# about a",
        b'@pytest.mark.parametrize("x", [1, LIMIT])',
        b"def test_a(client, x):",
        b"    assert beta(client)",
    ]
    assert b'    return re.compile("x")\n\n\ndef test_b():' in after


def test_helpers_go_only_when_asked_and_only_what_the_cut_tests_alone_needed() -> None:
    after = python(PYTHON, ["test_a"], helpers=True)
    assert set(gone(PYTHON, after)) >= {
        b"def client():",
        b"def make(x):",
        b"import json, re",
        b"    alpha,",
    }
    for kept in (b"import re\n", b"def shared():", b"LIMIT = 3", b"def always():", b"import sys", b"    gamma,\n"):
        assert kept in after


def test_names_other_files_need_are_kept() -> None:
    after = python(PYTHON, ["test_a"], helpers=True, keep=["client"])
    assert b"def client():" in after
    assert b"def make(x):" in after
    assert b"    alpha,\n" in after


def test_a_class_left_without_tests_goes_unless_it_inherits_some() -> None:
    names = ["TestA::test_x", "TestA::test_y", "TestInheriting::test_only"]
    plain = python(PYTHON, names)
    assert b"def setup_method" in plain
    assert b"class TestInheriting(Base):\n    pass\n" in plain
    assert b"class TestA" not in python(PYTHON, names, helpers=True)
    assert python(b"class TestA:\n    def test_x(self):\n        pass\n", ["TestA::test_x"]) == b""


def test_a_class_that_is_named_elsewhere_stays() -> None:
    source = b"class TestA:\n    def test_x(self):\n        pass\n\n\nother(TestA)\n"
    assert python(source, ["TestA::test_x"]) == b"class TestA:\n    pass\n\n\nother(TestA)\n"


def test_a_block_left_empty_gets_pass() -> None:
    assert python(PYTHON, ["test_conditional"]).endswith(b"if sys:\n    pass\n")


def test_what_hangs_on_a_cut_method_goes_with_it() -> None:
    source = b"class TestA:\n    def test_x(self): pass\n    test_x.slow = True\n    alias = test_x\n\n    Y = 1\n"
    assert python(source, ["TestA::test_x"]) == b"class TestA:\n    Y = 1\n"


def test_line_ends_are_kept() -> None:
    source = PYTHON.replace(b"\n", b"\r\n")
    after = python(source, ["test_a", "test_conditional", "TestA::test_y"], helpers=True)
    assert after == python(PYTHON, ["test_a", "test_conditional", "TestA::test_y"], helpers=True).replace(
        b"\n", b"\r\n"
    )


@pytest.mark.parametrize(
    "line",
    [b"from __future__ import annotations", b"import x  # side effects", b"from x import *", b"import x  # noqa"],
)
def test_imports_with_a_purpose_of_their_own_stay(line: bytes) -> None:
    source = line + b"\n\n\ndef test_a():\n    x.y()\n    annotations()\n"
    assert python(source, ["test_a"]) == line + b"\n"


def test_an_import_named_in_all_or_in_an_annotation_stays() -> None:
    source = b'from x import A, B, C\n\n__all__ = ["A"]\n\n\ndef f(b: "B"): ...\n\n\ndef test_a():\n    A(), B(), C()\n'
    assert python(source, ["test_a"]).startswith(b"from x import A, B\n")


def test_an_import_that_was_unused_before_stays() -> None:
    source = b"import os\n\n\ndef test_a():\n    pass\n"
    assert python(source, ["test_a"]) == b"import os\n"


def test_go_imports_left_unused_go_and_shadows_are_seen() -> None:
    after = cut_tests(Language.GO, b"a_test.go", GO, ["TestA"])
    assert after.startswith(b'package a\n\nimport (\n\t"testing"\n\n\t_ "net/http/pprof"\n)\n\ntype fake struct{}\n')
    assert b"func helper" in after


def test_go_types_live_and_die_with_their_methods() -> None:
    after = cut_tests(Language.GO, b"a_test.go", GO, ["TestA"], helpers=True)
    assert b"fake" not in after
    assert b"helper" not in after
    kept = cut_tests(Language.GO, b"a_test.go", GO, ["TestA"], helpers=True, keep=["helper"])
    assert b"func (f *fake) Do() {}" in kept


def test_typescript_groups_loops_and_named_imports_go_with_their_tests() -> None:
    names = ["outer > one", "outer > inner > two", "outer > three", "outer > four", "top"]
    after = cut_tests(Language.TYPESCRIPT, b"a.test.ts", TYPESCRIPT, names)
    assert (
        after
        == b"""import a, { b } from "x";
import "side";
const { n: o } = require("w");

const table = [1, 2];
function helper() { return table; }

describe("outer", () => {
  let z;
  beforeEach(() => { z = b; });

  it("five", () => { a(o); }).timeout(5);
});
"""
    )


def test_a_test_that_is_part_of_an_expression_leaves_a_valid_one() -> None:
    source = b"const tests = [it('a', () => {}), it('b', () => {})];\n"
    after = cut_tests(Language.JAVASCRIPT, b"a.js", source, ["a"])
    assert after == b"const tests = [undefined, it('b', () => {})];\n"


def test_rust_cuts_stay_inside_the_test_module() -> None:
    after = cut_tests(Language.RUST, b"a.rs", RUST, ["tests::a"], helpers=True)
    assert b"    use super::*;\n    use std::{io::{Read}};\n\n    #[test]\n    fn b()" in after
    everything = cut_tests(Language.RUST, b"a.rs", RUST, ["tests::a", "tests::b"], helpers=True)
    assert everything == b"use std::fmt;\n\npub fn real() {}\n"


def test_java_tests_go_with_annotations_and_documentation() -> None:
    after = cut_tests(Language.JAVA, b"ATest.java", JAVA, ["ATest.one"])
    assert gone(JAVA, after) == [
        b"import static org.junit.Assert.assertEquals;",
        b"    /** one */",
        b"    public void one() {",
        b"        assertEquals(1, 1);",
        b"    }",
    ]
    assert b"class" in cut_tests(Language.JAVA, b"ATest.java", JAVA, ["ATest.one", "ATest.two"])


def test_without_names_nothing_changes() -> None:
    for language, path, source in SAMPLES:
        assert cut_tests(language, path, source, [], helpers=True) is source
        assert cut_tests(language, path, source, ["no such test"], helpers=True) is source


def test_a_source_that_was_broken_before_is_cut_as_far_as_it_is_understood() -> None:
    source = b"def test_a():\n    pass\n\n\ndef (:\n"
    assert b"test_a" not in python(source, ["test_a"])


@given(st.sampled_from(SAMPLES), st.data(), st.booleans(), st.booleans())
def test_any_cut_parses_removes_exactly_its_tests_and_is_done_once(
    sample: tuple[Language, bytes, bytes], data: st.DataObject, helpers: bool, crlf: bool
) -> None:
    language, path, source = sample
    source = source.replace(b"\n", b"\r\n") if crlf else source
    every = [test.name for test in units_of(language, path, source)]
    names = data.draw(st.sets(st.sampled_from(every)))
    after = cut_tests(language, path, source, names, helpers=helpers)
    assert parses(language, after)
    assert [t.name for t in units_of(language, path, after)] == [name for name in every if name not in names]
    assert cut_tests(language, path, after, names, helpers=helpers) == after
    assert b"\n\n\n\n" not in after.replace(b"\r", b"")


@st.composite
def python_files(draw: st.DrawFn) -> bytes:
    """Small test files of functions, classes and conditions in any arrangement."""
    blocks = []
    for number in range(draw(st.integers(1, 6))):
        comment = draw(st.sampled_from(["", "# c\n"]))
        decorator = draw(st.sampled_from(["", "@mark\n"]))
        body = draw(st.sampled_from(["    pass\n", "    a()  # c\n    # end\n", '    """Doc."""\n']))
        function = f"{comment}{decorator}def test_{number}():\n{body}"
        shape = draw(st.sampled_from(["plain", "class", "condition", "else"]))
        inner = "".join(f"    {line}\n" for line in function.splitlines())
        blocks.append(
            {
                "plain": function,
                "class": f"class Test{number}:\n{inner}",
                "condition": f"if x:\n{inner}",
                "else": f"if x:\n    y()\nelse:\n{inner}",
            }[shape]
        )
    return draw(st.sampled_from(["\n", "\n\n", ""])).join(blocks).encode()


@given(python_files(), st.data(), st.booleans())
def test_any_python_file_survives_any_cut(source: bytes, data: st.DataObject, helpers: bool) -> None:
    every = [test.name for test in units_of(Language.PYTHON, b"t.py", source)]
    names = data.draw(st.sets(st.sampled_from(every)))
    after = python(source, names, helpers=helpers)
    compile(after, "t.py", "exec")
    assert [t.name for t in units_of(Language.PYTHON, b"t.py", after)] == [n for n in every if n not in names]


@given(st.sampled_from(list(Language)), st.binary(max_size=200), st.booleans())
def test_any_bytes_can_be_cut(language: Language, source: bytes, helpers: bool) -> None:
    names = [test.name for test in units_of(language, b"a_test.go", source)]
    assert isinstance(cut_tests(language, b"a_test.go", source, names, helpers=helpers), bytes)
