"""The last words of a pod hold none of what it was given to keep."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from change2task.pods.places import Places
from change2task.pods.secrets import masks


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "username").write_text("ada\n")
    (tmp_path / "git" / "password").write_text("g1t-word\n")
    (tmp_path / "registry").mkdir()
    auth = base64.b64encode(b"robot:r3g-word").decode()
    told = {"auths": {"registry.example.com": {"auth": auth}, "other": {"username": "u", "password": "0ther-word"}}}
    (tmp_path / "registry" / "config.json").write_text(json.dumps(told))
    return Places(credentials=tmp_path / "git", registry=tmp_path / "registry")


def test_secrets_of_files_and_variables_are_masked(places: Places) -> None:
    auth = base64.b64encode(b"robot:r3g-word").decode()
    said = f"ada g1t-word r3g-word {auth} 0ther-word index-word robot"
    told = masks(places, {"UV_INDEX_MINE_PASSWORD": "index-word", "PATH": "/usr/bin"}).masked_text(said)
    assert told == "ada *** *** *** *** *** robot"


def test_a_pod_without_secrets_says_what_it_says(tmp_path: Path) -> None:
    none = Places(credentials=tmp_path / "none", registry=tmp_path / "none")
    assert masks(none, {}).masked_text("no route to host") == "no route to host"


@pytest.mark.parametrize("content", ["", "[]", '{"auths": []}', '{"auths": {"x": 3, "y": {"auth": "%%%"}}}'])
def test_a_damaged_registry_file_stops_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    assert masks(Places(credentials=tmp_path / "none", registry=tmp_path), {}).masked_text("x") == "x"
