"""Poetry's constraints mean the same to every installer once translated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from change2task.base.poetry import requirement, specifier


@pytest.mark.parametrize(
    ("wanted", "translated"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("^0", ">=0,<1"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~1", ">=1,<2"),
        ("*", ""),
        ("1.2", "==1.2"),
        ("1.*", "==1.*"),
        (">=1.2,<3", ">=1.2,<3"),
        (">= 1.2", ">=1.2"),
        ("=1.2", "==1.2"),
        ("~=1.2", "~=1.2"),
        ("^2.7 || ^3.6", ">=3.6,<4"),
    ],
)
def test_constraints(wanted: str, translated: str) -> None:
    assert specifier(wanted) == translated


@given(st.lists(st.integers(0, 50), min_size=1, max_size=3), st.sampled_from("^~"))
def test_a_version_satisfies_its_own_bound(release: list[int], kind: str) -> None:
    version = ".".join(map(str, release))
    assert SpecifierSet(specifier(kind + version)).contains(Version(version))


@given(st.text(alphabet="^~<>=!*., |0123456789ab", max_size=12))
def test_any_constraint_is_translated_or_left_without_a_crash(text: str) -> None:
    assert isinstance(specifier(text), str)


def test_tables_become_requirements_and_what_no_index_serves_is_left_out() -> None:
    assert requirement("a", {"version": "^1.0", "extras": ["x"], "markers": "os_name == 'posix'"}) == (
        "a[x]>=1.0,<2; (os_name == 'posix')"
    )
    marked = requirement("a", {"version": "1", "python": ">=3.8,<3.10"})
    assert marked is not None
    assert Requirement(marked).marker is not None
    assert requirement("a", {"git": "https://x"}) is None
    assert requirement("python", "^3.8") is None
