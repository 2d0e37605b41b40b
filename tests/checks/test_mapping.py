"""Historical tests are found again on the base, or said to be lost and why."""

from __future__ import annotations

import pytest

from change2task.checks.mapping import HistoricalTest, Inventoried, map_tests
from change2task.checks.naming import naming
from change2task.checks.roles import FailedCheck, Role, role_of_failed

PYTEST = naming("pytest")


def historical(function: str, path: str = "tests/test_a.py", modern: str | None = "tests/test_a.py") -> HistoricalTest:
    return HistoricalTest(path=path, modern_path=modern, function=function)


def mapping(test: HistoricalTest, *healthy: str, other: dict[str, str] | None = None, style=PYTEST):
    return map_tests([test], Inventoried(healthy=healthy, other=other or {}), style)


def test_a_function_maps_to_all_its_healthy_cases():
    found = mapping(historical("test_x"), "tests/test_a.py::test_x[1]", "tests/test_a.py::test_x[a::b[2]]")
    assert found.ids == ("tests/test_a.py::test_x[1]", "tests/test_a.py::test_x[a::b[2]]")


def test_a_renamed_file_is_followed():
    found = mapping(historical("test_x", modern="tests/unit/test_a.py"), "tests/unit/test_a.py::test_x")
    assert found.mapped[0].how == "same name"


@pytest.mark.parametrize(
    ("healthy", "how"),
    [
        (["tests/test_a.py::TestNew::test_x"], "same name in the same file, another class"),
        (["tests/test_b.py::test_x"], "unique qualified name in another file"),
        (["tests/test_b.py::TestB::test_x"], "unique name in another file"),
    ],
)
def test_a_moved_test_is_found_by_its_unique_name(healthy, how):
    assert mapping(historical("test_x"), *healthy).mapped[0].how == how


def test_an_ambiguous_name_is_lost_and_says_how_many():
    found = mapping(historical("test_x"), "tests/test_b.py::test_x", "tests/test_c.py::test_x")
    assert "2 tests of that name" in found.lost[0].why


def test_a_namesake_that_cannot_be_the_changes_own_is_not_its_test():
    own = ("tests/test_c.py", "test_x")
    inventory = Inventoried(healthy=("tests/test_b.py::test_x", "tests/test_c.py::test_x"), other={})
    found = map_tests([historical("test_x")], inventory, PYTEST, lambda _, place: place == own)
    assert found.ids == ("tests/test_c.py::test_x",)


def test_a_counterpart_that_fails_on_the_base_is_not_replaced_by_a_namesake():
    found = mapping(historical("test_x"), "tests/test_b.py::test_x", other={"tests/test_a.py::test_x": "failing"})
    assert found.mapped == ()
    assert "failing on the base" in found.lost[0].why
    assert found.lost[0].scope == "tests/test_a.py"


def test_a_go_test_is_named_by_its_package_folder():
    found = mapping(
        historical("TestRoute", "mux_test.go", "mux_test.go"), ".::TestRoute", ".::TestRoute/sub", style=naming("go")
    )
    assert found.ids == (".::TestRoute", ".::TestRoute/sub")


@pytest.mark.parametrize(
    ("at_parent", "names_change", "role"),
    [
        ("same", True, Role.REGRESSION),
        ("failed", True, Role.REGRESSION),
        ("passed", False, Role.OBSERVER),
        ("case", False, Role.OBSERVER),
        ("absent", True, Role.OBSERVER),
        ("absent", False, Role.REGRESSION),
    ],
)
def test_a_failing_check_observes_the_change_or_was_broken(at_parent, names_change, role):
    assert role_of_failed(FailedCheck(id="x", at_parent=at_parent, names_change=names_change)).role is role
