"""New files that take the name of a module which checks load."""

from __future__ import annotations

import pytest

from change2task.corpus.shadowing import shadowed

TAKEN = {"random", "pytest", "json", "requests"}
BEFORE = dict.fromkeys(
    [b"pkg/__init__.py", b"pkg/core.py", b"src/lib/__init__.py", b"json.py", b"tests/test_a.py", b"scripts/run.py"]
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (b"random.py", "random"),
        (b"pytest/__init__.py", "pytest"),
        (b"requests/models.py", "requests"),
        (b"src/random.py", "random"),
        (b"tests/requests.py", "requests"),
        (b"scripts/random.py", "random"),
        (b"new/random.py", "random"),
        (b"pkg/random.py", None),
        (b"src/lib/json.py", None),
        (b"src/other/__init__.py", None),
        (b"json.py", None),
        (b"helpers.py", None),
        (b"random.txt", None),
        (b"random/data.json", None),
    ],
)
def test_names_of_modules_are_taken_where_they_are_looked_for(path: bytes, name: str | None):
    assert shadowed(path, BEFORE, {**BEFORE, path: None}, TAKEN) == name


def test_a_new_package_may_name_its_modules_as_it_likes():
    after = {**BEFORE, b"src/new/__init__.py": None, b"src/new/random.py": None}
    assert shadowed(b"src/new/random.py", BEFORE, after, TAKEN) is None


def test_making_a_folder_a_package_hides_nothing():
    after = {**BEFORE, b"src/__init__.py": None, b"src/random.py": None, b"__init__.py": None, b"pytest.py": None}
    assert shadowed(b"src/random.py", BEFORE, after, TAKEN) == "random"
    assert shadowed(b"pytest.py", BEFORE, after, TAKEN) == "pytest"
