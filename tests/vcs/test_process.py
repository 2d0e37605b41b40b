import configparser
import os
import time
from pathlib import Path

import pytest

from change2task.vcs.errors import GitFailed, GitMissing, GitSaidTooMuch, GitTimedOut, detail_of, masked
from change2task.vcs.process import CONFIGURATION, Git, git_version


def test_git_sees_nothing_of_the_callers_environment(monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Mallory")
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "alias.env")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "!env")
    said = Git(None).run("-c", "alias.surroundings=!env", "surroundings", seconds=30).stdout.decode()
    assert "Mallory" not in said
    assert "s3cret" not in said
    assert "\nTZ=UTC\n" in said
    with pytest.raises(GitFailed, match="not a git command"):
        Git(None).run("env")


def test_the_configuration_is_that_of_this_room_alone():
    said = Git(None).run("config", "--list", "--show-origin", "-z").stdout.decode()
    origins = {record for record in said.split("\0") if record.startswith(("file:", "command line:"))}
    assert origins == {f"file:{CONFIGURATION}", "command line:"}
    assert "safe.directory" in said


def test_the_configuration_can_be_read_by_others_too():
    parser = configparser.ConfigParser(strict=False, delimiters=("=",))
    parser.read_string(CONFIGURATION.read_text())
    assert parser["core"]["hooksPath"] == "/dev/null"


def test_a_command_that_does_not_end_is_killed_with_its_children(tmp_path):
    started = tmp_path / "pid"
    began = time.monotonic()
    with pytest.raises(GitTimedOut, match=r"no end after 0\.5 seconds"):
        Git(None).run("-c", f"alias.hang=!sleep 600 & echo $! > {started}; wait", "hang", seconds=0.5)
    assert time.monotonic() - began < 10
    pid = int(started.read_text())
    state = ""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            state = "gone"
        if state in ("gone", "Z"):
            break
        time.sleep(0.05)
    assert state in ("gone", "Z")


def test_output_beyond_the_limit_ends_the_command():
    with pytest.raises(GitSaidTooMuch, match="1000 bytes"):
        Git(None).run("-c", "alias.yes=!yes", "yes", limit=1000, seconds=30)


def test_much_input_and_much_output_do_not_wait_for_each_other():
    data = os.urandom(3_000_000)
    assert Git(None).run("-c", "alias.cat=!cat", "cat", stdin=data).stdout == data


def test_a_command_that_reads_nothing_is_no_error():
    assert Git(None).run("version", stdin=b"x" * 1_000_000).stdout.startswith(b"git version")


def test_much_complaint_is_cut_and_kept_at_its_end():
    with pytest.raises(GitFailed) as caught:
        Git(None).run("-c", "alias.noise=!yes 1234567 | head -c 500000 >&2; echo the end >&2; exit 3", "noise")
    assert caught.value.code == 3
    assert caught.value.detail.endswith("the end")
    assert len(caught.value.detail) < 5000


def test_records_come_while_the_command_runs():
    with_nul = Git(None).records("-c", r"alias.two=!printf 'a\0b\nc\0d'", "two")
    assert list(with_nul) == [b"a", b"b\nc", b"d"]
    endless = Git(None).records("-c", "alias.yes=!yes", "yes", separator=b"\n")
    assert next(endless) == b"y"
    endless.close()
    with pytest.raises(GitFailed):
        list(Git(None).records("no-such-command"))


def test_a_missing_git_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "env").symlink_to("/usr/bin/env")
    git_version.cache_clear()
    with pytest.raises(GitMissing, match="not installed"):
        git_version()


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "a1B2_" * 10,
        "glpat-" + "x1-Y" * 5,
        "pypi-" + "AgEIcHlwaS5vcmc" * 4,
        "npm_" + "a1B2" * 9,
        "AKIA" + "ABCD1234" * 2,
    ],
)
def test_tokens_of_known_shapes_are_masked_wherever_they_stand(secret: str):
    assert masked(f"error: token {secret} was refused") == "error: token *** was refused"


def test_what_a_header_authorises_with_is_masked():
    assert masked("> Authorization: Basic YWRhOnB3\n> Accept: */*") == "> Authorization: Basic ***\n> Accept: */*"
    assert masked("authorization: bearer abc.def") == "authorization: bearer ***"


def test_a_long_line_is_masked_in_no_time():
    assert masked("a" * 2_000_000) == "a" * 2_000_000


def test_passwords_are_masked():
    assert masked("fatal: https://ada:pw@host/x.git?a=1&private_token=abc&b failed") == (
        "fatal: https://***@host/x.git?a=1&private_token=***&b failed"
    )
    assert masked("git@host:x.git") == "git@host:x.git"
    assert "pw" not in str(GitFailed(["fetch", "https://ada:pw@host/x"], 128, detail_of(b"https://ada:pw@host/x: no")))
