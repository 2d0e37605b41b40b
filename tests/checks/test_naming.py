"""What an id says, format by format, and what of a task's tests an agent can see."""

from __future__ import annotations

import pytest

from change2task.checks.naming import naming, split


@pytest.mark.parametrize(
    ("check_format", "check", "parts"),
    [
        ("pytest", "tests/test_a.py::TestX::test_y[a::b]", ("tests/test_a.py", "TestX::test_y", "[a::b]")),
        ("pytest", "lonely", ("", "lonely", "")),
        ("go", "pkg/sub::TestX/case/1", ("pkg/sub", "TestX", "/case/1")),
        ("junit", "a.xml::case", ("a.xml", "case", "")),
    ],
)
def test_an_id_has_a_scope_a_function_and_a_case(check_format: str, check: str, parts: tuple[str, str, str]) -> None:
    assert tuple(naming(check_format).name(check)) == parts


def test_tests_of_go_are_named_by_their_folder_others_by_their_file() -> None:
    assert [naming("go").scope_of(path) for path in ("a/b_test.go", "b_test.go")] == ["a", "."]
    assert naming("pytest").scope_of("a/test_b.py") == "a/test_b.py"


def test_cases_of_a_hidden_function_are_as_hidden_as_it_is() -> None:
    tests = ("t.py::b", "t.py::a[2]", "t.py::a[1]", "u.py::a")
    found = split(naming("pytest"), tests, ("t.py::a[1]", "gone.py::x"))
    assert found.beside == ("t.py::a[2]",)
    assert found.open == ("t.py::b", "u.py::a")
