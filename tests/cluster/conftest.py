"""The cluster under test: the one given with ``--kubeconfig``, else the one of hack/kind, else none.

Without one the tests are skipped, and say so; in CI, and with ``--require-cluster``, they fail instead, so that skipped
can never look like passed. The ambient kubeconfig is never used.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from hack.kind.cluster import Cluster, down, running, up
from hack.kind.commands import ClusterError
from hack.kind.settings import Settings
from tests.cluster.kubectl import Kubectl
from tests.cluster.pods import Pods
from tests.cluster.releases import Release, release
from tests.support.helm import Helm, helm_or_skip


@dataclass(frozen=True)
class Ground:
    """Where tests run: a cluster, an image for small pods, and hack/kind's own things where it is hack/kind's."""

    kubectl: Kubectl
    image: str
    cluster: Cluster | None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def ground(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    cache = tmp_path_factory.mktemp("kubectl")
    given = pytestconfig.getoption("--kubeconfig")
    if given:
        yield _given(pytestconfig, Path(given), cache)
        return
    settings = Settings.from_environment()
    cluster, started = running(settings), False
    if cluster is None:
        if not _can_start(settings):
            _without(pytestconfig, "no cluster runs and none was ever built here: make cluster, or give --kubeconfig")
        try:
            cluster, started = up(settings), True
        except ClusterError as error:
            _without(pytestconfig, f"the cluster cannot be started: {error}")
    yield Ground(Kubectl(str(cluster.kubectl), cluster.kubeconfig, cache), f"{cluster.registry}/busybox:1", cluster)
    if started and not pytestconfig.getoption("--keep-cluster"):
        down(settings)


@pytest.fixture(scope="session")
def kubectl(ground: Ground) -> Kubectl:
    return ground.kubectl


@pytest.fixture(scope="session")
def kind_cluster(ground: Ground) -> Cluster:
    if ground.cluster is None:
        pytest.skip("this is a promise of hack/kind's cluster, and another one was given")
    return ground.cluster


@pytest.fixture(scope="session")
def helm(pytestconfig: pytest.Config) -> Helm:
    return helm_or_skip(pytestconfig)


@pytest.fixture(scope="session")
def installed(ground: Ground, helm: Helm) -> Iterator[Release]:
    with ExitStack() as namespaces:
        made = release(ground.kubectl, ground.image, helm, namespaces)
        made.install()
        yield made
        made.run("uninstall", made.system, "--wait")


@pytest.fixture
def fresh(ground: Ground, helm: Helm) -> Iterator[Release]:
    with ExitStack() as namespaces:
        made = release(ground.kubectl, ground.image, helm, namespaces)
        yield made
        made.run("uninstall", made.system, "--ignore-not-found")


@pytest.fixture
def namespace(kubectl: Kubectl) -> Iterator[str]:
    with kubectl.namespace() as name:
        yield name


@pytest.fixture
def pods(ground: Ground, namespace: str) -> Pods:
    return Pods(ground.kubectl, namespace, ground.image)


def _given(config: pytest.Config, kubeconfig: Path, cache: Path) -> Ground:
    program = os.environ.get("KUBECTL") or shutil.which("kubectl")
    if program is None or not kubeconfig.is_file():
        raise pytest.UsageError(
            f"--kubeconfig takes a file and a kubectl on PATH (or in KUBECTL); {kubeconfig} was given"
        )
    return Ground(
        Kubectl(program, kubeconfig.resolve(), cache), config.getoption("--test-image") or "busybox:1.36", None
    )


def _can_start(settings: Settings) -> bool:
    """Whether starting takes half a minute, and not half an hour."""
    return os.geteuid() == 0 and (settings.cache / "layers" / "node-images.key").is_file()


def _without(config: pytest.Config, why: str) -> NoReturn:
    if config.getoption("--require-cluster") or os.environ.get("CI"):
        pytest.fail(f"a cluster is demanded here, and {why}", pytrace=False)
    pytest.skip(f"!!! NO CLUSTER: {why}")
