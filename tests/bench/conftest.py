"""Benchmarks are asked for by name: `make bench`, or `-m bench`. No other run of the tests meets them."""

from __future__ import annotations

import pytest

from tests.bench.settings import Settings


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "bench" in str(config.option.markexpr):
        return
    asked = [item for item in items if item.get_closest_marker("bench")]
    config.hook.pytest_deselected(items=asked)
    items[:] = [item for item in items if not item.get_closest_marker("bench")]


@pytest.fixture
def settings() -> Settings:
    return Settings.from_environment()
