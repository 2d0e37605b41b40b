"""Helpers that only hidden tests and the change need go with them; what a staying test uses stays."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from change2task.construct.orphans import without_orphans

GO = b"package chi\n\nfunc Old() int { return 1 }\n"
GO_NEW = GO + b"\nfunc brandNew() int { return 2 }\n"
EXPORT = b"""package chi

import "testing"

// BrandNew opens what is inside.
var BrandNew = brandNew

func mustBe(t *testing.T, ok bool) {
\tif !ok {
\t\tt.Fatal("not so")
\t}
}
"""
GO_TEST = b"""package chi_test

func TestOld(t *testing.T) { mustBe(t, Old() == 1) }
"""


def left(scene, healthy: Mapping[str, bytes], task: Mapping[str, bytes], tests, stood=()) -> dict[bytes, bytes | None]:
    trees = scene.tree(healthy), scene.tree(task)
    return without_orphans(scene.repository, trees, scene.repository.tree(trees[1]), tests, stood)


def test_gos_export_test_loses_what_opens_the_change(scene):
    beside = {"export_test.go": EXPORT, "chi_test.go": GO_TEST}
    found = left(scene, {"chi.go": GO_NEW, **beside}, {"chi.go": GO, **beside}, beside)
    [(path, content)] = found.items()
    assert path == b"export_test.go"
    assert content is not None
    assert b"rand" not in content
    assert b"func mustBe" in content
    assert b'import "testing"' in content


def test_a_helper_file_of_the_change_alone_goes_whole_and_one_that_stood_before_does_not(scene):
    only = EXPORT[: EXPORT.index(b"func mustBe")].replace(b'import "testing"\n\n', b"")
    healthy, task = {"chi.go": GO_NEW, "export_test.go": only}, {"chi.go": GO, "export_test.go": only}
    assert left(scene, healthy, task, {"export_test.go"}) == {b"export_test.go": None}
    assert left(scene, healthy, task, {"export_test.go"}, {"export_test.go"}) == {b"export_test.go": b"package chi\n"}


def test_what_a_staying_test_uses_is_never_taken(scene):
    user = GO_TEST + b"\nfunc TestSince(t *testing.T) { mustBe(t, BrandNew() == 2) }\n"
    beside = {"export_test.go": EXPORT, "chi_test.go": user}
    assert left(scene, {"chi.go": GO_NEW, **beside}, {"chi.go": GO, **beside}, beside) == {}


def test_a_python_helper_goes_with_the_import_only_it_needs(scene):
    once = b"def once():\n    return old()\n"
    helper = b"from pkg import brand_new, old\n\n\ndef twice():\n    return brand_new() * 2\n\n\n" + once
    beside = {"tests/helper.py": helper, "tests/test_a.py": b"from helper import once\n"}
    old, new = b"def old():\n    return 1\n", b"def old():\n    return 1\n\n\ndef brand_new():\n    return 2\n"
    found = left(scene, {"pkg.py": new, **beside}, {"pkg.py": old, **beside}, beside)
    assert found == {b"tests/helper.py": b"from pkg import old\n\n\n" + once}


def test_sources_are_no_helpers(scene):
    user = b"from pkg import brand_new\n\n\ndef use():\n    return brand_new()\n"
    old, new = b"x = 1\n", b"x = 1\n\n\ndef brand_new():\n    return 2\n"
    assert left(scene, {"pkg.py": new, "user.py": user}, {"pkg.py": old, "user.py": user}, {"tests/test_a.py"}) == {}


OLD_PY, NEW_PY = b"def old():\n    return 1\n", b"def old():\n    return 1\n\n\ndef brand_new():\n    return 2\n"
ASKED_FOR = {
    "a parameter": (b"@pytest.fixture\ndef page():", b"def test_a(page):\n    pass\n"),
    "its given name": (b'@pytest.fixture(name="page")\ndef _made():', b"def test_a(page):\n    pass\n"),
    "its name by another decorator": (b"@fx(params=[f(1)], name='page')\ndef _made():", b"def test_a(page): ...\n"),
    "a mark": (b"@pytest.fixture\ndef page():", b'@pytest.mark.usefixtures("page")\ndef test_a():\n    pass\n'),
    "a mark and its name": (b'@pytest.fixture(name="page")\ndef _p():', b'pytestmark = usefixtures("db", "page")\n'),
    "a request": (b"@pytest.fixture\ndef page():", b'def test_a(request):\n    request.getfixturevalue("page")\n'),
    "one of several arguments": (
        b"@pytest.fixture\ndef page():",
        b'@pytest.mark.parametrize("size, page", [(1, 2)], indirect=True)\ndef test_a(**all):\n    pass\n',
    ),
    "nobody, and every test": (b"@pytest.fixture(autouse=True)\ndef page():", b"def test_a():\n    pass\n"),
    "a name that is not written out": (b"@pytest.fixture(name=NAME)\ndef _made():", b"def test_a():\n    pass\n"),
}  # fmt: skip


@pytest.mark.parametrize("way", ASKED_FOR)
def test_a_fixture_is_used_by_whatever_way_it_is_asked_for(scene, way: str):
    head, test = ASKED_FOR[way]
    beside = {"tests/conftest.py": head + b"\n    return brand_new()\n", "tests/test_a.py": test}
    assert left(scene, {"pkg.py": NEW_PY, **beside}, {"pkg.py": OLD_PY, **beside}, beside) == {}


def test_a_fixture_that_the_settings_ask_for_stays_whoever_names_it(scene):
    fixture = b"@pytest.fixture\ndef page():\n    return brand_new()\n"
    beside = {"tests/conftest.py": fixture, "tests/test_a.py": b"def test_a():\n    pass\n"}
    asking = {"pytest.ini": b"[pytest]\nusefixtures = page\n", **beside}
    assert left(scene, {"pkg.py": NEW_PY, **asking}, {"pkg.py": OLD_PY, **asking}, beside) == {}
    assert left(scene, {"pkg.py": NEW_PY, **beside}, {"pkg.py": OLD_PY, **beside}, beside)


def test_what_a_staying_fixture_uses_stays_however_many_steps_away(scene):
    shown = b"class Page:\n    def show(self):\n        return brand_new()\n\n\n"
    chain = shown + b"def made():\n    return Page().brand_new\n\n\n"
    fixture = b'@pytest.fixture(name="page")\ndef _page():\n    return made().brand_new\n'
    beside = {"tests/conftest.py": chain + fixture, "tests/test_a.py": b"def test_a(page):\n    pass\n"}
    assert left(scene, {"pkg.py": NEW_PY, **beside}, {"pkg.py": OLD_PY, **beside}, beside) == {}
    unused = {**beside, "tests/test_a.py": b"def test_a():\n    pass\n"}
    assert left(scene, {"pkg.py": NEW_PY, **unused}, {"pkg.py": OLD_PY, **unused}, unused) == {
        b"tests/conftest.py": None
    }
