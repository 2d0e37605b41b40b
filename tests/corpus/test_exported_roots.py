"""The agent's tree as one root commit: what git makes of the stream is the tree, byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from change2task.corpus.exports.roots import ATTRIBUTES, root_commit, root_stream
from change2task.corpus.exports.task import Leaf, NotExportable
from change2task.vcs.trees import SUBMODULE
from tests.support.exporting import AGENT
from tests.support.repos import git

WHEN = 1_700_000_000


def imported(folder: Path, stream: bytes) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/attributes").write_text(ATTRIBUTES + "\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream, check=True)
    git(folder, "reset", "-q", "--hard")
    return folder


def test_a_checkout_has_every_byte_mode_and_link_whatever_attributes_say(tmp_path: Path) -> None:
    made = imported(tmp_path / "made", root_stream(AGENT, WHEN))
    for path, leaf in AGENT.items():
        place = made / path.decode()
        if leaf.mode == 0o120000:
            assert bytes(place.readlink()) == leaf.content
        else:
            assert place.read_bytes() == leaf.content
            assert bool(place.stat().st_mode & 0o100) == (leaf.mode == 0o100755)
    assert git(made, "status", "--porcelain") == b""


def test_there_is_one_commit_and_its_id_was_known_beforehand(tmp_path: Path) -> None:
    made = imported(tmp_path / "made", root_stream(AGENT, WHEN))
    tree = git(made, "rev-parse", "HEAD^{tree}").decode().strip()
    assert git(made, "rev-list", "--all").decode().split() == [root_commit(tree, WHEN)]


def test_a_submodule_stays_one_of_the_same_commit(tmp_path: Path) -> None:
    tree = {**AGENT, b"sub": Leaf(SUBMODULE, b"5" * 40)}
    made = imported(tmp_path / "made", root_stream(tree, WHEN))
    assert f"160000 commit {'5' * 40}\tsub".encode() in git(made, "ls-tree", "HEAD")


def test_ids_that_are_no_sha1_are_refused() -> None:
    with pytest.raises(NotExportable, match="SHA-256"):
        root_commit("a" * 64, WHEN)
