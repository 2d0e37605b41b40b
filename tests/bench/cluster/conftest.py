"""The cluster that is measured: hack/kind's, with the product on it; nothing is started for a measurement."""

from __future__ import annotations

from pathlib import Path

import pytest

from hack.kind.cluster import running
from hack.kind.settings import Settings as KindSettings
from tests.cluster.kubectl import Kubectl


@pytest.fixture
def kubectl(tmp_path: Path) -> Kubectl:
    cluster = running(KindSettings.from_environment())
    assert cluster is not None, "make cluster, make install, kubectl apply -f examples/demo/"
    return Kubectl(str(cluster.kubectl), cluster.kubeconfig, tmp_path)
