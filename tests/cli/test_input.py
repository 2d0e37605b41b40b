"""A fault of the input is told before anything runs: where it stands, what was written, the way out; exit code 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import Ended, at_once
from tests.support.repos import RepoBuilder
from tests.support.world import URL, base, candidate, documents


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "repo")
    made.commit({"README.md": "# Here\n"})
    return made


def validate(folder: Path, text: str | bytes, *words: str) -> Ended:
    manifest = folder / "manifest.yaml"
    manifest.write_bytes(text.encode() if isinstance(text, str) else text)
    return at_once("validate", manifest, *words)


def refused(ended: Ended) -> str:
    """The one message of a refusal."""
    assert ended.code == 2, ended
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    return ended.err


SOUND = documents(base(), candidate("one", {"commit": "abc1234"}))


def with_spec(kind: str, path: str, value: Any) -> str:
    """The sound manifest with one field set to something else; None takes it away."""
    resources = list(yaml.safe_load_all(SOUND))
    [resource] = [one for one in resources if one["kind"] == kind]
    *above, last = path.split(".")
    for step in above:
        resource = resource.setdefault(step, {})
    if value is None:
        del resource[last]
    else:
        resource[last] = value
    return documents(*resources)


def test_sound_manifests_are_counted(tmp_path: Path) -> None:
    ended = validate(tmp_path, SOUND)
    assert (ended.code, ended.out) == (0, "1 base and 1 candidate are sound\n")


@pytest.mark.parametrize(
    ("kind", "path", "value", "field", "told", "way"),
    [
        ("TaskCandidate", "spec.family", "Bugfix", "spec.family", "'Bugfix'", "BugFix"),
        ("TaskCandidate", "spec.baseRef.name", "tolbox", "spec.baseRef.name", "'tolbox'", "did you mean toolbox?"),
        ("TaskCandidate", "spec.change", {"commit": "a1b2", "pullRequest": 3}, "spec.change", "", "exactly one of"),
        ("TaskCandidate", "spec.change.commit", ["abc"], "spec.change.commit", "", "string"),
        ("TaskCandidate", "spec.validation.taskRepeats", "three", "taskRepeats", "'three'", "integer"),
        ("TaskCandidate", "spec.validation.taskRepeats", 0, "taskRepeats", "0", "1"),
        ("TaskCandidate", "spec.change", None, "spec.change", "", "missing"),
        ("ModernBase", "spec.repository.url", "toolbox", "spec.repository.url", "'toolbox'", ""),
        ("ModernBase", "spec.repositry", {}, "spec.repositry", "", "did you mean repository?"),
        ("ModernBase", "spec.checks.format", "trial", "spec.checks.format", "'trial'", "go, jest"),
        ("ModernBase", "spec.checks.format", "script", "spec.checks.format", "'script'", "go, jest"),
        ("ModernBase", "spec.environment.setup", "pip install .", "spec.environment.setup", "pip install .", "list"),
        ("ModernBase", "spec.environment.setupTimeoutSeconds", 0, "setupTimeoutSeconds", "0", "1"),
        (
            "ModernBase",
            "spec.checks",
            {"format": "go", "command": ["make"]},
            "spec.checks.command",
            "make",
            "[go, test",
        ),
        ("ModernBase", "spec.checks.command", ["tox"], "spec.checks.command", "tox", "[python, -m, pytest]"),
        ("ModernBase", "spec.environment.image", "debian:12", "spec.environment.image", "debian:12", "python:X.Y"),
        ("ModernBase", "spec.environment.systemPackages", ["libx"], "systemPackages", "libx", "--runtime docker"),
        ("TaskCandidate", "spec.construction.levels", [3], "spec.construction.levels", "[3]", "there are some at 1, 2"),
        ("ModernBase", "metadata.name", "Tool Box", "metadata.name", "'Tool Box'", ""),
    ],
)
def test_a_faulty_field_is_named_with_its_value_and_the_way_out(
    tmp_path: Path, kind: str, path: str, value: Any, field: str, told: str, way: str
) -> None:
    message = refused(validate(tmp_path, with_spec(kind, path, value)))
    assert "manifest.yaml:" in message
    assert all(part in message for part in (kind, field, told, way)), message


def test_what_is_sound_depends_on_how_it_is_to_be_run(tmp_path: Path) -> None:
    image = with_spec("ModernBase", "spec.environment.image", "debian:12")
    assert validate(tmp_path, image, "--runtime", "docker").code == 0
    none = with_spec("ModernBase", "spec.environment.image", None)
    assert validate(tmp_path, none).code == 0
    message = refused(validate(tmp_path, none, "--runtime", "docker"))
    assert "spec.environment.image: it is absent" in message
    assert "CHANGE2TASK_DOCKER_IMAGE" in message
    option = with_spec("ModernBase", "spec.environment.systemPackages", ["--reinstall"])
    assert "'--reinstall'" in refused(validate(tmp_path, option, "--runtime", "docker"))


def test_a_machine_without_bubblewrap_refuses_what_it_cannot_do_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixed = with_spec("ModernBase", "spec.environment.setup", ["make PREFIX=/c2t/env"])
    monkeypatch.setenv("PATH", str(tmp_path))
    message = refused(validate(tmp_path, fixed))
    assert "spec.environment.setup: without bubblewrap nothing lies below /c2t; install bubblewrap" in message
    assert "(got 'make PREFIX=/c2t/env')" in message
    store = tmp_path / "store"
    assert "spec.environment.setup" in refused(at_once("run", tmp_path / "manifest.yaml", "--store", store))
    assert not store.exists()
    assert validate(tmp_path, fixed, "--runtime", "docker").code == 0


def test_one_level_at_which_something_is_done_is_enough(tmp_path: Path) -> None:
    assert validate(tmp_path, with_spec("TaskCandidate", "spec.construction.levels", [1, 3])).code == 0


def test_a_repository_that_is_not_at_its_path_is_told_with_its_field(tmp_path: Path) -> None:
    message = refused(validate(tmp_path, with_spec("ModernBase", "spec.repository.url", "file:///not/there")))
    assert "manifest.yaml:1: ModernBase toolbox: spec.repository.url: there is nothing at that path" in message
    assert "give --mirror file:///not/there=PATH (got 'file:///not/there')" in message


def test_a_path_in_a_url_may_be_escaped(tmp_path: Path) -> None:
    made = RepoBuilder(tmp_path / "with space")
    assert validate(tmp_path, with_spec("ModernBase", "spec.repository.url", made.url)).code == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (URL, "write it as URL=PATH"),
        (f"{URL}=", "write it as URL=PATH"),
        (f"{URL}=/not/there", "there is nothing at /not/there"),
        (f"{URL}.git=/tmp", f"no base has this URL, but one has {URL}; write it exactly so"),
        (f"{URL[:-2]}{URL[-1]}{URL[-2]}=/tmp", f"no base has this URL, but one has {URL}; write it exactly so"),
    ],
)
def test_a_faulty_mirror_is_told(tmp_path: Path, option: str, message: str) -> None:
    assert message in refused(validate(tmp_path, SOUND, "--mirror", option))


def test_a_change_that_a_repository_on_this_machine_does_not_hold_is_told_before_anything_runs(
    tmp_path: Path, repo: RepoBuilder
) -> None:
    here = repo.tip()
    repo.switch("aside")
    aside = repo.commit({"x": "1"})
    repo.switch("main")
    text = documents(
        base(scope={}),
        candidate("here", {"commit": here}),
        candidate("aside", {"commit": aside}),
        candidate("absent", {"commit": "0123456789abcdef"}),
        candidate("request", {"pullRequest": 7}),
    )
    ended = validate(tmp_path, text, "--mirror", f"{URL}={repo.path}")
    assert ended.err == "", ended
    sound, *told = ended.out.splitlines()
    assert (ended.code, sound) == (0, "1 base and 4 candidates are sound")
    assert [line.split(": ")[:2] for line in told] == [
        ["  but TaskCandidate aside", "ChangeNotInAncestry"],
        ["  but TaskCandidate absent", "ChangeNotFound"],
        ["  but TaskCandidate request", "ChangeNotFound"],
    ]
    assert told[1].endswith("0123456789abcdef names no commit of the repository")


def test_a_change_under_any_revision_that_may_become_the_base_is_not_spoken_of(
    tmp_path: Path, repo: RepoBuilder
) -> None:
    early, late = repo.tip(), repo.commit({"x": "1"})
    change = candidate("late", {"commit": late})
    mirror = ("--mirror", f"{URL}={repo.path}")
    assert "but" not in validate(tmp_path, documents(base(scope={}, revision={"healthy": early}), change), *mirror).out
    strict = documents(base(scope={}, revision={"healthy": early, "strict": True}), change)
    assert "but TaskCandidate late: ChangeNotInAncestry: " in validate(tmp_path, strict, *mirror).out


def test_a_revision_that_is_none_is_told_with_what_a_run_would_do(tmp_path: Path, repo: RepoBuilder) -> None:
    mirror = ("--mirror", f"{URL}={repo.path}")
    text = documents(base(scope={}, revision={"healthy": "v99"}))
    told = "  but ModernBase toolbox: spec.revision.healthy: v99 names no commit of the repository, so another is taken"
    assert told in validate(tmp_path, text, *mirror).out
    strict = documents(base(scope={}, revision={"healthy": "v99", "strict": True}))
    assert "so the base is refused" in validate(tmp_path, strict, *mirror).out


def test_a_mirror_of_no_base_is_told_with_the_nearest(tmp_path: Path) -> None:
    ended = validate(tmp_path, SOUND, "--mirror", f"https://elsewhere.example/x/y={tmp_path}")
    assert ended.code == 0
    assert f"  but --mirror https://elsewhere.example/x/y: no base has this URL; the nearest is {URL}\n" in ended.out


def test_a_glob_that_covers_nothing_of_the_repository_is_told(tmp_path: Path, repo: RepoBuilder) -> None:
    scope = {"source": ["*.md", "lib/**"]}
    text = documents(base(scope=scope))
    told = validate(tmp_path, text, "--mirror", f"{URL}={repo.path}").out
    assert "  but ModernBase toolbox: spec.scope.source: 'lib/**' covers no file of it\n" in told
    assert "*.md" not in told


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        ("ModernBase", "spec.environment.env", {"A B": "1"}, "spec.environment.env: no environment variable can be"),
        ("ModernBase", "spec.environment.env", {"A=B": "1"}, "(got 'A=B')"),
        ("ModernBase", "spec.environment.env", {"": "1"}, "spec.environment.env: no environment variable can be"),
        (
            "ModernBase",
            "spec.scope.source",
            ["src/**", "../x/**"],
            "spec.scope.source[1]: no path of a repository looks",
        ),
        ("ModernBase", "spec.scope.protected", ["a/./b"], "write it from the repository's root, like src/**"),
        ("TaskCandidate", "spec.change", None, "spec.change: missing; it takes commit, pullRequest, range"),
        ("TaskCandidate", "spec.change", {"range": "abc"}, "spec.change.range: does not fit: Two revisions a..b; the"),
        ("ModernBase", "spec.repository.url", "toolbox", "spec.repository.url: does not fit: What the world calls the"),
        ("ModernBase", "metadata.name", "A_b", "lower case letters, digits, hyphens and full stops; it must match"),
    ],
)
def test_what_can_never_work_is_refused_in_a_sentence(
    tmp_path: Path, kind: str, path: str, value: Any, message: str
) -> None:
    assert message in refused(validate(tmp_path, with_spec(kind, path, value)))


def test_an_address_that_is_none_is_refused_without_a_pattern(tmp_path: Path) -> None:
    told = refused(validate(tmp_path, with_spec("ModernBase", "spec.repository.url", "ext::sh -c x")))
    assert "credentialsSecretRef say those (got 'ext::sh -c x')" in told
    assert "must match" not in told


def test_a_mirror_that_is_no_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    ended = validate(tmp_path, SOUND, "--mirror", f"{URL}={tmp_path / 'folder'}")
    assert ended.code == 0
    assert f"but ModernBase toolbox: {tmp_path / 'folder'} is not a git repository" in ended.out


def test_a_name_given_twice_is_told_with_both_places(tmp_path: Path) -> None:
    message = refused(validate(tmp_path, documents(base(), base(), candidate("one", {"commit": "abc1234"}))))
    assert "metadata.name: this ModernBase is given twice, first in" in message


def test_a_store_has_no_namespaces(tmp_path: Path) -> None:
    here, there = base(), base()
    here["metadata"]["namespace"], there["metadata"]["namespace"] = "here", "there"
    message = refused(validate(tmp_path, documents(here, there)))
    assert "ModernBase toolbox: metadata.namespace: the name is taken in namespace here" in message


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    broken = documents(
        base(checks={"format": "x y"}), candidate("one", {}), candidate("two", {"commit": "-x"}, of="no")
    )
    message = refused(validate(tmp_path, broken, "--mirror", "nothing"))
    assert message.startswith("error: 4 faults in the input\n  ")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "alias"),
        ("[" * 100_000, ""),
        ("x" * (10 << 20) + "y", "more than the 10485760"),
        ("---\nkind: A\n" + "a: 1\n" * 300_000, "more than the 1048576"),
        (b"\x00\x01", "character"),
        (b"\xff\xfe\x00", "UTF-16"),
        ("", "no document in it"),
        ("- 1\n- 2\n", "a resource must be a mapping"),
        ("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n", "apiVersion"),
    ],
    ids=["bomb", "deep", "large", "large document", "binary", "utf-16", "empty", "list", "foreign"],
)  # fmt: skip
def test_hostile_and_foreign_texts_are_refused_at_once(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert message in refused(validate(tmp_path, text))


def test_a_task_is_no_input(tmp_path: Path) -> None:
    variant = {
        "apiVersion": "change2task.dev/v1alpha1",
        "kind": "TaskVariant",
        "metadata": {"name": "tv-1"},
        "spec": {},
    }
    assert "TaskVariant" in refused(validate(tmp_path, documents(base(), variant)))


def test_candidates_need_their_base(tmp_path: Path) -> None:
    message = refused(validate(tmp_path, documents(candidate("one", {"commit": "abc1234"}))))
    assert "no ModernBase of this name; add its manifest to the same run" in message


def test_standard_input_is_read_like_a_file(repo: RepoBuilder) -> None:
    assert at_once("validate", "-", stdin=SOUND.encode()).code == 0
    assert "standard input:" in refused(at_once("validate", "-", stdin=b"kind: [\n"))


def test_a_folder_is_searched_but_not_what_is_hidden_or_stored(tmp_path: Path) -> None:
    (tmp_path / "bases").mkdir()
    (tmp_path / "bases/one.yaml").write_text(documents(base("one")))
    (tmp_path / "two.json").write_text(json.dumps(base("two")))
    (tmp_path / "one.forge.json").write_text("[]")
    (tmp_path / "notes.txt").write_text("no manifest")
    for folder in (".change2task/bases", ".hidden"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "one.yaml").write_text(documents(base("one")))
    (tmp_path / "results/bases").mkdir(parents=True)
    (tmp_path / "results/store.yaml").write_text("formatVersion: 1\n")
    (tmp_path / "results/bases/one.yaml").write_text(documents(base("one")))
    assert at_once("validate", tmp_path).out == "2 bases and 0 candidates are sound\n"


def test_what_is_not_there_or_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert "there is no such file or folder" in refused(at_once("validate", tmp_path / "none.yaml"))
    (tmp_path / "empty").mkdir()
    assert "holds no .yaml, .yml or .json file" in refused(at_once("validate", tmp_path / "empty"))
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert "cannot be read" in refused(at_once("validate", tmp_path))


def test_a_forge_export_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "toolbox.forge.json").write_text("{")
    assert "toolbox.forge.json" in refused(validate(tmp_path, SOUND))


@pytest.mark.parametrize("command", ["run", "lock"])
@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("TaskCandidate", "spec.family", "None"),
        ("TaskCandidate", "spec.construction.levels", [3]),
        ("ModernBase", "spec.checks.command", ["go", "test", "./..."]),
        ("ModernBase", "spec.environment.image", "debian:12"),
    ],
)
def test_nothing_is_made_of_faulty_input(tmp_path: Path, kind: str, field: str, value: Any, command: str) -> None:
    (tmp_path / "manifest.yaml").write_text(with_spec(kind, field, value))
    assert field in refused(at_once(command, tmp_path / "manifest.yaml", "--store", tmp_path / "store"))
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.yaml"]


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "x.yaml", "--jobs", "0"),
        ("run", "x.yaml", "--output", "xml"),
        ("run", "x.yaml", "--profile", "best"),
        ("run", "x.yaml", "--runtime", "vm"),
        ("grade", "x", "--jobs", "0"),
        ("replay", "x", "--times", "0"),
        ("nonsense",),
    ],
)
def test_words_that_are_no_command_show_how_it_is_used(words: tuple[str, ...]) -> None:
    ended = at_once(*words)
    assert (ended.code, ended.out) == (2, "")
    assert "Usage: change2task" in ended.err


def test_no_words_at_all_show_the_commands() -> None:
    ended = at_once()
    assert ended.code == 2
    assert all(name in ended.out + ended.err for name in ("run", "explain", "replay", "show", "grade", "validate"))
