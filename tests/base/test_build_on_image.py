"""Environments in images, for real: an engine, an installer, an index on the loopback, and no network beyond."""

from __future__ import annotations

import io
import tarfile
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from change2task.api.reasons import Reason
from change2task.base import index
from change2task.base.build import Builder
from change2task.base.environment import PlacedEnvironment
from change2task.base.faults import BaseFault, Faulted, ToolchainMissing
from change2task.base.recipe import Recipe
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.docker import images, owner
from change2task.runtime.docker.engine import Engine
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.models import Command, Limits
from change2task.vcs.repository import Repository
from tests.support import engine
from tests.support.packages import MODULE, Index, package_index, toy_project
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.docker
URL = "https://example.org/toy"
INSTALL = "uv pip install -e . dep"
Standing = tuple["Place", PlacedEnvironment]


class Place:
    """A repository with one commit, a cache, and a builder over them whose environments are images."""

    def __init__(self, folder: Path, address: str, *, image: str | None = None, network: str = "host") -> None:
        self.folder, self.image = folder, image or engine.test_image()
        self.engine = Engine.connect()
        self.sandbox = DockerSandbox(self.engine, network=network)
        self.cancel = threading.Event()
        self.builder = Builder(
            sandbox=self.sandbox,
            cache=folder / "cache",
            index=index.settings({"HOME": str(folder), "UV_DEFAULT_INDEX": address}, system=folder),
            environ={"PATH": "/usr/bin:/bin"},
            limits=Limits(seconds=60, disk_bytes=64 << 20),
            cancel=self.cancel,
        )
        self.made: list[str] = []

    def build(self, *setup: str, **changes: object) -> PlacedEnvironment:
        repo = RepoBuilder(self.folder / f"repo-{len(list(self.folder.iterdir()))}")
        repo.commit(toy_project())
        recipe = Recipe.model_validate(
            {
                "toolchain": "python",
                "setup": setup,
                "image": self.image,
                "as_of": date(2024, 3, 1),
                "command": ("python", "-m", "pytest"),
                "format": "pytest",
                "inferred": False,
                **changes,
            }
        )
        with Repository.open(repo.path) as repository:
            placed = self.builder.build(repository, URL, repo.tree(), recipe)
        assert placed.environment.image is not None
        self.made.append(placed.environment.image.id)
        return placed

    def fault(self, *setup: str, **changes: object) -> BaseFault:
        with pytest.raises(Faulted) as caught:
            self.build(*setup, **changes)
        return caught.value.fault

    def run(self, placed: PlacedEnvironment, script: str) -> str:
        """What a line for sh prints in a state; the leftovers are laid beside a tree of one file."""
        inside, layout = placed.runtime(), self.sandbox.layout
        work = self.folder / f"state-{len(list(self.folder.iterdir()))}"
        (work / "src/toy").mkdir(parents=True)
        (work / "src/toy/__init__.py").write_text("WHERE = 'the state'\n")
        inside.lay_leftovers(work)
        log = self.folder / "log"
        self.sandbox.run(
            Command.model_validate(
                {
                    "argv": ("sh", "-c", script),
                    "env": inside.command_env(layout),
                    "cwd": layout.work,
                    "mounts": (*inside.mounts(layout), {"source": work, "target": layout.work, "writable": True}),
                    "image": inside.image,
                    "limits": Limits(seconds=30),
                    "log": log,
                }
            )
        )
        return log.read_text().strip()

    def remove(self) -> None:
        for image in set(self.made):
            if images.stands(self.engine, image):
                self.engine.client.remove_image(image)

    def left(self) -> list[str]:
        """Containers and unfinished layers of this program on the engine."""
        mine = {"label": f"{owner.LABEL}={owner.this_program()}"}
        client = self.engine.client
        found = [*client.containers(all=True, filters=mine), *client.images(filters={**mine, "dangling": True})]
        return [one["Id"] for one in found]


@pytest.fixture(scope="module")
def server() -> Iterator[Index]:
    with package_index() as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        served.add("dep", "2.0", uploaded="2024-06-01")
        served.add("pip", "24.0", uploaded="2024-01-01")
        yield served


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory, server: Index) -> Iterator[Standing]:
    """One environment that tests only look at, with its place."""
    place = Place(tmp_path_factory.mktemp("standing"), server.url)
    placed = place.build(INSTALL, "echo kept > /opt/by-setup", "mkdir made && echo x > made/file",
                         system_packages=("c2t-hello",))  # fmt: skip
    yield place, placed
    place.remove()


@pytest.fixture
def place(tmp_path: Path, server: Index) -> Iterator[Place]:
    made = Place(tmp_path, server.url)
    yield made
    made.remove()


