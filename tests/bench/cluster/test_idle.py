"""What candidates cost that nothing is done about: memory and looks of the operator with many that wait for a base.

They are made in the namespace that it watches, under a base that is not there, told so one by one, and removed again.
Prints resident memory before, with all of them told, and after they are gone; seconds until all were told; looks.
"""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.bench.cluster.metrics import MIB, metrics
from tests.cluster.kubectl import Kubectl, wait_for

NAMESPACE = "default"
LABEL = "tests.change2task.dev/idle"
MANY = 2000
SECONDS = 1800.0


@pytest.mark.bench
@pytest.mark.timeout(2 * SECONDS)
def test_many_that_wait(kubectl: Kubectl, capsys: pytest.CaptureFixture[str]) -> None:
    before, started = metrics(kubectl), time.monotonic()
    made = kubectl.run("apply", "--server-side", "-f", "-", stdin=json.dumps(waiting()), seconds=SECONDS)
    assert made.code == 0, made.errors
    applied = time.monotonic() - started
    try:
        wait_for("every candidate told what it waits for", lambda: told(kubectl) == MANY, seconds=SECONDS)
        seconds, idle = time.monotonic() - started, metrics(kubectl)
    finally:
        kubectl("delete", "tc", "-n", NAMESPACE, f"--selector={LABEL}", "--wait=false", seconds=SECONDS)
        wait_for("none of them there", lambda: not left(kubectl), seconds=SECONDS)
    after = metrics(kubectl)
    looks = sum(idle[name] - before.get(name, 0) for name in idle if name.startswith("change2task_looks_total"))
    memory = [one["process_resident_memory_bytes"] / MIB for one in (before, idle, after)]
    with capsys.disabled():
        print(  # noqa: T201 - what a benchmark is for
            f"\n{MANY} candidates: applied in {applied:.0f} s, all told after {seconds:.0f} s, {looks / MANY:.1f} looks"
            f" each; resident memory {memory[0]:.0f} MiB, {memory[1]:.0f} with them, {memory[2]:.0f} after"
        )


def waiting() -> dict[str, Any]:
    """Candidates of a base that nobody applies."""
    items = [
        {
            "apiVersion": "change2task.dev/v1alpha1",
            "kind": "TaskCandidate",
            "metadata": {"name": f"idle-{number}", "namespace": NAMESPACE, "labels": {LABEL: "yes"}},
            "spec": {"baseRef": {"name": "idle"}, "change": {"pullRequest": number + 1}},
        }
        for number in range(MANY)
    ]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def told(kubectl: Kubectl) -> int:
    path = r"{range .items[*]}{.status.conditions[?(@.type=='Ready')].reason}{'\n'}{end}"
    reasons = kubectl("get", "tc", "-n", NAMESPACE, f"--selector={LABEL}", "-o", f"jsonpath={path}", seconds=300)
    return reasons.split().count("BaseNotFound")


def left(kubectl: Kubectl) -> bool:
    return bool(kubectl("get", "tc", "-n", NAMESPACE, f"--selector={LABEL}", "-o", "name", seconds=300).strip())
