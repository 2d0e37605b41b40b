"""What the machine does wrong leaves no verdict: exit code 3, one message with the way out, nothing stored is lost."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.commands import PROGRAM, at_once
from tests.support.packages import Index, package_index
from tests.support.passes import needs_bwrap
from tests.support.repos import RepoBuilder
from tests.support.world import PYTEST, World, base, candidate, documents


def contents(store: Path) -> dict[str, bytes]:
    """Every resource and all evidence."""
    folders = ("bases", "candidates", "variants", "evidence")
    return {f"{folder}/{path.name}": path.read_bytes() for folder in folders for path in (store / folder).iterdir()}


def test_a_store_of_a_newer_version_is_left_alone(world: World, store: Path) -> None:
    (store / "store.yaml").write_text("formatVersion: 99\n")
    before = contents(store)
    for words in (("run", world.manifest), ("explain", "fix"), ("show", "fix"), ("grade", "fix", "--patch", "-")):
        ended = at_once(*words, "--store", store)
        assert (ended.code, ended.out) == (3, "")
        assert f"store {store} has format 99, this version knows up to 1; upgrade change2task" in ended.err
    assert contents(store) == before
    assert (store / "store.yaml").read_text() == "formatVersion: 99\n"


def test_a_folder_of_other_things_is_not_made_a_store(world: World, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters/one.txt").write_text("mine")
    ended = at_once("run", world.manifest, "--store", tmp_path / "letters")
    assert ended.code == 2
    assert "is not a store: it holds other files; name a new or empty folder with --store" in ended.err


def test_two_runs_on_one_store_exclude_each_other(world: World, store: Path) -> None:
    with holding(store) as pid:
        for command in ("run", "lock"):
            ended = at_once(command, world.manifest, *world.mirror, "--store", store)
            assert (ended.code, ended.out) == (3, "")
            assert f"store {store} is in use by process {pid} on " in ended.err
            assert "wait for it to end, or use another --store" in ended.err
        assert at_once("explain", "fix", "--store", store).code == 0, "reading is always possible"


@contextlib.contextmanager
def holding(store: Path) -> Iterator[int]:
    """Another process that works on the store."""
    script = (
        "import sys; from pathlib import Path; from change2task.corpus.store import Store\n"
        "with Store.open(Path(sys.argv[1]), create=False).exclusive():\n    print('held', flush=True); sys.stdin.read()"
    )
    python = PROGRAM.with_name("python")
    with subprocess.Popen([python, "-c", script, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        try:
            yield other.pid
        finally:
            other.kill()


@needs_bwrap
def test_a_store_on_a_read_only_disk_is_read_but_not_run_on(world: World, store: Path) -> None:
    inside = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", store, store, "--"]

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        line = [*inside, PROGRAM, *words, "--store", store]
        return subprocess.run(line, env=world.env, cwd=world.folder, capture_output=True, text=True, check=False)

    before = contents(store)
    ended = run("run", world.manifest, *world.mirror)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.startswith(f"error: cannot write {store}/")
    assert "Read-only file system; everything stored before is intact" in ended.stderr
    assert run("explain", "fix").returncode == 0
    assert run("show", "fix").returncode == 0
    (store.parent / "answer").write_text(run("show", "fix", "--part", "G").stdout)
    for words in (("grade", "fix", "--patch", store.parent / "answer"), ("replay", "fix")):
        done = run(*words, *world.mirror)
        assert done.returncode == 0, done
        assert ("solved\n" if words[0] == "grade" else "replay 1: same") in done.stdout
        assert " setup " not in done.stderr, "the environment that stands is used where it is"
    assert contents(store) == before


@pytest.mark.parametrize(
    "step",
    ["head -c 8000000 /dev/zero > large", "python -c \"open('large', 'wb').write(bytes(8000000))\""],
    ids=["signal", "error"],
)
def test_a_machines_own_limit_on_files_is_no_fault_of_a_setup_step(world: World, tmp_path: Path, step: str) -> None:
    manifest = documents(base(environment={"setup": [step]}), candidate("docs", world.change("docs")))
    (tmp_path / "manifest.yaml").write_text(manifest)
    line = [PROGRAM, "run", tmp_path / "manifest.yaml", *world.mirror, "--store", tmp_path / "store"]
    limited = ["bash", "-c", 'ulimit -f 4000; exec "$@"', "bash", *line]
    ended = subprocess.run(limited, env=world.env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 3, ended
    assert "lets no file grow beyond 4000 KiB (ulimit -f)" in ended.stderr
    assert "SetupFailed" not in ended.stderr + ended.stdout


@needs_bwrap
@pytest.mark.parametrize("left", [0, 8, 16, 48, 128], ids=lambda left: f"{left} KiB left")
def test_a_full_disk_ends_the_run_and_loses_nothing(world: World, tmp_path: Path, left: int) -> None:
    """The store lies on a file system of its own with so much room left; what it holds afterwards is copied out."""
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    manifest = tmp_path / "more.yaml"
    names = ("docs", "tests-only", "empty", "binary")
    manifest.write_text(documents(base(), *(candidate(f"again-{name}", world.change(name)) for name in names)))
    fill = f"head -c 200M /dev/zero >{disk}/filler 2>/dev/null; truncate -s -{left}K {disk}/filler"
    script = (
        f"mkdir {disk}/store && cp -a {world.store}/. {disk}/store && rm -rf {disk}/store/cache/uv && {fill};"
        f' "$@"; code=$?; cp -a {disk}/store {out}; exit $code'
    )
    words = [PROGRAM, "run", manifest, *world.mirror, "--store", disk / "store"]
    space = ["bwrap", "--dev-bind", "/", "/", "--size", str(96 << 20), "--tmpfs", disk, "--"]
    line = [*space, "sh", "-c", script, "sh", *words]
    ended = subprocess.run(line, env=world.env, cwd=world.folder, capture_output=True, text=True, check=False)
    assert ended.returncode in ({3} if left < 48 else {0, 3}), ended
    assert "Traceback" not in ended.stderr
    if ended.returncode == 3:
        assert "No space left on device" in ended.stderr
        assert len([line for line in ended.stderr.splitlines() if line.startswith("error: ")]) == 1, ended.stderr
    before, after = contents(world.store), contents(out)
    assert {name: after[name] for name in before} == before
    for name in after.keys() - before.keys():
        folder, _, file = name.partition("/")
        if folder == "evidence":
            assert hashlib.sha256(after[name]).hexdigest() == file
        else:
            assert yaml.safe_load(after[name])["status"]["accepted"] is False


def test_a_missing_interpreter_is_told_and_the_other_bases_go_on(world: World, store: Path) -> None:
    odd = base("odd", environment={"image": "python:3.99", "setup": []})
    text = documents(
        base(),
        odd,
        candidate("docs", world.change("docs")),
        *(candidate(name, world.change("docs"), of="odd") for name in ("here", "there")),
    )
    words = ("run", "-", *world.mirror, "--store", store, "-o", "json")
    ended = world.run(*words, stdin=text.encode(), code=3)
    assert (
        "error: the machine failed, these have no verdict:\n  base odd: spec.environment.image asks for Python 3.99"
        in ended.err
    )
    assert "  candidates here, there: its base odd was not prepared" in ended.err
    rows = {row["name"]: (row["accepted"], row["reason"]) for row in json.loads(ended.out)["candidates"]}
    assert rows == {
        "docs": (False, "NoSourceChange"),
        "here": (None, "InfrastructureFault"),
        "there": (None, "InfrastructureFault"),
    }
    assert not (store / "bases/odd.yaml").exists()
    assert not (store / "candidates/here.yaml").exists()


def test_an_index_that_cannot_be_reached_is_the_machines_fault(world: World, store: Path) -> None:
    other = base(environment={**base()["spec"]["environment"], "setup": ["uv pip install -q pytest iniconfig"]})
    env = {**world.env, "UV_DEFAULT_INDEX": "http://127.0.0.1:1/simple"}
    before = contents(store)
    words = ("run", "-", *world.mirror, "--store", store)
    ended = world.run(*words, stdin=documents(other).encode(), env=env, code=3)
    assert "base toolbox: the package index cannot be reached, so nothing is known of this base" in ended.err
    assert contents(store) == before


def test_without_git_nothing_is_concluded(world: World, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "sh"):
        (programs / name).symlink_to(str(shutil.which(name)))
    words = ("run", world.manifest, *world.mirror, "--store", tmp_path / "store")
    ended = world.run(*words, env={**world.env, "PATH": str(programs)}, code=3)
    assert "base toolbox: git is not installed, or not on the PATH" in ended.err


def test_without_bubblewrap_one_sentence_says_what_is_not_isolated_and_which_recipes_are_refused(
    world: World, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "sh", "git"):
        (programs / name).symlink_to(str(shutil.which(name)))
    RepoBuilder(tmp_path / "empty")
    words = ("run", "-", "--mirror", f"{world.url}={tmp_path / 'empty'}", "--store", tmp_path / "store")
    ended = world.run(*words, stdin=documents(base()).encode(), env={**world.env, "PATH": str(programs)})
    [note] = [line for line in ended.err.splitlines() if line.startswith("note: ")]
    assert "bwrap is not installed" in note
    assert "Without it: files: " in note
    assert (
        "Refused here: recipes with systemPackages, or with an image other than python:X.Y;"
        " recipes that name paths below /c2t." in note
    )
    assert "EmptyRepository" in ended.out


def test_an_address_that_nothing_answers_is_no_word_about_base_or_change(world: World, tmp_path: Path) -> None:
    store = tmp_path / "store"
    text = documents(
        base(repository={"url": "https://127.0.0.1:1/no/such.git"}),
        candidate("fix", world.change("fix")),
    )
    ended = world.run("run", "-", "--store", store, "-o", "json", stdin=text.encode(), code=3)
    assert "base toolbox: https://127.0.0.1:1/no/such.git could not be fetched" in ended.err
    assert "give --mirror https://127.0.0.1:1/no/such.git=PATH" in ended.err
    [row] = json.loads(ended.out)["candidates"]
    assert (row["accepted"], row["reason"]) == (None, "InfrastructureFault")
    assert not list((store / "bases").iterdir())
    assert not list((store / "candidates").iterdir())
    world.run(
        "run",
        "-",
        "--mirror",
        f"https://127.0.0.1:1/no/such.git={world.folder}/toolbox",
        "--store",
        store,
        stdin=text.encode(),
    )
    assert world.stored("candidates", "fix", store)["status"]["accepted"] is True


def test_a_ready_base_that_cannot_be_made_again_is_kept_with_all_that_rests_on_it(world: World, store: Path) -> None:
    shutil.rmtree(store / "cache/mirrors")
    before = contents(store)
    ended = world.run("run", world.manifest, "--mirror", f"{world.url}={world.folder}/..", "--store", store, code=3)
    assert f"base toolbox: --mirror {world.url}=" in ended.err
    assert "is not a git repository that can be read" in ended.err
    assert contents(store) == before


@pytest.fixture
def later(store: Path) -> Iterator[tuple[Index, dict[str, str]]]:
    """An index of another day, with what makes programs use it; of the store all that can be made again is gone."""
    for folder in ("environments", "inventories", "uv", "journal"):
        shutil.rmtree(store / "cache" / folder, ignore_errors=True)
    with package_index(dated=False) as served:
        for name in PYTEST:
            served.add_installed(name, uploaded="2020-01-01")
        yield served, {"UV_DEFAULT_INDEX": served.url}


def test_an_environment_that_was_thrown_away_comes_back_as_it_was_whatever_was_published_since(
    world: World, store: Path, later: tuple[Index, dict[str, str]]
) -> None:
    served, address = later
    served.add("iniconfig", "99.0", uploaded="2024-01-01", files={"iniconfig.py": "raise ImportError('too new')\n"})
    before = contents(store)
    world.run("run", world.manifest, *world.mirror, "--store", store, env={**world.env, **address})
    assert contents(store) == before
    answer = world.run("show", "fix", "--part", "G", "--store", store).out.encode()
    graded = world.run("grade", "fix", "--patch", "-", *world.mirror, "--store", store, stdin=answer)
    assert ": solved" in graded.out


def test_an_environment_that_cannot_come_back_as_it_was_rejects_no_task(
    world: World, store: Path, later: tuple[Index, dict[str, str]]
) -> None:
    served, address = later
    served.wheels = {name: held for name, held in served.wheels.items() if not name.startswith("iniconfig-")}
    served.add("iniconfig", "99.0", uploaded="2024-01-01", files={"iniconfig.py": "raise ImportError('too new')\n"})
    before = contents(store)
    ended = world.run("run", world.manifest, *world.mirror, "--store", store, env={**world.env, **address}, code=3)
    assert "base toolbox: it was ready in an earlier run and cannot be made again (SetupFailed)" in ended.err
    assert "the lock that is stored with the base" in ended.err
    assert contents(store) == before


@pytest.mark.parametrize(("stages", "code"), [({}, 3), ({"base": "base/0", "environment": "environment/0"}, 0)])
def test_a_base_is_made_anew_only_by_another_version_of_what_made_it(
    world: World, store: Path, stages: dict[str, str], code: int
) -> None:
    path = store / "bases/toolbox.yaml"
    stored = yaml.safe_load(path.read_text())
    made = dict(stored["status"]["stages"])
    stored["status"]["stages"], stored["status"]["environment"]["key"] = stages, "0" * 64
    stored["status"]["baseKey"] = "0" * 64
    path.write_text(yaml.safe_dump(stored))
    ended = world.run("run", world.manifest, *world.mirror, "--store", store, code=code)
    assert ("cannot be made again as it was" in ended.err) is (code == 3)
    assert world.stored("bases", "toolbox", store)["status"]["stages"] == (stages if code else made)


def test_a_ready_base_that_gives_way_to_another_of_its_name_is_told(world: World, store: Path) -> None:
    other = base(checks={"timeoutSeconds": 61, "testTimeoutSeconds": 10})
    ended = world.run("run", "-", *world.mirror, "--store", store, stdin=documents(other).encode())
    assert "base.replaced" in ended.err
    assert "graded and replayed on it still" in ended.err


def test_a_task_of_a_base_that_gave_way_is_still_graded_and_its_base_goes_with_it(world: World, store: Path) -> None:
    key = world.stored("bases", "toolbox", store)["status"]["baseKey"]
    other = base(checks={"timeoutSeconds": 61, "testTimeoutSeconds": 10})
    words = ("run", "-", *world.mirror, "--store", store)
    world.run(*words, stdin=documents(other).encode())
    assert world.stored("bases", "toolbox", store)["status"]["baseKey"] != key
    assert [path.stem for path in (store / "earlier").iterdir()] == [key]
    shutil.rmtree(store / "cache/environments")
    answer = at_once("show", "fix", "--part", "G", "--store", store).out.encode()
    graded = world.run("grade", "fix", "--patch", "-", *world.mirror, "--store", store, stdin=answer)
    assert "solved\n" in graded.out
    assert "not solved" not in graded.out
    again = [candidate(name, world.change(name)) for name in ("fix", "migration", "security", "range")]
    feature, tests = (
        candidate("feature", {"pullRequest": 7}),
        candidate("tests", world.change("fix"), family="TestGeneration"),
    )
    world.run(*words, stdin=documents(other, *again, feature, tests).encode())
    assert list((store / "earlier").iterdir()) == []


def test_a_base_that_fails_under_another_spec_does_not_replace_the_one_that_is_ready(world: World, store: Path) -> None:
    before = contents(store)
    other = base(environment={**base()["spec"]["environment"], "setup": ["false"]})
    text = documents(other, candidate("fix", world.change("fix")), candidate("new", world.change("docs")))
    words = ("run", "-", *world.mirror, "--store", store, "-o", "json")
    ended = world.run(*words, stdin=text.encode())
    rows = {row["name"]: row["reason"] for row in json.loads(ended.out)["candidates"]}
    assert rows == {"fix": "BaseNotReady", "new": "BaseNotReady"}
    assert "not_replaced" in ended.err
    after = contents(store)
    assert after.pop("candidates/new.yaml")
    assert after == before


def test_damage_is_told_with_the_file_and_the_way_out(world: World, store: Path) -> None:
    path = store / "candidates/fix.yaml"
    path.write_text(path.read_text().replace("accepted: true", "accepted: perhaps"))
    for words in (("explain", "fix"), ("run", world.manifest, *world.mirror)):
        ended = (
            at_once(*words, "--store", store) if words[0] == "explain" else world.run(*words, "--store", store, code=3)
        )
        assert ended.code == 3
        assert f"{path} is damaged" in ended.err
        assert "restore it from version control, or delete it and run again" in ended.err


def test_an_error_that_nobody_foresaw_is_owned_and_its_details_are_kept(world: World, store: Path) -> None:
    path = store / "candidates/fix.yaml"
    stored = yaml.safe_load(path.read_text())
    odd = json.dumps({"gates": "none"}).encode()
    digest = hashlib.sha256(odd).hexdigest()
    (store / "evidence" / digest).write_bytes(odd)
    stored["status"]["evidence"]["alignment"] = digest
    path.write_text(yaml.safe_dump(stored))
    ended = at_once("explain", "fix", "--store", store)
    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith("error: this is a defect of change2task, not of your input: KeyError: 'tests'")
    log = Path(ended.err.partition("report it with ")[2].partition(". Everything")[0])
    assert "Traceback (most recent call last)" in log.read_text()
    log.unlink()


def test_an_answer_that_nobody_reads_is_no_fault(world: World) -> None:
    line = f"{PROGRAM} show fix --store {world.store} | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"], env=world.env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_answer_that_cannot_be_written_is_one(world: World) -> None:
    with Path("/dev/full").open("w") as full:
        words = [PROGRAM, "schema"]
        done = subprocess.run(words, env=world.env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: No space left on device")


def test_what_a_terminal_cannot_show_is_escaped(world: World) -> None:
    env = {**world.env, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    ended = world.run("explain", "migration", "--store", world.store, env=env)
    assert r"it says \u201cmigrate\u201d" in ended.out
    assert os.linesep in ended.out
