"""Go's imports follow what a file uses."""

from __future__ import annotations

import pytest

from change2task.construct.go_imports import balanced
from change2task.construct.repair import repair

HEAD = b'package m\n\nimport (\n\t"fmt"\n\t"net/http"\n\t"strings"\n\n\tl "example.org/log"\n)\n'
BODY = b"\nfunc f(r *http.Request) {\n\tfmt.Println(strings.ToUpper(r.Host))\n\tl.Print(r)\n}\n"
FILE = HEAD + BODY


def test_an_import_that_is_still_used_comes_back_where_it_stood():
    text, said = balanced(FILE.replace(b'\t"strings"\n', b""), [FILE])
    assert text == FILE
    assert said == ("import strings brought back, since it is used",)


def test_an_import_that_nothing_uses_any_more_goes():
    plain = BODY.replace(b"strings.ToUpper(r.Host)", b"r.Host")
    text, said = balanced(HEAD + plain, [FILE])
    assert text == HEAD.replace(b'\t"strings"\n', b"") + plain
    assert said == ("import strings taken away, since nothing uses it any more",)


def test_what_is_in_line_is_left_alone():
    assert balanced(FILE, [FILE]) == (FILE, ())


@pytest.mark.parametrize("line", [b'_ "embed"', b'. "math"', b'"example.org/go-odd"'])
def test_an_import_whose_name_says_nothing_or_that_the_base_does_not_use_either_stays(line):
    file = FILE.replace(b'\t"strings"\n', b'\t"strings"\n\t' + line + b"\n")
    assert balanced(file, [file]) == (file, ())


def test_a_package_used_by_another_name_is_known_by_that_name():
    text, _ = balanced(FILE.replace(b'\n\tl "example.org/log"\n', b""), [FILE])
    assert b'\tl "example.org/log"\n' in text


def test_a_file_without_imports_gets_one_behind_its_package():
    text, _ = balanced(b"package m\n\nvar x = fmt.Sprint(1)\n", [FILE])
    assert text == b'package m\n\nimport "fmt"\n\nvar x = fmt.Sprint(1)\n'


def test_a_member_of_that_name_is_no_use_of_the_package():
    plain = BODY.replace(b"strings.ToUpper(r.Host)", b"r.strings.Host")
    assert b'"strings"' not in balanced(HEAD + plain, [FILE])[0]


def test_a_merged_tree_whose_imports_are_out_of_line_is_repaired(scene):
    before = {"m.go": FILE.replace(b"ToUpper", b"ToLower")}
    assignment = scene.assignment(before, {"m.go": FILE}, {"m.go": FILE})
    found = repair(scene.repository, assignment, scene.tree({"m.go": before["m.go"].replace(b'\t"strings"\n', b"")}))
    assert scene.files(found.tree) == before
    assert [region.how for region in found.regions] == ["import strings brought back, since it is used"]
