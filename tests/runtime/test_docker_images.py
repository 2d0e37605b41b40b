"""Images that grow by commands, and base images made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.runtime.docker import images, owner
from change2task.runtime.docker.engine import Engine
from change2task.runtime.docker.growing import GrowingImage
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Command, Limits, Mount, Outcome
from tests.support import engine

pytestmark = pytest.mark.docker
NAME = "change2task-test-base:one"
PATH = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}


class Workshop:
    """A growing image with a log and a mounted folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log, self.work = folder, folder / "log", folder / "work"
        self.work.mkdir()
        (folder / "image").mkdir()
        self.sandbox = DockerSandbox(Engine.connect(), image=engine.test_image(), network="host")
        self.start = images.find(self.sandbox.engine, engine.test_image())
        self.growing = GrowingImage(self.sandbox, self.start.id, folder / "image")

    def command(self, text: str, **limits: int) -> Command:
        return Command(
            argv=("sh", "-c", text),
            env=PATH,
            cwd="/c2t/work",
            mounts=(Mount(source=self.work, target="/c2t/work", writable=True),),
            limits=Limits(**{"seconds": 60, **limits}),
            log=self.log,
        )

    def setup(self, text: str, **limits: int) -> Outcome:
        return self.growing.run(self.command(text, **limits))

    def state(self, text: str, image: str | None = None) -> str:
        """What a line prints in a state of an image."""
        self.sandbox.run(self.command(text).replacing(image=image or self.growing.image))
        return self.log.read_text()

    def exported(self) -> set[str]:
        layers = self.growing.layers
        return {str(path.relative_to(layers)) for path in layers.rglob("*") if path.is_file()}


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    with made.growing:
        yield made


def test_what_setup_did_to_the_system_is_there_for_the_next_step_and_for_states(workshop: Workshop) -> None:
    assert workshop.setup("echo one > /opt/word").succeeded
    assert workshop.setup("cat /opt/word; echo two >> /opt/word").succeeded
    assert workshop.state("cat /opt/word; touch /opt/x 2>/dev/null || echo closed") == "one\ntwo\nclosed\n"


def test_mounts_and_temporary_files_are_no_part_of_an_image(workshop: Workshop) -> None:
    assert workshop.setup("touch /tmp/x /dev/shm/x /c2t/work/x").succeeded
    assert workshop.growing.image == workshop.start.id
    assert (workshop.work / "x").exists()


def test_a_step_that_failed_or_was_stopped_leaves_nothing(workshop: Workshop) -> None:
    workshop.setup("echo one > /opt/word; exit 3")
    workshop.setup("echo one > /opt/word; sleep 60", seconds=1)
    assert workshop.growing.image == workshop.start.id


def test_every_layers_files_are_laid_out_to_be_looked_at(workshop: Workshop) -> None:
    workshop.setup("mkdir -p /opt/new/deep; echo x > /opt/new/deep/file; ln -s /etc/shadow /opt/new/link")
    workshop.setup("rm -r /opt/new; echo x >> /etc/passwd; chmod 700 /usr/games")
    assert workshop.exported() == {"00/opt/new/deep/file", "01/etc/passwd"}


def test_setup_runs_as_root_and_can_install_what_belongs_to_the_system(workshop: Workshop) -> None:
    assert workshop.setup("apt-get -q update && apt-get -q install -y c2t-hello").succeeded, workshop.log.read_text()
    assert workshop.state("c2t-hello") == "hello\n"


def test_filling_the_images_files_is_stopped(workshop: Workshop) -> None:
    filler = "n=0; while :; do n=$((n+1)); head -c 1000000 /dev/zero > /opt/file-$n; done"
    assert workshop.setup(filler, disk_bytes=20 << 20).stopped_by == "disk"
    assert workshop.growing.image == workshop.start.id


def test_variables_of_a_step_are_nowhere_in_the_image(workshop: Workshop) -> None:
    command = workshop.command("echo $TOKEN; touch /opt/x")
    assert workshop.growing.run(command.replacing(env={**PATH, "TOKEN": "hunter2"})).succeeded
    assert workshop.log.read_text() == "hunter2\n"
    client = workshop.sandbox.engine.client
    described = [client.inspect_image(workshop.growing.image), client.history(workshop.growing.image)]
    assert "hunter2" not in json.dumps(described)


def test_layers_that_nothing_stands_on_are_removed(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    with workshop.growing:
        workshop.setup("touch /opt/one")
        workshop.setup("touch /opt/two")
    assert not images.stands(workshop.sandbox.engine, workshop.growing.image)
    assert images.stands(workshop.sandbox.engine, workshop.start.id)


def test_layers_of_a_program_that_died_are_removed_when_a_sandbox_is_made(workshop: Workshop) -> None:
    client = workshop.sandbox.engine.client
    layers = []
    for label in ("another-boot.1.1.1", owner.this_program(), ""):
        made = client.create_container(workshop.start.id, ["true"], labels={owner.LABEL: label})["Id"]
        layers.append(client.commit(made)["Id"])
        client.remove_container(made)
    DockerSandbox.connect()
    there = [images.stands(workshop.sandbox.engine, layer) for layer in layers]
    for layer in layers[1:]:
        images.discard(workshop.sandbox.engine, layer)
    assert there == [False, True, True]


def test_a_base_image_holds_the_environment_readable_and_closed_and_knows_its_user(workshop: Workshop) -> None:
    content = workshop.folder / "env"
    (content / "bin").mkdir(parents=True)
    (content / "bin/tool").write_text("#!/bin/sh\necho tool $WORD\n")
    (content / "bin/tool").chmod(0o700)
    (content / "bin/link").symlink_to("tool")
    (content / "data").write_text("data")
    (content / "data").chmod(0o600)
    workshop.setup("touch /opt/installed")
    made = images.put_on(
        workshop.sandbox.engine,
        workshop.growing.image,
        content,
        called=NAME,
        labels={"change2task.dev/key": "abc"},
        variables={"WORD": "x"},
        user="1000:1000",
        layout=workshop.sandbox.layout,
    )
    try:
        said = workshop.state("/c2t/env/bin/link; cat /c2t/env/data; id -un; ls /opt/installed; touch /c2t/env/y", made)
        assert said.splitlines()[:3] == ["tool", "datac2t", "/opt/installed"]
        assert "Read-only file system" in said
        client = workshop.sandbox.engine.client
        configured = client.inspect_image(NAME)["Config"]
        assert (configured["Entrypoint"], configured["Cmd"], configured["User"]) == (None, ["/bin/sh"], "1000:1000")
        assert configured["WorkingDir"] == "/c2t/work"
        assert configured["Env"] == ["WORD=x"]
        assert configured["Labels"] == {"change2task.dev/key": "abc", owner.LABEL: ""}
    finally:
        workshop.sandbox.engine.client.remove_image(NAME)


def test_an_image_that_nobody_has_is_said_with_the_ways_out() -> None:
    with pytest.raises(SandboxError, match=r"localhost:9/no/such:image is not on .*\(docker login\).*docker load"):
        images.find(Engine.connect(), "localhost:9/no/such:image")
