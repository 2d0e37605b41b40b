"""Which tests run, under which id, and in which order."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from change2task.checks.plan import Perturbation
from tests.support.passes import PYTHON_PATH, healthy, outcomes, run_suite

TWO = {
    "tests/test_a.py": "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_x(n): pass\ndef test_y(): pass",
    "tests/test_b.py": "open('imported', 'w')\ndef test_z(): pass",
}


def test_only_the_wanted_ids_run_and_no_other_module_is_imported(tmp_path: Path):
    suite = run_suite(tmp_path, TWO, ids=("tests/test_a.py::test_x[2]",))
    assert healthy(suite)
    assert outcomes(suite) == {"tests/test_a.py::test_x[2]": "passed"}
    assert not (tmp_path / "work" / "imported").exists()


def test_all_that_was_collected_is_told_also_what_was_not_wanted(tmp_path: Path):
    suite = run_suite(tmp_path, TWO, ids=("tests/test_a.py::test_x[2]",))
    assert suite.collected == (
        "tests/test_a.py::test_x[1]",
        "tests/test_a.py::test_x[2]",
        "tests/test_a.py::test_y",
    )


def test_scopes_bound_what_is_run_and_not_what_is_found(tmp_path: Path):
    suite = run_suite(tmp_path, TWO, scopes=("tests/test_b.py", "tests/test_gone.py"))
    assert healthy(suite)
    assert outcomes(suite) == {"tests/test_b.py::test_z": "passed"}
    assert "tests/test_a.py::test_y" in suite.collected


def test_a_file_that_the_projects_command_does_not_find_is_not_run_for_its_scope(tmp_path: Path):
    files = {**TWO, "tests/helper.py": "def test_hidden(): pass"}
    suite = run_suite(tmp_path, files, scopes=("tests/helper.py",))
    assert healthy(suite)
    assert outcomes(suite) == {}


def test_wanted_ids_that_are_not_there_are_simply_absent(tmp_path: Path):
    suite = run_suite(
        tmp_path, TWO, ids=("tests/test_a.py::test_gone", "gone/test_a.py::test_x", "tests/test_b.py::test_z")
    )
    assert healthy(suite)
    assert outcomes(suite) == {"tests/test_b.py::test_z": "passed"}


@pytest.mark.parametrize("ids", [(), ("gone/test_a.py::test_x",)])
def test_nothing_wanted_or_nothing_there_runs_nothing(tmp_path: Path, ids: tuple[str, ...]):
    suite = run_suite(tmp_path, TWO, ids=ids)
    assert healthy(suite)
    assert suite.results == {}
    assert suite.collected == ()


def test_paths_in_the_command_bound_a_run_of_everything(tmp_path: Path):
    suite = run_suite(tmp_path, TWO, command=("pytest", "-q", "tests/test_b.py"))
    assert outcomes(suite) == {"tests/test_b.py::test_z": "passed"}


@pytest.mark.parametrize("ids", [None, ("tests/unit/test_a.py::test_x",)])
def test_ids_start_at_the_tree_wherever_pytest_sees_its_root(tmp_path: Path, ids: tuple[str, ...] | None):
    files = {"tests/pytest.ini": "[pytest]", "tests/unit/test_a.py": "def test_x(): pass"}
    suite = run_suite(tmp_path, files, command=("pytest", "tests"), ids=ids)
    assert outcomes(suite) == {"tests/unit/test_a.py::test_x": "passed"}


def test_the_configuration_is_that_of_the_command_also_for_a_selection(tmp_path: Path):
    files = {
        "pytest.ini": "[pytest]\ntestpaths = tests\npython_functions = check_*",
        "tests/pytest.ini": "[pytest]\npython_functions = test_*",
        "tests/test_a.py": "def test_x(): pass\ndef check_x(): pass",
    }
    everything = run_suite(tmp_path / "1", files)
    chosen = run_suite(tmp_path / "2", files, ids=("tests/test_a.py::check_x",))
    assert outcomes(everything) == outcomes(chosen) == {"tests/test_a.py::check_x": "passed"}


ODD = ["a b", "x\ny", "[q]", "'\"", "é", "a\0b", "::", "a::b[", "\\", "PASSED", "\udc80", "中文", " "]


def test_every_odd_id_can_be_wanted_by_the_name_it_was_given(tmp_path: Path):
    source = f"import pytest\n@pytest.mark.parametrize('p', {ODD!r})\ndef test_x(p): pass\n"
    everything = run_suite(tmp_path / "1", {"test_a.py": source})
    assert len(everything.results) == len(ODD)
    for number, wanted in enumerate((everything.collected[:7], everything.collected[7:])):
        chosen = run_suite(tmp_path / f"chosen{number}", {"test_a.py": source}, ids=wanted)
        assert tuple(chosen.results) == wanted


def test_ids_and_files_of_undecodable_bytes_survive(tmp_path: Path):
    conftest = """