def test_states_find_the_packages_of_the_date_and_their_own_tree(standing: Standing) -> None:
    place, placed = standing
    assert placed.environment.dated
    assert place.run(placed, "python -c 'import dep, toy; print(dep.VERSION, toy.WHERE)'") == "1.0 the state"


def test_states_find_what_setup_did_to_the_system_and_the_system_packages(standing: Standing) -> None:
    place, placed = standing
    assert place.run(placed, "cat /opt/by-setup; c2t-hello") == "kept\nhello"


def test_what_setup_left_in_the_work_folder_is_laid_into_every_state(standing: Standing) -> None:
    place, placed = standing
    assert placed.environment.leftovers == ("made/file", "toy.egg-info/PKG-INFO")
    assert place.run(placed, "cat made/file") == "x"


def test_states_cannot_write_into_the_environment_and_are_no_root(standing: Standing) -> None:
    place, placed = standing
    said = place.run(placed, 'id -un; touch "$VIRTUAL_ENV/x"')
    assert said.startswith("c2t\n")
    assert "Read-only file system" in said


def test_the_interpreter_is_the_images_own(standing: Standing) -> None:
    place, placed = standing
    found = placed.environment.tools.interpreter
    assert found is not None
    assert place.run(placed, "python -c 'import platform, sys; print(platform.python_version())'") == found.version
    assert placed.environment.tools.mounts() == ()


def test_the_status_names_image_and_digest(standing: Standing) -> None:
    place, placed = standing
    summary = placed.environment.summary()
    assert summary.image == f"change2task-base:{placed.environment.key[:12]}"
    assert summary.digest == place.engine.client.inspect_image(summary.image)["Id"]
    assert summary.digest.startswith("sha256:")


def test_its_modules_are_known_though_they_lie_in_the_image(standing: Standing) -> None:
    assert {"dep", "json"} <= standing[1].modules()


def test_the_image_says_what_it_is(standing: Standing) -> None:
    place, placed = standing
    assert placed.environment.image is not None
    configured = place.engine.client.inspect_image(placed.environment.image.name)["Config"]
    start = images.find(place.engine, place.image)
    assert configured["Labels"] == {
        "change2task.dev/key": placed.environment.key,
        "change2task.dev/start-image": start.id,
        owner.LABEL: "",
    }
    assert "VIRTUAL_ENV=/c2t/env" in configured["Env"]


def test_no_layer_holds_project_code(standing: Standing) -> None:
    place, placed = standing
    assert placed.environment.image is not None
    saved = io.BytesIO(b"".join(place.engine.client.get_image(placed.environment.image.name)))
    lines = [line.encode() for line in MODULE.splitlines() if line]
    seen = 0
    with tarfile.open(fileobj=saved) as whole:
        for layer in (member for member in whole if member.name.endswith("layer.tar")):
            with tarfile.open(fileobj=whole.extractfile(layer)) as tar:
                for member in tar:
                    file = tar.extractfile(member) if member.isreg() else None
                    data = b"" if file is None else file.read()
                    seen += len(data)
                    assert not any(line in data for line in lines), member.name
    assert seen > 1 << 20


def test_an_environment_is_built_once_for_a_key(standing: Standing) -> None:
    place, placed = standing
    born = (placed.folder / "environment.json").stat().st_mtime_ns
    again = place.builder.standing(placed.environment.key)
    assert again == placed
    assert (placed.folder / "environment.json").stat().st_mtime_ns == born


def test_an_image_that_was_removed_is_made_again(place: Place) -> None:
    first = place.build(toolchain="none")
    place.remove()
    assert place.builder.standing(first.environment.key) is None
    again = place.build(toolchain="none")
    assert again.environment.key == first.environment.key
    assert place.run(again, "echo here") == "here"


def test_another_start_image_is_another_environment(place: Place) -> None:
    first = place.build(toolchain="none")
    client = place.engine.client
    made = client.create_container(place.image, ["true"])["Id"]
    client.commit(made, repository="change2task-test-other", tag="1")
    client.remove_container(made)
    place.made.append("change2task-test-other:1")
    second = place.build(toolchain="none", image="change2task-test-other:1")
    assert first.environment.key != second.environment.key


def test_what_the_image_sets_holds_for_setup_and_states(place: Place) -> None:
    client = place.engine.client
    made = client.create_container(place.image, ["true"])["Id"]
    client.commit(made, repository="change2task-test-other", tag="2", changes=["ENV WORD=x", "ENV PATH=/opt/own:/bin"])
    client.remove_container(made)
    place.made.append("change2task-test-other:2")
    placed = place.build('test "$WORD" = x', toolchain="none", image="change2task-test-other:2")
    assert place.run(placed, 'echo $WORD; echo "$PATH" | cut -d: -f1').splitlines() == ["x", "/opt/own"]


