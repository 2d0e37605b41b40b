"""`change2task mine` and `change2task import` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from change2task.api.manifests import parse_manifests
from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason, RejectionClass
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.cli.failures import InputError
from change2task.cli.funnels import completed, read_funnel
from tests.history.forges.conftest import Answer, Server, server
from tests.history.forges.test_forges import pull
from tests.history.mining.conftest import fix, project
from tests.support.commands import Ended, at_once
from tests.support.repos import RepoBuilder, git

__all__ = ["project", "server"]
URL = "https://forge.example.org/ada/project"
SECRET = "ghp_verysecret"


def run(tmp_path: Path, *words: str | Path, code: int = 0, **more: str) -> Ended:
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path)
        for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN"):
            patched.delenv(name, raising=False)
        for name, value in more.items():
            patched.setenv(name, value)
        ended = at_once(*words)
    assert "Traceback" not in ended.err, ended
    assert ended.code == code, ended
    return ended


def test_what_is_mined_of_a_folder_is_ready_for_a_run(project: RepoBuilder, tmp_path: Path) -> None:
    oid = fix(project, "thing")
    ended = run(tmp_path, "mine", project.path)
    parsed = parse_manifests(ended.out.encode(), "mined")
    assert parsed.problems == ()
    base, candidate = parsed.resources
    assert isinstance(base, ModernBase)
    assert isinstance(candidate, TaskCandidate)
    assert (base.spec.repository.url, base.spec.revision.healthy) == (project.url, project.tip())
    assert (candidate.spec.base_ref.name, candidate.spec.change.commit) == (base.metadata.name, oid)
    (tmp_path / "mined.yaml").write_text(ended.out)
    assert run(tmp_path, "validate", "mined.yaml").out == "1 base and 1 candidate are sound\n"


def test_the_funnel_is_told_beside_and_adds_up_for_programs(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "thing")
    project.commit({"README.md": "more\n"}, "Say more")
    ended = run(tmp_path, "mine", project.path, "-o", "json")
    told = json.loads(ended.out)
    raw, evidence, selection = told["funnel"]["stages"]
    assert (raw["entered"], raw["left"], evidence["left"], selection["passed"]) == (
        3,
        {"beginning": 1},
        {"docsOnly": 1},
        1,
    )
    assert {one["reason"] for one in told["left"]} == {"beginning", "docsOnly"}
    assert "docsOnly" in ended.err


def test_a_manifest_is_mined_for_more_candidates_of_its_base(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "thing")
    manifest = tmp_path / "base.yaml"
    spec = f"metadata: {{name: mine}}\nspec: {{repository: {{url: {URL}}}}}\n"
    manifest.write_text(f"apiVersion: change2task.dev/v1alpha1\nkind: ModernBase\n{spec}")
    words = ("mine", manifest, "--mirror", f"{URL}={project.path}")
    first, second = run(tmp_path, *words), run(tmp_path, *words)
    (candidate,) = parse_manifests(first.out.encode(), "mined").resources
    assert isinstance(candidate, TaskCandidate)
    assert candidate.spec.base_ref.name == "mine"
    assert first.out == second.out


def test_out_writes_a_file_and_a_url_is_the_bases(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "thing")
    out = tmp_path / "made" / "mined.yaml"
    ended = run(tmp_path, "mine", URL, "--mirror", f"{URL}={project.path}", "--out", out, "-o", "table")
    assert f"url: {URL}" in out.read_text()
    assert ended.out.split()[:2] == ["CANDIDATE", "SCORE"]


def test_a_forge_is_asked_once_and_read_ever_after(project: RepoBuilder, server: Server, tmp_path: Path) -> None:
    fix(project, "thing", "Handle it properly (#8)")
    told = pull(8, title="Thing is wrong", body="Fixes #3", merge_commit_sha=project.tip())
    server.says("/repos/ada/project/pulls", Answer([told]))
    server.says("/repos/ada/project/issues/3", Answer({"title": "Crash on every thing (#1)", "body": "Always."}))
    token = tmp_path / "token"
    token.write_text(SECRET + "\n")
    out = tmp_path / "made" / "mined.yaml"
    words = ("mine", URL, "--mirror", f"{URL}={project.path}", "--out", out)
    asked = run(tmp_path, *words, "--forge-api", "github", "--forge-url", server.url, "--token-file", token)
    first = out.read_text()
    assert "title: Crash on every thing" in first
    assert {headers["Authorization"] for _, headers in server.asked} == {f"Bearer {SECRET}"}
    number = len(server.asked)
    again = run(tmp_path, *words)
    assert (out.read_text(), len(server.asked)) == (first, number)
    kept = (out.parent / "project.forge.json").read_text()
    assert SECRET not in asked.out + asked.err + again.err + first + kept
    assert run(tmp_path, *words[:4], "--forge", out.parent / "project.forge.json").out == first


def test_a_forge_that_refuses_is_told_with_the_way_out(project: RepoBuilder, server: Server, tmp_path: Path) -> None:
    fix(project, "thing", "Handle it properly (#8)")
    words = ("mine", URL, "--mirror", f"{URL}={project.path}", "--forge-api", "gitlab", "--forge-url", server.url)
    ended = run(tmp_path, *words, code=2, GITLAB_TOKEN=SECRET)
    assert "404 (Not Found); there is no such repository, or it is private and this token may not see it" in ended.err
    assert SECRET not in ended.err
    server.says("/projects/ada%2Fproject/merge_requests", Answer(b"<html>", kind="text/html"))
    assert "is --forge-url the API's address?" in run(tmp_path, *words, code=2).err


def test_numbers_that_stand_twice_in_an_export_are_told(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "thing", "Handle it properly (#8)")
    export = tmp_path / "export.json"
    export.write_text(json.dumps([{"number": 8, "title": "Old words"}, {"number": 8, "title": "New words of it"}]))
    ended = run(tmp_path, "mine", project.path, "--forge", export)
    assert "#8 more than once; the last record counts" in ended.err
    assert "New words of it" in ended.out


def test_a_base_whose_commit_is_gone_is_mined_under_the_next_and_says_so(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "thing")
    first = run(tmp_path, "mine", project.path)
    manifest = tmp_path / "mined.yaml"
    manifest.write_text(first.out.partition("---\n")[0])
    old = project.tip()
    project.git("update-ref", "refs/heads/main", f"{old}~1")
    project.git("reflog", "expire", "--expire=now", "--all")
    project.git("prune", "--expire=now")
    fix(project, "other")
    ended = run(tmp_path, "mine", manifest)
    assert f"note: {old} names no commit of the repository; mined under {project.tip()[:12]}" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), "neither a manifest nor a folder is there, and it is no URL"),
        (("https://ada:secret@forge.example.org/a",), "not an address that a base can have"),
        (("{empty}",), "has no commit"),
        (("{folder}",), "is not a git repository"),
        (("{project}", "--since", "yesterday"), "write a day as 2024-01-31"),
        (("{project}", "--since", "2024-02-01", "--until", "2024-01-01"), "nothing lies between them"),
        (("{project}", "--forge", "{folder}/none.json"), "cannot be read"),
        (("{project}", "--forge", "{broken}"), "not JSON in UTF-8"),
        (("{project}", "--forge-url", "https://x"), "with --forge-api only"),
        (("{project}", "--forge-api", "github"), "this names none at a forge"),
        (("{broken}",), "a resource must be a mapping"),
    ],
)
def test_bad_input_is_told_and_ends_with_two(
    project: RepoBuilder, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    RepoBuilder(tmp_path / "empty")
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken").write_text("<html>")
    places = {name: str(tmp_path / name) for name in ("empty", "folder", "broken")} | {"project": str(project.path)}
    ended = run(tmp_path, "mine", *(word.format(**places) for word in words), code=2)
    assert said in ended.err
    assert "secret" not in ended.err


def test_a_shallow_history_is_told(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "one")
    fix(project, "two")
    git(tmp_path, "clone", "-q", "--bare", "--depth=2", project.url, "shallow")
    assert "cut short (shallow)" in run(tmp_path, "mine", "shallow").err


def test_rows_are_imported_and_the_unusable_told(project: RepoBuilder, tmp_path: Path) -> None:
    before = project.tip()
    oid = fix(project, "thing")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"repo": "ada/project", "base_commit": before}) + "\nnothing\n")
    words = ("import", rows, "--format", "swe-bench", "--repository", f"ada/project={URL}", "--healthy", "main")
    ended = run(tmp_path, *words, "--mirror", f"{URL}={project.path}")
    base, candidate = parse_manifests(ended.out.encode(), "imported").resources
    assert isinstance(base, ModernBase)
    assert isinstance(candidate, TaskCandidate)
    assert (base.spec.revision.healthy, candidate.spec.change.commit) == ("main", oid)
    assert "not used: row 2: no JSON object on one line" in ended.err
    assert "2 rows: 1 candidates on 1 bases, 1 not used" in ended.err
    assert "no row could be used" in run(tmp_path, "import", rows, "--format", "pymigbench", code=2).err


def test_a_funnel_goes_on_with_verdicts_and_refuses_those_of_others(project: RepoBuilder, tmp_path: Path) -> None:
    fix(project, "one")
    fix(project, "two")
    ended = run(tmp_path, "mine", project.path, "--funnel", "funnel.json")
    candidates = [one for one in parse_manifests(ended.out.encode(), "m").resources if isinstance(one, TaskCandidate)]
    path = tmp_path / "funnel.json"
    told = TaskCandidateStatus(accepted=False, reason=Reason.NO_TARGET_CHECKS, rejection=RejectionClass.ALIGNMENT)
    whole = completed(read_funnel(path), [candidates[0].replacing(status=told), candidates[1]], path)
    assert (whole.waiting, whole.candidates) == (1, 0)
    assert {stage.name: stage.left for stage in whole.stages}["alignment"] == {"NoTargetChecks": 1}
    with pytest.raises(InputError, match="of other candidates than these"):
        completed(read_funnel(path), candidates[:1], path)
    path.write_text("{}")
    with pytest.raises(InputError, match="no funnel"):
        read_funnel(path)