import pytest
class Item(pytest.Item):
    def runtest(self): pass
class File(pytest.File):
    def collect(self):
        yield Item.from_parent(self, name="x\\udcffy\\nz")
        yield Item.from_parent(self, name='"quoted" \\\\ name')
def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".yaml":
        return File.from_parent(parent, path=file_path)
"""
    files = {"conftest.py": conftest, "c\udce9.yaml": ""}
    everything = run_suite(tmp_path / "1", files)
    assert everything.collected == (r'"c\351.yaml::x\377y\012z"', r'"c\351.yaml::\"quoted\" \\ name"')
    chosen = run_suite(tmp_path / "2", files, ids=everything.collected[:1])
    assert tuple(chosen.results) == everything.collected[:1]


def test_a_seed_shuffles_the_same_way_again_and_keeps_cases_together(tmp_path: Path):
    source = "import pytest\n" + "\n".join(
        f"@pytest.mark.parametrize('n', [1, 2])\ndef test_{name}(n): open('order', 'a').write('{name} ')\n"
        for name in "abcdefgh"
    )
    orders = []
    for number, seed in enumerate((None, 7, 7, 8)):
        suite = run_suite(tmp_path / str(number), {"test_a.py": source}, perturbation=Perturbation(order_seed=seed))
        assert healthy(suite)
        orders.append((tmp_path / str(number) / "work" / "order").read_text().split())
    natural, first, again, _ = orders
    assert natural == sorted(natural)
    assert first == again
    assert len({tuple(order) for order in orders}) == 3
    assert all(order[place] == order[place + 1] for order in orders for place in range(0, 16, 2))


def test_a_module_with_a_wide_parametrised_fixture_keeps_its_order(tmp_path: Path):
    source = """
import pytest
@pytest.fixture(scope="module", params=["one", "two"])
def wide(request):
    open("order", "a").write(request.param + " ")
