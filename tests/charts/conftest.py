"""What renders the chart needs Helm, which is there where a cluster is: those tests bear its marker."""

from __future__ import annotations

import pytest

from tests.support.helm import Helm, helm_or_skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "helm" in getattr(item, "fixturenames", ()) and "charts" in item.path.parts:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def helm(pytestconfig: pytest.Config) -> Helm:
    return helm_or_skip(pytestconfig)
