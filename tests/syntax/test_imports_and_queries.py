"""Imports are read with all their aliases, and APIs are found through them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.imports import go_package_names, import_lines, import_only, imports
from change2task.syntax.languages import Language
from change2task.syntax.queries import uses_api

PYTHON = b"""import a.b, os as o
from x import (p,
  q as r)
from .m import y
from w import *
import importlib.metadata as im, pkg_resources
from importlib.metadata import version as v
# pkg_resources.get_distribution
s = "pkg_resources.get_distribution"
pkg_resources.get_distribution("a").version
im.version("x"); v("y"); a.b.c(); f(v=1); unicode(x); x.im.version
y.foo; iteritems; q.iteritems(); f"{v('x')}"
"""
GO = b"""package a
import "fmt"
import (
\tx "io/ioutil"
\t"github.com/go-chi/chi/v5"
\t_ "net/http/pprof"
\t"github.com/mattn/go-isatty"
)
func f() { x.ReadFile("a"); isatty.IsTerminal(); chi.NewRouter(); s.ioutil.ReadFile() }
"""
TYPESCRIPT = b"""import a, {b as c, d} from "x";
import * as ns from 'y';
import 'side';
import type {T} from 'z';
const {m, n: o} = require("w"); const fs = require("fs");
fs.readFile(); ns.foo?.bar; c(); require("path").join(); let k: T; new Buffer(1); ({d}); ({c: 1}); o();
"""
RUST = b"""use std::io::{self, Read as R, fs::*, a::{b, c}};
pub use std::mem;
fn f() { mem::uninitialized(); vec![mem::uninitialized(); 1]; io::stdin(); std::mem::uninitialized() }
"""
JAVA = b"""package a;
import java.util.Date;
import java.util.concurrent.*;
import static org.junit.Assert.assertEquals;
class A { Date d; java.util.Date e; void f() { assertEquals(1, 2); Executors.newPool(1); Thread.stop(); } }
"""
SAMPLES = {
    Language.PYTHON: PYTHON,
    Language.GO: GO,
    Language.TYPESCRIPT: TYPESCRIPT,
    Language.RUST: RUST,
    Language.JAVA: JAVA,
}


@pytest.mark.parametrize(
    ("language", "bound"),
    [
        (Language.PYTHON, ["a", "o", "p", "r", "y", "*", "im", "pkg_resources", "v"]),
        (Language.GO, ["fmt", "x", "chi", "_", "go-isatty"]),
        (Language.TYPESCRIPT, ["a", "c", "d", "ns", "T", "m", "o", "fs"]),
        (Language.RUST, ["io", "R", "*", "b", "c", "mem"]),
        (Language.JAVA, ["Date", "*", "assertEquals"]),
    ],
)
def test_imports_bind_their_aliases(language: Language, bound: list[str]) -> None:
    found = imports(language, SAMPLES[language])
    assert [binding.name for statement in found for binding in statement.bindings] == bound


def test_relative_modules_keep_their_dots() -> None:
    found = imports(Language.PYTHON, b"from . import a\nfrom ..b import c\nfrom __future__ import d\n")
    assert [(i.module, i.bindings[0].target) for i in found] == [
        (".", ".a"),
        ("..b", "..b.c"),
        ("__future__", "__future__.d"),
    ]


def test_a_go_package_name_is_guessed_from_its_path() -> None:
    assert go_package_names("github.com/go-chi/chi/v5")[0] == "chi"
    assert go_package_names("gopkg.in/yaml.v3")[0] == "yaml"
    assert "isatty" in go_package_names("github.com/mattn/go-isatty")


@pytest.mark.parametrize(
    ("language", "api", "uses"),
    [
        (Language.PYTHON, "pkg_resources.get_distribution", [b"pkg_resources.get_distribution"]),
        (Language.PYTHON, "importlib.metadata.version", [b"im.version", b"v", b"v"]),
        (Language.PYTHON, "importlib.metadata", [b"im", b"v", b"v"]),
        (Language.PYTHON, "a.b", [b"a.b"]),
        (Language.PYTHON, "unicode", [b"unicode"]),
        (Language.PYTHON, "pkg.m.y", [b"y"]),
        (Language.PYTHON, "w.iteritems", [b"iteritems"]),
        (Language.PYTHON, ".iteritems", [b"iteritems"]),
        (Language.PYTHON, "os", []),
        (Language.GO, "ioutil.ReadFile", [b"x.ReadFile"]),
        (Language.GO, "io/ioutil.ReadFile", [b"x.ReadFile"]),
        (Language.GO, "chi.NewRouter", [b"chi.NewRouter"]),
        (Language.GO, "github.com/mattn/go-isatty.IsTerminal", [b"isatty.IsTerminal"]),
        (Language.TYPESCRIPT, "fs.readFile", [b"fs.readFile"]),
        (Language.TYPESCRIPT, "y.foo", [b"ns.foo"]),
        (Language.TYPESCRIPT, "x.b", [b"c"]),
        (Language.TYPESCRIPT, "path.join", [b'require("path").join']),
        (Language.TYPESCRIPT, "z.T", [b"T"]),
        (Language.TYPESCRIPT, "Buffer", [b"Buffer"]),
        (Language.TYPESCRIPT, "w.n", [b"o"]),
        (Language.RUST, "std::mem::uninitialized", [b"mem::uninitialized"] * 2 + [b"std::mem::uninitialized"]),
        (Language.RUST, "std::io::stdin", [b"io::stdin"]),
        (Language.JAVA, "java.util.Date", [b"Date", b"java.util.Date"]),
        (Language.JAVA, "org.junit.Assert.assertEquals", [b"assertEquals"]),
        (Language.JAVA, "java.util.concurrent.Executors", [b"Executors"]),
        (Language.JAVA, "Thread.stop", [b"Thread.stop"]),
    ],
)
def test_an_api_is_found_under_the_names_it_was_imported_by(language: Language, api: str, uses: list[bytes]) -> None:
    source = SAMPLES[language]
    assert [source[use.start : use.end] for use in uses_api(language, source, api)] == uses


def test_an_import_counts_as_a_use_on_request() -> None:
    source = b"from importlib.metadata import version\n"
    assert uses_api(Language.PYTHON, source, "importlib.metadata.version") == ()
    found = uses_api(Language.PYTHON, source, "importlib.metadata.version", include_imports=True)
    assert [use.first_line for use in found] == [1]


def test_a_name_the_file_defines_is_no_global() -> None:
    assert uses_api(Language.PYTHON, b"def unicode(x): ...\nunicode(1)\n", "unicode") == ()


@pytest.mark.parametrize(
    ("language", "lines", "expected"),
    [
        (Language.PYTHON, b"    import a\n    # c\n    from b import (\n        c,\n    )\n", True),
        (Language.PYTHON, b"from b import (\n    c,\n", True),
        (Language.PYTHON, b"    c,\n", False),
        (Language.PYTHON, b"# c\n", False),
        (Language.PYTHON, b"import a\nx = 1\n", False),
        (Language.GO, b'\t"fmt"\n\tx "os"\n', True),
        (Language.GO, b'import "a"\n', True),
        (Language.GO, b"x := 1\n", False),
        (Language.TYPESCRIPT, b'import {a} from "b";\n', True),
        (Language.TYPESCRIPT, b'  a,\n} from "b";\n', True),
        (Language.TYPESCRIPT, b"  a,\n", False),
        (Language.TYPESCRIPT, b'const a = require("b");\nf();', False),
        (Language.RUST, b"use a::b;\n", True),
        (Language.JAVA, b"import a.B;\n", True),
    ],
)
def test_an_edit_group_is_imports_only(language: Language, lines: bytes, expected: bool) -> None:
    assert import_only(language, lines, b"") is expected
    assert import_only(language, b"", lines) is expected


def test_one_side_that_is_code_makes_it_code() -> None:
    assert not import_only(Language.PYTHON, b"import a\n", b"a = None\n")
    assert not import_only(Language.PYTHON, b"", b"\n")


def test_import_lines_are_exact() -> None:
    assert import_lines(Language.PYTHON, PYTHON) == frozenset(range(1, 8))
    assert import_lines(Language.GO, GO) == frozenset(range(2, 9))


@given(st.sampled_from(list(Language)), st.binary(max_size=200))
def test_any_bytes_have_imports_and_uses(language: Language, source: bytes) -> None:
    for statement in imports(language, source):
        assert 0 <= statement.span.start <= statement.span.end <= len(source)
    assert isinstance(uses_api(language, source, "a.b", include_imports=True), tuple)
    assert import_only(language, source, b"") in (True, False)
