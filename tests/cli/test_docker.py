"""``--runtime docker``: the same manifests, the same verdicts, an image beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import pytest
import yaml

from tests.support import engine
from tests.support.world import World, base, candidate, documents

pytestmark = pytest.mark.docker
NAMES = ("feature", "tests", "entangled", "docs")
SAME = ("family", "accepted", "level", "strategy", "reason", "message", "fidelity", "checks")


@dataclass(frozen=True)
class Contained:
    """A run of some of the story's candidates in containers."""

    world: World
    store: Path
    env: dict[str, str]
    document: dict[str, Any]

    def built(self) -> dict[str, Any]:
        """The environment in the base's status."""
        status = yaml.safe_load((self.store / "bases/toolbox.yaml").read_text())["status"]
        found: dict[str, Any] = status["environment"]
        return found

    def run(self, *words: str | Path, **how: Any) -> Any:
        return self.world.run(*words, "--store", self.store, "--runtime", "docker", env=self.env, **how)


@pytest.fixture(scope="module")
def contained(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contained]:
    image = engine.test_image()
    folder = tmp_path_factory.mktemp("contained")
    env = {**world.env, "CHANGE2TASK_DOCKER_NETWORK": "host"}
    env |= {name: os.environ[name] for name in ("DOCKER_HOST",) if name in os.environ}
    written = {one["metadata"]["name"]: one for one in yaml.safe_load_all(world.manifest.read_text())}
    spec = {"image": image, "setup": ["uv pip install -q pytest"]}
    manifest = folder / "manifest.yaml"
    manifest.write_text(documents(base(environment=spec), *(written[name] for name in NAMES)))
    made = Contained(world, folder / "store", env, {})
    ended = made.run("run", manifest, *world.mirror, "-o", "json", seconds=280)
    assert ended.code == 0, ended
    yield Contained(world, made.store, env, json.loads(ended.out))
    docker.from_env().images.remove(made.built()["digest"])


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_are_those_of_the_process_runtime(contained: Contained, name: str) -> None:
    row = next(row for row in contained.document["candidates"] if row["name"] == name)
    there = contained.world.row(name)
    assert {key: row[key] for key in SAME} == {key: there[key] for key in SAME}


def test_the_base_names_its_image_and_digest(contained: Contained) -> None:
    built = contained.built()
    assert built["image"] == f"change2task-base:{built['key'][:12]}"
    assert built["digest"].startswith("sha256:")


def test_a_task_is_graded_and_replayed_in_containers(contained: Contained, tmp_path: Path) -> None:
    patch = tmp_path / "patch"
    patch.write_text(contained.world.run("show", "feature", "--part", "G", "--store", contained.store).out)
    graded = contained.run("grade", "feature", "--patch", patch, *contained.world.mirror)
    assert ": solved" in graded.out, graded
    replayed = contained.run("replay", "feature", *contained.world.mirror)
    assert "replay 1: same" in replayed.out, replayed


def test_an_engine_that_is_not_there_ends_with_3_and_the_ways_out(world: World, tmp_path: Path) -> None:
    env = {**world.env, "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    ended = world.run("run", world.manifest, "--store", tmp_path / "store", "--runtime", "docker", env=env, code=3)
    assert ended.code == 3
    assert "no Docker engine answers at" in ended.err
    assert "--runtime process" in ended.err


def test_a_base_without_an_image_is_told_with_the_way_out_before_anything_runs(
    contained: Contained, tmp_path: Path
) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(documents(base(environment={"setup": []}), candidate("x", {"commit": "0" * 40})))
    store = tmp_path / "store"
    ended = contained.world.run(
        "run", manifest, *contained.world.mirror, "--store", store, "--runtime", "docker", env=contained.env, code=2
    )
    assert "spec.environment.image" in ended.err
    assert "python:3.12-slim" in ended.err
    assert not store.exists()
