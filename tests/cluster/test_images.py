"""The project's images as pods run them: under Pod Security restricted, and an engine in a privileged one."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hack.images.__main__ import make
from hack.images.bytecode import UNCHECKED
from hack.images.grounds import debian_grounds
from hack.images.recipes import RECIPES, build
from hack.kind.cluster import Cluster
from hack.kind.settings import Settings
from hack.layers import PRIVILEGED, Image
from tests.cluster.kubectl import Kubectl
from tests.cluster.pods import Pods

# Where none is built yet, three Debian trees come first.
pytestmark = pytest.mark.timeout(1800)

RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""As our own pods are; who runs it is left to the image."""


@pytest.fixture(scope="session")
def images(kind_cluster: Cluster) -> Mapping[str, str]:
    """Name to reference, pushed to the cluster's registry."""
    return make(Settings.from_environment())


def built(name: str) -> Image:
    settings = Settings.from_environment()
    return build(settings, name, debian_grounds(settings)[RECIPES[name].ground], "any:1").image


@pytest.fixture
def restricted(kubectl: Kubectl) -> Iterator[Pods]:
    with kubectl.namespace({"pod-security.kubernetes.io/enforce": "restricted"}) as name:
        yield Pods(kubectl, name, "")


def run(pods: Pods, image: str, script: str) -> str:
    """Run it with nothing writable but /tmp, and the demand that the image names a user other than root."""
    told: dict[str, Any] = {
        "securityContext": {"runAsNonRoot": True},
        "container": {
            "securityContext": RESTRICTED,
            "volumeMounts": [{"name": "temporary", "mountPath": "/tmp"}],
        },
        "volumes": [{"name": "temporary", "emptyDir": {}}],
    }
    return pods.run(script, image=image, **told)


FORBIDDEN = re.compile(
    r"(.*/)?\.(git|ssh|aws|kube|docker|netrc|pypirc|cache|bash_history)(/.*)?"
    r"|var/(cache/apt|lib/apt/lists|log)/.+|etc/ssh/ssh_host_.*|etc/(resolv\.conf|hostname|machine-id)|tmp/.+"
    r"|opt/change2task/.*/(tests?|conftest\.py)(/.*)?"
)


@pytest.mark.parametrize("name", RECIPES)
def test_an_image_holds_no_secret_no_cache_no_history_and_no_byte_code_with_a_time(
    images: Mapping[str, str], name: str
) -> None:
    found, secrets, dated = [], [], []
    for layer in built(name).layers:
        with tarfile.open(layer.path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isreg() else None
                content = file.read() if file else b""
                if FORBIDDEN.fullmatch(member.name):
                    found.append(member.name)
                if member.name.startswith(("etc/", "root/", "home/", "var/")) and b"PRIVATE KEY--" in content:
                    secrets.append(member.name)
                if member.name.endswith(".pyc") and content[4:8] != UNCHECKED:
                    dated.append(member.name)

    assert (found, secrets, dated) == ([], [], [])


@pytest.mark.parametrize("name", ["runner", "operator"])
def test_our_own_pods_are_nobody_special_and_cannot_become_it(images: Mapping[str, str], name: str) -> None:
    image = built(name)

    assert image.settings["User"] == "1000:1000"
    for layer in image.layers:
        with tarfile.open(layer.path) as archive:
            assert [member.name for member in archive if member.isreg() and member.mode & PRIVILEGED] == []


@pytest.mark.parametrize("name", ["runner", "operator"])
def test_all_that_our_own_pods_need_runs_restricted(images: Mapping[str, str], restricted: Pods, name: str) -> None:
    script = """
        set -e
        id -u; id -g; echo "$HOME"
        python -c 'import change2task.pipeline, change2task.cli.app; print("imported")'
        change2task --help >/dev/null && echo helped
        git --version | cut -d' ' -f1-2
        ssh -V 2>&1 | cut -d_ -f1
        /opt/change2task/bin/busybox sh -c 'echo static'
        uv --version | cut -d' ' -f1
    """

    told = run(restricted, images[name], script).splitlines()

    assert told == ["1000", "1000", "/tmp", "imported", "helped", "git version", "OpenSSH", "static", "uv"]


def test_git_reads_a_repository_that_belongs_to_someone_else(images: Mapping[str, str], restricted: Pods) -> None:
    script = "git init --quiet --bare /tmp/a && git config --system --get safe.directory"

    assert run(restricted, images["runner"], script) == "*\n"


@pytest.mark.parametrize("program", ["busybox", "uv"])
def test_what_is_lent_to_other_images_needs_no_library(
    images: Mapping[str, str], restricted: Pods, program: str
) -> None:
    told = run(restricted, images["runner"], f"ldd /opt/change2task/bin/{program} 2>&1 || true")

    assert any(words in told for words in ("not a dynamic executable", "statically linked"))


def test_the_bill_of_materials_lies_in_the_image(images: Mapping[str, str], restricted: Pods) -> None:
    told = json.loads(run(restricted, images["runner"], "cat /usr/share/change2task/sbom.json"))
    debian = run(restricted, images["runner"], "dpkg-query -W -f '${Package} ${Version}\\n'").splitlines()

    listed = {f"{one['name']} {one['version']}" for one in told["components"] if one["purl"].startswith("pkg:deb/")}
    assert listed == set(debian)


def test_python_projects_can_be_set_up(images: Mapping[str, str], restricted: Pods) -> None:
    script = (
        "python -m venv /tmp/venv && /tmp/venv/bin/pip --version && python3.11 -m ensurepip --version && git --version"
    )
    patient: dict[str, Any] = {
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000},
        "container": {"securityContext": {**RESTRICTED, "readOnlyRootFilesystem": False}},
    }

    told = restricted.run(script, image=images["python"], **patient)

    assert "(python 3.11)" in told


@pytest.mark.parametrize("user", [0, 1000])
def test_the_builder_s_engine_serves_its_pod(
    images: Mapping[str, str], kind_cluster: Cluster, kubectl: Kubectl, namespace: str, user: int
) -> None:
    shared = {"name": "build", "mountPath": "/c2t/build"}
    engine = {
        "name": "engine",
        "image": images["builder"],
        "args": [f"--insecure-registry=http://{kind_cluster.registry}"],
        "restartPolicy": "Always",
        "securityContext": {"privileged": True},
        "startupProbe": {"exec": {"command": ["docker", "version"]}, "periodSeconds": 1, "failureThreshold": 120},
        "volumeMounts": [shared, {"name": "store", "mountPath": "/var/lib/docker"}],
    }
    script = f"""
        python -c '
import docker
client = docker.from_env()
print(client.info()["Driver"])
print(client.containers.run("{images["python"]}", ["python3", "-c", "print(6 * 7)"], remove=True).decode())
'
    """
    main = {
        "env": [{"name": "DOCKER_HOST", "value": "unix:///c2t/build/docker.sock"}],
        "securityContext": {"runAsUser": user, "runAsGroup": user},
        "volumeMounts": [shared],
    }
    volumes = [{"name": name, "emptyDir": {}} for name in ("build", "store")]

    told = Pods(kubectl, namespace, images["runner"]).run(
        script, container=main, initContainers=[engine], volumes=volumes, seconds=180
    )

    assert told.split() == ["overlay2", "42"]
