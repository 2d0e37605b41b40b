"""A base comes to be in pods: fetched with credentials, built by an engine beside, run in steps; nothing leaks."""

from __future__ import annotations

import gzip
import json
import tarfile
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Repository, Revision
from change2task.api.reasons import Reason
from change2task.cluster.base_jobs import BuildJob, FetchJob, RegistryAccess
from change2task.cluster.failures import Failure, failure_of
from change2task.cluster.layers import layer_of
from change2task.cluster.parts import Subject
from change2task.cluster.registry import Registry
from change2task.cluster.step_job import StepJob
from change2task.pipeline.spoken import content_of
from change2task.pipeline.wire import (
    BuildInput,
    BuildResult,
    FetchInput,
    FetchResult,
    RegistryPlace,
    StepInput,
    StepResult,
    StepTold,
)
from hack.kind.cluster import Cluster
from tests.cluster.kubectl import Kubectl, wait_for
from tests.cluster.test_images import images
from tests.support.packages import toy_project
from tests.support.repos import RepoBuilder

__all__ = ["images"]

pytestmark = pytest.mark.timeout(1800)
MARKER = "the-answer-nobody-may-read"
URL = "https://git.example.org/toy.git"
WORDS = "only-for-tests"


@dataclass(frozen=True)
class Room:
    """Namespaces of a test's own, a repository behind a password, and the registry as it is named here and there."""

    kubectl: Kubectl
    cluster: Cluster
    registry: Registry
    prefix: str
    runner: str
    builder: str
    namespace: str
    builds: str
    source: str
    repository: RepoBuilder

    @property
    def access(self) -> RegistryAccess:
        return RegistryAccess(host=self.cluster.registry, insecure=True)

    @property
    def place(self) -> RegistryPlace:
        return RegistryPlace(prefix=f"{self.cluster.registry}/{self.prefix}", insecure=True)

    def subject(self, base: ModernBase) -> Subject:
        return Subject(kind="ModernBase", name=base.metadata.name, namespace=self.namespace, uid=self.prefix)

    def with_files(self, image: str, **files: bytes) -> str:
        """An image with files below /c2t; two underscores stand for a slash."""
        layer = layer_of({f"/c2t/{name.replace('__', '/')}.json": content for name, content in files.items()})
        here = image.replace(self.cluster.registry, self.cluster.registry_on_host)
        grown = self.registry.append(here, layer, repository="asked")
        return grown.replace(self.cluster.registry_on_host, self.cluster.registry)

    def run(self, manifest: dict[str, Any]) -> bytes | Failure:
        """Run a Job to its end: what its main container said, checked against its last word, or why it failed."""
        meta = manifest["metadata"]
        meta.pop("ownerReferences", None)
        where = ("-n", meta["namespace"])
        made = self.kubectl.apply(manifest)
        assert made.code == 0, made.errors
        wait_for(f"the end of {meta['name']}", lambda: bool(self._ended(meta)), seconds=600)
        pods = self.kubectl.get("pods", *where, "-l", f"batch.kubernetes.io/job-name={meta['name']}")["items"]
        if self._ended(meta) == "Failed":
            return failure_of(self.kubectl.get("job", meta["name"], *where), pods[-1])
        main = pods[-1]["spec"]["containers"][0]["name"]
        log = self.kubectl("logs", *where, pods[-1]["metadata"]["name"], "-c", main)
        [status] = pods[-1]["status"]["containerStatuses"]
        told = StepTold.model_validate_json(status["state"]["terminated"]["message"])
        return content_of(log.encode(), told.digest)

    def _ended(self, meta: Mapping[str, Any]) -> str | None:
        job = self.kubectl.get("job", meta["name"], "-n", meta["namespace"])
        conditions = job.get("status", {}).get("conditions", ())
        return next(
            (c["type"] for c in conditions if c["type"] in {"Complete", "Failed"} and c["status"] == "True"), None
        )

    def fetch(self, base: ModernBase, secret: Mapping[str, str] | None) -> bytes | Failure:
        if secret is not None:
            made = self.kubectl.apply(
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "git-read"}, "stringData": dict(secret)},
                namespace=self.namespace,
            )
            assert made.code == 0, made.errors
        asked = FetchInput(base=base, source=self.source, image=self.runner, registry=self.place)
        named = base.spec.repository.credentials_secret_ref
        return self.run(
            FetchJob(
                subject=self.subject(base),
                key=uuid4().hex,
                step=0,
                attempt=1,
                image=self.with_files(self.runner, ask__input=asked.canonical()),
                registry=self.access,
                credentials=None if named is None else named.name,
            ).manifest()
        )

    def build(self, asked: BuildInput, image: str) -> BuildResult:
        job = BuildJob(
            subject=self.subject(asked.base),
            key=uuid4().hex,
            step=1,
            attempt=1,
            namespace=self.builds,
            image=self.with_files(image, ask__input=asked.canonical()),
            builder=self.builder,
            registry=self.access,
            index=self.cluster.index,
        )
        content = self.run(job.manifest())
        assert isinstance(content, bytes), content
        return BuildResult.model_validate_json(content)

    def step(self, base: ModernBase, image: str, built: BuildResult) -> StepResult:
        asked = StepInput(base=base, built=built.built, ground=built.ground)
        job = StepJob(
            subject=self.subject(base),
            base_uid=self.prefix,
            key=uuid4().hex,
            step=2,
            attempt=1,
            image=self.with_files(image, step__input=asked.canonical()),
            base_image=built.built[-1].image,
            slots=2,
            seconds=900,
            runtime_class="nonet",
        )
        content = self.run(job.manifest())
        assert isinstance(content, bytes), content
        return StepResult.model_validate_json(content)