def test_a(wide): pass
def test_b(wide): pass
def test_c(wide): pass
"""
    suite = run_suite(tmp_path, {"test_a.py": source}, perturbation=Perturbation(order_seed=5))
    assert healthy(suite)
    assert (tmp_path / "work" / "order").read_text().split() == ["one", "two"]


def test_hash_seed_and_time_zone_reach_the_tests(tmp_path: Path):
    source = (
        "import os, time\ndef test_x():\n    assert os.environ['PYTHONHASHSEED'] == '42'\n"
        "    assert time.tzname[0] == 'EST'\n    assert os.environ['GREETING'] == \"it's\\n$HOME\"\n"
    )
    suite = run_suite(
        tmp_path,
        {"test_a.py": source},
        perturbation=Perturbation(hash_seed=42, time_zone="EST5EDT"),
        env={"GREETING": "it's\n$HOME"},
    )
    assert outcomes(suite) == {"test_x": "passed"}


def test_the_tests_do_not_see_our_environment(tmp_path: Path):
    source = (
        "import os, subprocess, sys\ndef test_x():\n"
        "    assert not [name for name in os.environ if name.startswith('C2T')]\n"
        "    assert 'PYTHONPATH' not in os.environ\n"
        "    assert subprocess.run([sys.executable, '-c', 'import c2t_pytest'], capture_output=True).returncode == 1\n"
    )
    suite = run_suite(tmp_path, {"test_a.py": source})
    assert outcomes(suite) == {"test_x": "passed"}


@pytest.mark.parametrize(
    "options",
    [
        "-x",
        "--maxfail=1",
        "-n 2",
        "-p no:cacheprovider",
        "--lf",
        "--ff --nf",
        "--sw",
        "--pdb",
        "-p no:terminal",
        "--color=yes -rA",
    ],
)
def test_options_of_the_project_cannot_break_the_measuring(tmp_path: Path, options: str):
    files = {
        "pytest.ini": f"[pytest]\naddopts = --strict-markers --strict-config {options}\nfilterwarnings = error",
        "test_a.py": "def test_x(): assert 0\ndef test_y(): assert 0\ndef test_z(): pass",
    }
    suite = run_suite(tmp_path, files, plugins=True)
    assert healthy(suite)
    assert outcomes(suite) == {"test_x": "failed", "test_y": "failed", "test_z": "passed"}


def test_hooks_that_look_at_test_functions_are_not_disturbed(tmp_path: Path):
    conftest = """
import pytest
def pytest_runtest_setup(item):
    item.function.__name__, item.module.__name__, item.cls, item.fixturenames, item.obj, item.path, item.location
    if item.get_closest_marker("slow"): pytest.skip()
def pytest_collection_modifyitems(items):
    for item in items: item.add_marker("all")
    items.sort(key=lambda item: item.function.__code__.co_firstlineno)
"""
    files = {
        "conftest.py": conftest,
        "pytest.ini": "[pytest]\nmarkers = all\n slow\n",
        "test_a.py": "def test_x(): pass",
    }
    suite = run_suite(tmp_path, files, plugins=True)
    assert healthy(suite)
    assert outcomes(suite) == {"test_x": "passed"}


def test_a_hook_that_cannot_bear_a_foreign_item_leaves_the_canaries_undecided(tmp_path: Path):
    conftest = "def pytest_runtest_setup(item): item.callspec.params['x']"
    source = "import pytest\n@pytest.mark.parametrize('x', [1])\ndef test_x(x): pass"
    suite = run_suite(tmp_path, {"conftest.py": conftest, "test_a.py": source})
    assert suite.finished
    assert suite.canaries is None
    assert outcomes(suite) == {"test_x[1]": "passed"}
    assert any("planted test could not run" in note for note in suite.notes)


def test_thousands_of_cases_can_be_wanted(tmp_path: Path):
    source = "import pytest\n@pytest.mark.parametrize('n', range(6000))\ndef test_x(n): pass\n"
    wanted = tuple(f"test_a.py::test_x[{number}]" for number in range(0, 6000, 2))
    suite = run_suite(tmp_path, {"test_a.py": source}, ids=wanted)
    assert healthy(suite)
    assert set(suite.results) == set(wanted)
    assert len(suite.collected) == 6000


@pytest.mark.parametrize(
    "command",
    [
        (sys.executable, "-m", "pytest"),
        ("pytest",),
        ("pytest", "-q", "--", "."),
        (f"{PYTHON_PATH.partition(':')[0]}/py.test",),
        ("env", "A=b", "python", "-W", "error", "-m", "pytest", "-q"),
    ],
)
def test_commands_that_start_pytest_are_taken_as_they_are(tmp_path: Path, command: tuple[str, ...]):
    suite = run_suite(tmp_path, {"test_a.py": "def test_x(): pass"}, command=command)
    assert outcomes(suite) == {"test_x": "passed"}
