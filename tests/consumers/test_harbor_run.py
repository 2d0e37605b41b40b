"""Harbor itself over a real engine: its oracle gets the whole reward for an exported task, its no-op agent none.

It needs a Docker engine with compose, a store whose packages an index has (``C2T_STORE``), and the task's start image,
or another in its place (``C2T_START_IMAGE``). Where one of them is missing it says so. Harbor closes networks by a
sidecar whose image it pulls; here compose closes the agent's itself, so that nothing need be pulled.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from change2task.corpus.exports.environment import start_image
from change2task.corpus.store import Store
from change2task.pipeline.exporting import gathered
from tests.consumers.conftest import SECONDS, Consumer, Corpus, did_not_run

pytestmark = [pytest.mark.consumers, pytest.mark.docker, pytest.mark.timeout(3600)]


def docker(*words: str | Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["docker", *words], capture_output=True, text=True, check=False, timeout=SECONDS)
    except FileNotFoundError:
        return subprocess.CompletedProcess([], 127, "", "docker is not installed")


@pytest.fixture
def chosen(corpus: Corpus) -> str:
    """The task that is run, once all is there that running it takes."""
    if not os.environ.get("C2T_STORE"):
        did_not_run("C2T_STORE names no store whose packages an index has; make demo makes .demo/store")
    for words, what in ((("info",), "a Docker engine"), (("compose", "version"), "docker compose")):
        done = docker(*words)
        if done.returncode:
            did_not_run(f"{what} is needed: {done.stderr.strip()[:300]}")
    return os.environ.get("C2T_TASK") or min(corpus.tasks())


@pytest.fixture
def folder(corpus: Corpus, chosen: str, exported: Callable[..., Path], tmp_path: Path) -> Path:
    """The task, exported with images that were built of its own Dockerfiles."""
    given = os.environ.get("C2T_START_IMAGE")
    store = Store.open(corpus.path, create=False)
    with gathered(store, lambda _, variant: variant.metadata.name == chosen, {}, {}) as found:
        (task,) = found.tasks
    start = given or start_image(task, {})
    if docker("image", "inspect", start).returncode and docker("pull", "-q", start).returncode:
        did_not_run(f"{start} can neither be found nor pulled; C2T_START_IMAGE names another")
    plain = exported("harbor", chosen) / chosen
    for name in ("environment", "tests"):
        words = ("--network=host", f"--build-arg=BASE_IMAGE={start}", f"--tag=c2t-consumers-{name}")
        done = docker("build", *words, plain / name)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    built = {"environment": "c2t-consumers-environment", "verifier": "c2t-consumers-tests"}
    (tmp_path / "images.json").write_text(json.dumps({chosen: built}))
    made = exported("harbor", "--images", tmp_path / "images.json", chosen) / chosen
    config = made / "task.toml"
    config.write_text(config.read_text().replace('network_mode = "no-network"', 'network_mode = "public"'))
    return made


def test_the_oracle_gets_the_whole_reward_and_an_agent_that_does_nothing_none(
    harbor: Consumer, folder: Path, tmp_path: Path
) -> None:
    closed = tmp_path / "closed.yaml"
    closed.write_text("services:\n  main:\n    network_mode: none\n")
    for agent, wanted in (("oracle", 1.0), ("nop", 0.0)):
        words = ("--env", "docker", "--jobs-dir", tmp_path / "jobs", "--job-name", agent, "-n", "1", "--yes",
                 "--extra-docker-compose", closed)  # fmt: skip
        harbor.run("harbor", "run", "-p", folder, "-a", agent, *words)
        found = list((tmp_path / "jobs" / agent).rglob("reward.json"))
        assert [json.loads(path.read_text()) for path in found] == [{"reward": wanted}]
