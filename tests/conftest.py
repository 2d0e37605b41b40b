"""Options of the whole run: which cluster its tests may use. Those of this project never use the ambient one."""

from __future__ import annotations

import signal

import pytest

from change2task.runtime.signals import keep_ignored_to_ourselves

# Tests say what an interrupt does, and must do so when they themselves are somebody's background job.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
keep_ignored_to_ourselves()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cluster", "tests on a real cluster (marker: cluster)")
    group.addoption("--kubeconfig", help="use this cluster; default: the one that hack/kind makes")
    group.addoption("--test-image", help="an image with busybox's sh that pods of the cluster given can pull")
    group.addoption(
        "--require-cluster", action="store_true", help="fail where no cluster can be had, instead of skipping"
    )
    group.addoption("--keep-cluster", action="store_true", help="leave a cluster that the tests had to start")