@pytest.fixture
def room(kubectl: Kubectl, kind_cluster: Cluster, images: Mapping[str, str]) -> Iterator[Room]:
    prefix = f"test-{uuid4().hex[:8]}"
    repository = RepoBuilder(kind_cluster.git_folder / "private" / f"{prefix}.git", bare=True)
    with (
        kubectl.namespace({"pod-security.kubernetes.io/enforce": "restricted"}) as namespace,
        kubectl.namespace({"pod-security.kubernetes.io/enforce": "privileged"}) as builds,
    ):
        yield Room(
            kubectl=kubectl,
            cluster=kind_cluster,
            registry=Registry(f"{kind_cluster.registry_on_host}/{prefix}", insecure=True),
            prefix=prefix,
            runner=images["runner"],
            builder=images["builder"],
            namespace=namespace,
            builds=builds,
            source=f"http://git.c2t.test/private/{prefix}.git",
            repository=repository,
        )


def base_of(revision: Revision | None = None, *, secret: bool = True) -> ModernBase:
    named = Reference(name="git-read") if secret else None
    repository = Repository(url=URL, credentials_secret_ref=named)
    return ModernBase(
        metadata=ObjectMeta(name="toy"), spec=ModernBaseSpec(repository=repository, revision=revision or Revision())
    )


def layers(cluster: Cluster, image: str) -> Iterator[tarfile.TarFile]:
    """Every layer of an image of the cluster's registry."""
    host, _, rest = image.partition("/")
    assert host == cluster.registry
    name, _, digest = rest.partition("@")
    kinds = "application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json"
    address = f"http://{cluster.registry_on_host}/v2/{name}"
    asked = urllib.request.Request(f"{address}/manifests/{digest}", headers={"Accept": kinds})
    with urllib.request.urlopen(asked) as answer:
        manifest = json.load(answer)
    for layer in manifest["layers"]:
        with urllib.request.urlopen(f"{address}/blobs/{layer['digest']}") as answer:
            content = gzip.decompress(answer.read())
        with tarfile.open(fileobj=BytesIO(content)) as layer_files:
            yield layer_files


def test_where_the_first_revision_has_no_tests_the_next_ones_environment_is_built_and_nothing_of_it_is_in_a_layer(
    room: Room,
) -> None:
    source = f"def value():\n    return '{MARKER}'\n"
    good = room.repository.commit(toy_project(**{"src/toy/answer.py": source}))
    bare = room.repository.commit({"tests/test_toy.py": "VALUE = 1\n"})
    base = base_of(Revision(healthy=bare, target=good))

    content = room.fetch(base, {"username": "reader", "password": WORDS})
    assert isinstance(content, bytes), content
    history = FetchResult.model_validate_json(content).history
    assert history is not None

    first = room.build(
        BuildInput(base=base, history=history, image="python:3.11", images=sources(room), registry=room.place), history
    )
    assert first.ground is not None
    told = room.step(base, first.ground, first)
    assert (told.build, told.done) == (True, False)

    again = BuildInput(
        base=base, history=history, built=first.built, image="python:3.11", images=sources(room), registry=room.place
    )
    grown = room.with_files(first.ground, step__results__0000=told.canonical())
    second = room.build(again, grown)
    assert second.ground is not None
    [new] = [one for one in second.built if one not in first.built]
    second = second.replacing(built=(*first.built, new))
    done = room.step(base, room.with_files(second.ground, step__results__0000=told.canonical()), second)

    assert done.base is not None
    status = done.base.base.status
    assert (status.commit, [one.eligible for one in status.resolution]) == (good, [False, True])
    assert done.base.parcel is not None
    assert done.base.parcel.image == new.image
    assert done.base.parcel.inventory.healthy == ("tests/test_toy.py::test_value",)
    for layer in layers(room.cluster, new.image):
        for member in layer:
            file = layer.extractfile(member) if member.isreg() else None
            assert file is None or MARKER.encode() not in file.read(), member.name

    # What one prefix knows is not built again: a build of the same finds it and is the same.
    assert room.build(again.replacing(built=()), grown).ground == second.ground


def sources(room: Room) -> dict[str, str]:
    return {"python:3.11": f"{room.cluster.registry}/python:3.11"}


WRONG = [
    ("another word", {"username": "reader", "password": "wrong-text"}, "Secret git-read"),
    ("a key for a password", {"username": "reader", "token2": "wrong-text"}, "token2"),
    ("a word without a name", {"password": "wrong-text"}, "lacks username"),
    ("no Secret of that name", None, "git-read"),
]


@pytest.mark.parametrize(("secret", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_credentials_that_do_not_serve_are_told_by_name_and_never_by_what_they_hold(
    room: Room, secret: Mapping[str, str] | None, said: str
) -> None:
    failure = room.fetch(base_of(), secret)
    assert isinstance(failure, Failure)
    assert failure.reason is Reason.CREDENTIALS_REFUSED
    assert said in failure.message
    assert "wrong-text" not in failure.message


def test_a_repository_that_needs_credentials_says_where_to_name_them(room: Room) -> None:
    failure = room.fetch(base_of(secret=False), None)
    assert isinstance(failure, Failure)
    assert failure.reason is Reason.CREDENTIALS_REFUSED
    assert "credentialsSecretRef" in failure.message


def test_an_empty_repository_is_the_bases_own_fault(room: Room) -> None:
    content = room.fetch(base_of(), {"username": "reader", "password": WORDS})
    assert isinstance(content, bytes), content
    told = FetchResult.model_validate_json(content)
    assert told.history is None
    assert told.base is not None
    ready = next(one for one in told.base.base.status.conditions if one.type == "Ready")
    assert ready.reason is Reason.EMPTY_REPOSITORY
