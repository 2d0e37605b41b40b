from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from change2task.runtime import supervise

# Tells when its two children run, and waits to be ended.
PARENT = """
import subprocess, sys
words = [sys.executable, "-c", "print(flush=True); input()"]
children = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in "ab"]
for child in children: child.stdout.readline()
print("ready", flush=True)
input()
"""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    supervise.kill_below(process.pid)
    process.kill()
    process.communicate()


class TestUsageBelow:
    def test_counts_descendants_without_their_root(self, parent: subprocess.Popen[str]) -> None:
        usage = supervise.usage_below(parent.pid)
        children = {child.pid for child in psutil.Process(parent.pid).children()}
        assert {process.pid for process in usage.processes} == children
        assert usage.threads == 2
        assert usage.resident_bytes > 2 << 20

    def test_a_scan_of_all_processes_finds_the_same(self, parent: subprocess.Popen[str]) -> None:
        assert set(supervise._scanned_descendants(parent.pid)) == set(supervise._descendants(parent.pid))

    def test_a_process_that_is_gone_has_none(self, parent: subprocess.Popen[str]) -> None:
        parent.kill()
        parent.wait()
        assert supervise.usage_below(parent.pid).processes == ()

    def test_shared_memory_counts_once_where_the_kernel_tells(self, parent: subprocess.Popen[str]) -> None:
        usage = supervise.usage_below(parent.pid)
        exact = supervise.proportional_bytes(usage.processes)
        assert exact is None or 0 < exact < usage.resident_bytes


class TestKill:
    def test_ends_all_descendants_and_leaves_the_root(self, parent: subprocess.Popen[str]) -> None:
        children = supervise.usage_below(parent.pid).processes
        assert supervise.kill_below(parent.pid)
        assert [process for process in children if supervise.alive(process)] == []
        assert parent.poll() is None

    def test_never_ends_another_process_that_has_the_number_now(self, parent: subprocess.Popen[str]) -> None:
        child = supervise.usage_below(parent.pid).processes[0]
        supervise.kill(child._replace(started=child.started - 1))
        assert supervise.alive(child)