@pytest.mark.parametrize("then", [(), ("rm -r /opt/copy",)])
def test_copies_of_the_projects_code_in_any_layer_are_refused(place: Place, then: tuple[str, ...]) -> None:
    found = place.fault("cp -r src /opt/copy", *then, toolchain="none")
    assert found.reason is Reason.PROJECT_IN_ENVIRONMENT
    assert "opt/copy/toy/__init__.py in the image" in found.message
    assert place.left() == []


def test_a_failing_step_is_the_bases_fault_and_leaves_nothing_on_the_engine(place: Place) -> None:
    found = place.fault("echo x > /opt/x", "echo this went wrong >&2; exit 3", toolchain="none")
    assert found.reason is Reason.SETUP_FAILED
    assert "this went wrong" in found.message
    assert place.left() == []


def test_filling_the_images_disk_is_stopped(place: Place) -> None:
    filler = "n=0; while :; do n=$((n+1)); head -c 4000000 /dev/zero > /opt/file-$n; done"
    found = place.fault(filler, toolchain="none")
    assert found.reason is Reason.SETUP_STOPPED
    assert "filled its folders" in found.message


def test_a_cancelled_build_leaves_nothing(place: Place) -> None:
    threading.Timer(2.0, place.cancel.set).start()
    with pytest.raises(Cancelled):
        place.build("echo x > /opt/x", "sleep 60", toolchain="none")
    assert place.left() == []


def test_credentials_reach_the_index_and_nothing_that_is_kept(tmp_path: Path) -> None:
    with package_index(user="robot:hunter2") as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        place = Place(tmp_path, served.url)
        placed = place.build("env; echo $UV_DEFAULT_INDEX; touch /opt/x; " + INSTALL)
    kept = [path for path in placed.folder.rglob("*") if path.is_file()]
    assert any(b"***" in path.read_bytes() for path in kept)
    assert not [path for path in kept if b"hunter2" in path.read_bytes()]
    assert placed.environment.image is not None
    saved = b"".join(place.engine.client.get_image(placed.environment.image.name))
    place.remove()
    assert b"hunter2" not in saved


def test_a_package_that_the_distribution_does_not_have_is_the_bases_fault(place: Place) -> None:
    found = place.fault(system_packages=("nobody-has-this",), toolchain="none")
    assert found.reason is Reason.SETUP_FAILED
    assert "spec.environment.systemPackages (nobody-has-this)" in found.message
    assert "Unable to locate package" in found.message


def test_package_sources_that_cannot_be_reached_are_a_fault_of_the_machine(place: Place) -> None:
    client = place.engine.client
    lost = "echo 'deb [trusted=yes] http://127.0.0.1:9 ./' > /etc/apt/sources.list"
    made = client.create_container(place.image, ["sh", "-c", lost])["Id"]
    client.start(made)
    client.wait(made)
    client.commit(made, repository="change2task-test-other", tag="3")
    client.remove_container(made)
    place.made.append("change2task-test-other:3")
    with pytest.raises(InfrastructureFault, match="package sources cannot be reached"):
        place.build(system_packages=("c2t-hello",), toolchain="none", image="change2task-test-other:3")


def test_a_base_without_an_image_is_told_the_ways_out(place: Place) -> None:
    found = place.fault(image=None)
    assert found.reason is Reason.RECIPE_UNKNOWN
    assert "spec.environment.image is absent" in found.message
    assert "CHANGE2TASK_DOCKER_IMAGE" in found.message


def test_an_image_that_cannot_be_had_is_a_fault_of_the_machine(place: Place) -> None:
    with pytest.raises(ToolchainMissing, match=r"spec\.environment\.image: image localhost:9/no/such:1 is not on"):
        place.build(image="localhost:9/no/such:1")


def test_a_python_that_the_image_lacks_is_said_with_what_it_has(place: Place) -> None:
    with pytest.raises(ToolchainMissing, match=r"requires Python <3; image \S+ has 3\.\d+\.\d+"):
        place.build(python={"specifier": "<3"})


def test_an_index_that_containers_cannot_reach_is_said_before_setup(tmp_path: Path, server: Index) -> None:
    place = Place(tmp_path, server.url, network="bridge")
    with pytest.raises(InfrastructureFault, match=r"http://127\.0\.0\.1:\d+ is .* set CHANGE2TASK_DOCKER_NETWORK=host"):
        place.build(INSTALL)
