"""The registry client against a real registry: images grow by a layer, documents come back, refusals are told apart."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from change2task.cluster.layers import layer_of
from change2task.cluster.registry import Registry, RegistryFault
from hack.kind.cluster import Cluster
from tests.cluster.pods import Pods


@pytest.fixture(scope="module")
def prefix() -> str:
    return f"test-{uuid4().hex[:8]}"


@pytest.fixture
def registry(kind_cluster: Cluster, prefix: str) -> Registry:
    return Registry(f"{kind_cluster.registry_on_host}/{prefix}", insecure=True)


@pytest.fixture
def image(kind_cluster: Cluster) -> str:
    return f"{kind_cluster.registry_on_host}/busybox:1"


def test_an_image_that_grew_is_run_by_the_node(
    kind_cluster: Cluster, pods: Pods, registry: Registry, image: str
) -> None:
    grown = registry.append(image, layer_of({"/c2t/told": b"put there\n"}), repository="grown")
    again = registry.append(grown, layer_of({"/c2t/more": b"and more\n"}), repository="grown")
    inside = again.replace(kind_cluster.registry_on_host, kind_cluster.registry)
    assert pods.run("cat /c2t/told /c2t/more", image=inside) == "put there\nand more\n"


def test_the_same_layer_on_the_same_image_is_the_same_image(registry: Registry, image: str) -> None:
    layer = layer_of({"/c2t/told": uuid4().hex.encode()})
    first = registry.append(image, layer, repository="same")
    assert registry.append(image, layer, repository="same") == first
    assert registry.append(registry.resolve(image), layer, repository="same") == first
    assert registry.append(image, layer, repository="elsewhere").partition("@")[2] == first.partition("@")[2]


def test_a_document_comes_back_by_its_digest_and_by_its_tag(registry: Registry) -> None:
    content = json.dumps({"told": uuid4().hex}).encode()
    reference = registry.push_document("documents", content, "application/vnd.change2task.test+json", tag="last")
    assert registry.read_document(reference) == content
    assert registry.read_document(registry.below("documents", "last")) == content
    assert registry.push_document("documents", content, "application/vnd.change2task.test+json") == reference


def test_what_is_there_is_told_from_what_is_not(registry: Registry) -> None:
    reference = registry.push_document("documents", b"x", "text/plain")
    assert registry.exists(reference)
    assert not registry.exists(reference.partition("@")[0] + "@sha256:" + "0" * 64)
    assert not registry.exists(registry.below("never", "was"))


def test_a_document_larger_than_asked_for_is_not_read(registry: Registry) -> None:
    reference = registry.push_document("documents", b"x" * 1000, "text/plain")
    with pytest.raises(RegistryFault) as told:
        registry.read_document(reference, most=999)
    assert (told.value.kind, told.value.retryable) == ("tooLarge", False)


def test_an_image_that_is_not_there(registry: Registry) -> None:
    with pytest.raises(RegistryFault) as told:
        registry.append(registry.below("never", "was"), layer_of({}), repository="grown")
    assert (told.value.kind, told.value.retryable) == ("notFound", False)


def test_an_image_is_no_document(registry: Registry, image: str) -> None:
    grown = registry.append(image, layer_of({"/a": b""}), repository="grown")
    with pytest.raises(RegistryFault) as told:
        registry.read_document(grown)
    assert told.value.kind == "damaged"
