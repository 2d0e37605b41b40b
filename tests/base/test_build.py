"""Environments built for real: an installer, an index on the loopback, a sandbox; no network beyond this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

from change2task.api.conditions import ConditionType
from change2task.api.reasons import Reason
from change2task.base import index, infer_go, toolchains
from change2task.base.build import Builder
from change2task.base.environment import PlacedEnvironment, environment_key
from change2task.base.faults import BaseFault, Faulted, IndexRefused
from change2task.base.inferred import InferredSetup
from change2task.base.places import Tools
from change2task.base.project import ProjectFiles
from change2task.base.recipe import Recipe
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.choose import choose
from change2task.runtime.models import Command, Limits
from change2task.runtime.sandbox import Sandbox
from change2task.vcs.repository import Repository
from tests.support.packages import Index, package_index, toy_project
from tests.support.repos import RepoBuilder

URL = "https://example.org/toy"
HERE = toolchains.ask(Path(sys.executable))
INSTALL = "uv pip install -e . dep"
LINKS = ("ln -s /etc etc-link", 'ln -s /etc/passwd "$VIRTUAL_ENV/passwd"', "mkfifo pipe")
Standing = tuple["Place", PlacedEnvironment]


@pytest.fixture
def server() -> Iterator[Index]:
    with package_index() as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        served.add("dep", "2.0", uploaded="2024-06-01")
        served.add("pip", "24.0", uploaded="2024-01-01")
        yield served


@pytest.fixture
def undated() -> Iterator[Index]:
    with package_index(dated=False) as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        served.add("dep", "2.0", uploaded="2024-06-01")
        served.add("pip", "24.0", uploaded="2024-01-01")
        yield served


class Place:
    """A repository with one commit, a cache, and a builder over them."""

    def __init__(self, folder: Path, address: str, *, plain: bool = False, limits: Limits | None = None) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.sandbox: Sandbox = choose(folder / "plain", only="plain" if plain else None).sandbox
        assert HERE is not None
        self.builder = Builder(
            sandbox=self.sandbox,
            cache=self.cache,
            index=index.settings({"HOME": str(folder), "UV_DEFAULT_INDEX": address}, system=folder),
            environ={"PATH": "/usr/local/go/bin:/usr/bin:/bin"},
            limits=limits or Limits(seconds=60, disk_bytes=64 << 20),
            interpreters=lambda: () if HERE is None else (HERE,),
        )
        self.cancel = threading.Event()

    def build(self, *setup: str, files: dict[str, str] | None = None, **changes: object) -> PlacedEnvironment:
        repo = RepoBuilder(self.folder / f"repo-{len(list(self.folder.iterdir()))}")
        repo.commit(toy_project() if files is None else files)
        recipe = Recipe.model_validate(
            {
                "toolchain": "python",
                "setup": setup,
                "as_of": date(2024, 3, 1),
                "command": ("python", "-m", "pytest"),
                "format": "pytest",
                "inferred": False,
                **changes,
            }
        )
        with Repository.open(repo.path) as repository:
            return self.builder.build(repository, URL, repo.tree(), recipe)

    def fault(self, *setup: str, **changes: object) -> BaseFault:
        with pytest.raises(Faulted) as caught:
            self.build(*setup, **changes)  # type: ignore[arg-type]
        assert caught.value.fault.condition is ConditionType.BUILT
        return caught.value.fault

    def environments(self) -> list[str]:
        return [path.name for path in (self.cache / "environments").iterdir() if not path.name.endswith(".lock")]

    def run(self, placed: PlacedEnvironment, script: str, work: Path) -> str:
        """What a line for sh prints in a state with the leftovers laid into ``work``, which is made."""
        inside = placed.runtime()
        layout = self.sandbox.layout
        work.mkdir(exist_ok=True)
        inside.lay_leftovers(work)
        mount = {"source": work, "target": layout.work, "writable": True}
        log = self.folder / "log"
        outcome = self.sandbox.run(
            Command.model_validate(
                {
                    "argv": ("sh", "-c", script),
                    "env": inside.command_env(layout),
                    "cwd": layout.work,
                    "mounts": (*inside.mounts(layout), mount),
                    "limits": Limits(seconds=30),
                    "log": log,
                }
            )
        )
        return f"{log.read_text()}{'' if outcome.succeeded else outcome}".strip()


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """One environment that tests only look at, with its place."""
    with package_index() as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        served.add("dep", "2.0", uploaded="2024-06-01")
        place = Place(tmp_path_factory.mktemp("standing"), served.url)
        yield place, place.build(INSTALL, "mkdir locked; echo x > locked/f; chmod 000 locked/f locked", *LINKS)


@pytest.fixture
def place(tmp_path: Path, server: Index) -> Place:
    return Place(tmp_path, server.url)


def test_packages_are_those_of_the_date_and_the_project_is_installed_editable(
    standing: Standing, tmp_path: Path
) -> None:
    place, placed = standing
    assert placed.environment.dated
    said = "packages published before 2024-03-03T00:00:00Z, the end of the day after 2024-03-01"
    assert placed.environment.dated_detail == said
    work = tmp_path / "state"
    (work / "src/toy").mkdir(parents=True)
    (work / "src/toy/__init__.py").write_text("WHERE = 'the state'\n")
    said = place.run(placed, "python -c 'import dep, toy; print(dep.VERSION, toy.WHERE)'", work)
    assert said == "1.0 the state"


def test_modules_that_checks_find_outside_of_the_project_are_known(standing: Standing) -> None:
    modules = standing[1].modules()
    assert {"dep", "json", "unittest"} <= modules
    assert not {"toy", "tests", "dep-1"} & modules


def test_what_setup_left_in_the_work_folder_is_laid_into_every_state_and_tracked_files_are_not(
    standing: Standing, tmp_path: Path
) -> None:
    place, placed = standing
    assert placed.environment.leftovers == ("etc-link", "locked/f", "toy.egg-info/PKG-INFO")
    place.run(placed, "true", tmp_path / "state")
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["etc-link", "locked", "toy.egg-info"]


def test_tracked_files_are_there_while_setup_runs(place: Place) -> None:
    place.build("grep -q value_number_3 src/toy/__init__.py")


def test_a_state_cannot_write_into_the_environment(standing: Standing, tmp_path: Path) -> None:
    place, placed = standing
    assert "Read-only file system" in place.run(placed, 'touch "$VIRTUAL_ENV/x"', tmp_path / "state")
    assert not any(mount.writable for mount in placed.runtime().mounts(place.sandbox.layout))


def test_installed_packages_are_compiled_to_bytecode_once(standing: Standing) -> None:
    assert list(standing[1].content.rglob("site-packages/__pycache__/dep.*.pyc"))


def test_an_environment_is_built_once_for_a_key(place: Place) -> None:
    first = place.build(INSTALL)
    born = (first.folder / "environment.json").stat().st_mtime_ns
    second = place.build(INSTALL)
    assert (second.folder / "environment.json").stat().st_mtime_ns == born
    assert place.environments() == [first.environment.key]


def test_another_date_tree_interpreter_or_step_is_another_environment(place: Place) -> None:
    recipe = Recipe(toolchain="none", setup=("true",), as_of=date(2024, 3, 1), command=("pytest",), format="pytest",
                    inferred=False)  # fmt: skip
    tools, python = Tools(), Tools(interpreter=HERE)
    keys = {
        environment_key("tree", recipe, tools, place.sandbox),
        environment_key("another", recipe, tools, place.sandbox),
        environment_key("tree", recipe.replacing(as_of=date(2024, 3, 2)), tools, place.sandbox),
        environment_key("tree", recipe.replacing(setup=("false",)), tools, place.sandbox),
        environment_key("tree", recipe, python, place.sandbox),
    }
    assert len(keys) == 5
    assert environment_key("tree", recipe.replacing(command=("x",)), tools, place.sandbox) in keys


def test_a_killed_build_leaves_nothing_that_looks_whole_and_is_cleared_away(place: Place) -> None:
    key = place.build(INSTALL).environment.key
    home = place.cache / "environments"
    shutil.move(home / key, home / f".building-{key}-99999")
    (home / f".building-{key}-99999/environment.json").unlink()
    assert place.build(INSTALL).environment.key == key
    assert place.environments() == [key]


def test_two_builders_of_one_key_share_one_build(place: Place) -> None:
    found: list[PlacedEnvironment] = []
    repo = RepoBuilder(place.folder / "shared")
    repo.commit(toy_project())
    recipe = Recipe(toolchain="python", setup=(INSTALL,), as_of=date(2024, 3, 1), command=("pytest",), format="pytest",
                    inferred=False)  # fmt: skip

    def build() -> None:
        with Repository.open(repo.path) as repository:
            found.append(place.builder.build(repository, URL, repo.tree(), recipe))

    threads = [threading.Thread(target=build) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] == found[1]
    assert len(place.environments()) == 1


def test_bases_share_packages_on_disk(place: Place, server: Index) -> None:
    server.add("big", "1.0", uploaded="2024-01-01", files={"big.py": "x = '" + "y" * 200_000 + "'\n"})
    one = place.build("uv pip install -e . big")
    two = place.build("uv pip install -e . big", "true")
    files = [next(placed.content.rglob("site-packages/big.py")) for placed in (one, two)]
    assert files[0].samefile(files[1])
    assert one.environment.bytes > 200_000


def test_the_lock_pins_with_hashes_and_names_no_index(standing: Standing) -> None:
    lock = standing[1].environment.lock
    assert lock is not None
    assert lock.startswith("dep==1.0 \\\n    --hash=sha256:")
    assert "127.0.0.1" not in lock
    assert "toy" not in lock


def test_a_given_lock_holds_packages_whatever_the_date(place: Place) -> None:
    lock = place.build(INSTALL).environment.lock
    later = place.build(INSTALL, as_of=date(2025, 1, 1), lock=lock).environment
    assert later.lock == lock
    assert later.dated_detail == "every package installed is held by the lock"


def test_a_package_that_is_not_what_the_lock_says_is_refused(place: Place) -> None:
    found = place.fault(INSTALL, lock=f"dep==1.0 --hash=sha256:{'0' * 64}\n")
    assert found.reason is Reason.SETUP_FAILED
    assert "Hash mismatch" in found.message


def test_an_index_without_upload_dates_is_recognised_and_said(tmp_path: Path, undated: Index) -> None:
    environment = Place(tmp_path, undated.url).build(INSTALL).environment
    assert not environment.dated
    assert "keeps no upload dates" in environment.dated_detail
    assert environment.lock is not None
    assert environment.lock.startswith("dep==2.0")


def test_a_lock_makes_a_base_dated_even_so(tmp_path: Path, undated: Index) -> None:
    place = Place(tmp_path, undated.url)
    environment = place.build(INSTALL, lock="dep==1.0\n").environment
    assert environment.dated
    assert environment.lock is not None
    assert environment.lock.startswith("dep==1.0")


def test_what_a_lock_does_not_hold_is_named_on_an_index_without_dates(tmp_path: Path, undated: Index) -> None:
    undated.add("extra", "1.0", uploaded="2024-01-01")
    environment = Place(tmp_path, undated.url).build(INSTALL + " extra", lock="dep==1.0\n").environment
    assert not environment.dated
    assert "does not hold extra" in environment.dated_detail


def test_an_index_that_cannot_be_reached_is_the_machines_fault(tmp_path: Path) -> None:
    place = Place(tmp_path, "http://127.0.0.1:9/simple")
    with pytest.raises(InfrastructureFault, match="index cannot be reached"):
        place.build("UV_HTTP_RETRIES=0 " + INSTALL)
    assert place.environments() == []


def test_an_index_that_does_not_let_us_in_is_nobodys_verdict_and_its_password_is_not_told(tmp_path: Path) -> None:
    with package_index(user="robot:hunter2") as served:
        place = Place(tmp_path, served.url.replace("hunter2", "another"))
        with pytest.raises(IndexRefused, match="does not let us in") as told:
            place.build(INSTALL)
    assert "401 Unauthorized" in str(told.value)
    assert "another" not in str(told.value)
    assert place.environments() == []


def test_credentials_reach_the_index_and_nothing_that_is_kept(tmp_path: Path) -> None:
    with package_index(user="robot:hunter2") as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        place = Place(tmp_path, served.url)
        placed = place.build("env; echo $UV_DEFAULT_INDEX; " + INSTALL)
    kept = [path for path in placed.folder.rglob("*") if path.is_file()]
    assert any(b"***" in path.read_bytes() for path in kept)
    assert not [path for path in kept if b"hunter2" in path.read_bytes()]


def test_pip_in_a_step_is_there_and_one_that_knows_no_dates_is_said(place: Place, server: Index) -> None:
    server.add_installed("pip", uploaded="2030-01-01")
    server.add("setuptools", "60.0", uploaded="2024-01-01")
    server.add("wheel", "0.40", uploaded="2024-01-01")
    environment = place.build("python -m pip install dep").environment
    known = Version(version("pip")) >= Version("26")
    assert environment.dated is known
    assert ("which knows no dates" in environment.dated_detail) is not known


def test_a_failing_step_is_the_bases_fault_with_step_code_and_last_lines(place: Place) -> None:
    found = place.fault(INSTALL, "echo so far; echo this went wrong >&2; exit 3")
    assert found.reason is Reason.SETUP_FAILED
    assert "ended with exit code 3" in found.message
    assert "this went wrong" in found.message
    assert place.environments() == []


def test_a_package_nobody_has_is_the_bases_fault(place: Place) -> None:
    found = place.fault("uv pip install nobody-has-this")
    assert found.reason is Reason.SETUP_FAILED
    assert "nobody-has-this" in found.message


def test_an_inferred_recipe_falls_back_to_a_poorer_setup_and_says_why(place: Place) -> None:
    poorer = InferredSetup(setup=(INSTALL,), note="without nobody-has-this")
    environment = place.build("uv pip install nobody-has-this", fallbacks=(poorer,), inferred=True).environment
    assert environment.recipe.setup == (INSTALL,)
    assert environment.recipe.evidence[-1].startswith("without nobody-has-this, because the richer setup failed: ")


def test_a_step_that_hangs_is_stopped_at_its_limit(tmp_path: Path, server: Index) -> None:
    found = Place(tmp_path, server.url, limits=Limits(seconds=1)).fault("sleep 60")
    assert found.reason is Reason.SETUP_STOPPED
    assert "'sleep 60' was stopped: it ran longer than 1 s" in found.message


def test_a_step_that_fills_the_disk_is_stopped(tmp_path: Path, server: Index) -> None:
    found = Place(tmp_path, server.url, limits=Limits(seconds=60, disk_bytes=20 << 20)).fault(
        "while :; do head -c 4000000 /dev/zero >> filler-$$; cp filler-$$ x$(date +%N); done"
    )
    assert found.reason is Reason.SETUP_STOPPED
    assert "filled its folders with more than 20 MiB" in found.message


def test_a_step_that_asks_for_input_gets_none(place: Place) -> None:
    found = place.fault("echo 'Continue? [y/n]'; read answer || exit 9")
    assert found.reason is Reason.SETUP_FAILED
    assert "Continue? [y/n]" in found.message


def test_a_cancelled_build_ends_and_leaves_nothing(place: Place) -> None:
    place.builder = Builder(**{**vars(place.builder), "cancel": place.cancel})
    threading.Timer(1.0, place.cancel.set).start()
    with pytest.raises(Cancelled):
        place.build("sleep 60")
    assert place.environments() == []


@pytest.mark.parametrize(
    ("setup", "where"),
    [
        ("uv pip install .", "site-packages/toy/__init__.py in the environment"),
        ("uv pip install -e . && mkdir dist && python -c 'import backend; backend.build_wheel(\"dist\")'",
         "dist/toy-1.0-py3-none-any.whl!toy/__init__.py in the work folder"),
        ("uv pip install -e . && cp -r src build", "build/toy/__init__.py in the work folder"),
        ("uv pip install -e . && touch src/toy/_fast.so", "src/toy/_fast.so in the work folder"),
    ],
)  # fmt: skip
def test_copies_of_the_projects_code_are_refused_with_their_path_and_the_way_out(
    place: Place, setup: str, where: str
) -> None:
    found = place.fault(setup)
    assert found.reason is Reason.PROJECT_IN_ENVIRONMENT
    assert where in found.message
    assert "spec.environment.rebuild" in found.message


def test_nothing_of_this_machine_is_seen_or_written_by_setup(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    place.build(f"! test -e {secret}", "! touch /usr/x 2>/dev/null", 'test -z "$SSH_AUTH_SOCK"')


def test_links_that_setup_leaves_are_never_followed(standing: Standing) -> None:
    assert (standing[1].folder / "leftovers/etc-link").is_symlink()
    assert (standing[1].content / "passwd").is_symlink()


def test_folders_without_rights_do_not_stop_a_build(standing: Standing) -> None:
    assert (standing[1].folder / "leftovers/locked/f").read_text() == "x\n"


def test_without_mounts_an_environment_is_built_where_it_will_be_used(tmp_path: Path, server: Index) -> None:
    place = Place(tmp_path, server.url, plain=True)
    placed = place.build(INSTALL)
    assert str(placed.content) == place.sandbox.layout.env
    found = subprocess.run(
        [placed.content / "bin/python", "-c", "import dep; print(dep.VERSION)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "1.0"
    assert place.build(INSTALL) == placed


def test_without_mounts_another_recipe_takes_the_place_over(tmp_path: Path, server: Index) -> None:
    place = Place(tmp_path, server.url, plain=True)
    place.build(INSTALL)
    place.build(INSTALL, as_of=date(2025, 1, 1))
    again = place.build(INSTALL)
    dep = next(again.content.rglob("site-packages/dep.py"))
    assert "1.0" in dep.read_text()


needs_go = pytest.mark.skipif(shutil.which("go", path="/usr/local/go/bin:/usr/bin:/bin") is None, reason="no Go here")


@needs_go
def test_a_go_module_gets_a_build_cache_that_holds_nothing_of_its_own(place: Place, tmp_path: Path) -> None:
    source = 'package toy\n\nimport "errors"\n\nvar ErrToy = errors.New("a toy that is broken")\n'
    files = {"go.mod": "module example.org/toy\n\ngo 1.20\n", "toy.go": source}
    recipe = infer_go.infer(ProjectFiles.of(files))
    assert recipe is not None
    placed = place.build(*recipe.setup, files=files, toolchain="go", env=recipe.env, rebuild=recipe.rebuild)
    work = tmp_path / "state"
    work.mkdir()
    for name, text in files.items():
        (work / name).write_text(text)
    script = f"{recipe.rebuild[0]} && find $GOCACHE -type f | wc -l && go env GOPROXY GOTOOLCHAIN && go build ./..."
    count, *settings = place.run(placed, script, work).split()
    assert settings == ["off", "local"]
    assert int(count) > 10
    assert not any(b"example.org/toy" in path.read_bytes() for path in placed.content.rglob("*") if path.is_file())


@needs_go
def test_a_go_module_that_imports_nothing_is_not_built_itself(place: Place) -> None:
    files = {"go.mod": "module example.org/toy\n\ngo 1.20\n", "toy.go": "package toy\n\nfunc One() int { return 1 }\n"}
    recipe = infer_go.infer(ProjectFiles.of(files))
    assert recipe is not None
    placed = place.build(*recipe.setup, files=files, toolchain="go", env=recipe.env)
    assert [path for path in placed.content.rglob("*") if path.is_file()] == []
