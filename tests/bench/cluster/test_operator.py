"""What the operator adds to its Jobs: the demo's candidates judged anew by it, then the same Jobs made by a script.

Bases stand already and images are on the node both times. The script knows beforehand what each candidate's Jobs are,
and does nothing but create each when the one before it has ended, as many at a time as the operator may. Prints seconds
and their ratio, looks, and the operator's processor time and memory as it tells them itself.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from change2task.cluster import names
from change2task.operator.jobs import is_over
from tests.bench.cluster.metrics import MIB, metrics
from tests.cluster.kubectl import Kubectl, wait_for

AT_A_TIME = 3
"""As ``make install`` lets run at a time on the test cluster."""
SECONDS = 1800.0
DEMO = "default"


@pytest.mark.bench
@pytest.mark.timeout(2 * SECONDS)
def test_an_operator_against_the_same_jobs_by_a_script(kubectl: Kubectl) -> None:
    before = metrics(kubectl)
    token, started = uuid4().hex, time.monotonic()
    kubectl("annotate", "tc", "--all", "-n", DEMO, "--overwrite", f"change2task.dev/retry={token}")
    until_judged(kubectl)
    operator = time.monotonic() - started
    after = metrics(kubectl)
    chains = jobs_by_candidate(kubectl)
    started = time.monotonic()
    made = by_script(kubectl, chains)
    script = time.monotonic() - started
    for name in made:
        kubectl("delete", "job", name, "-n", DEMO, "--wait=false")
    candidates = len(kubectl.get("tc", "-n", DEMO)["items"])
    looks = sum(after[k] - before.get(k, 0) for k in after if k.startswith("change2task_looks_total"))
    cpu = after["process_cpu_seconds_total"] - before["process_cpu_seconds_total"]
    told = (
        f"candidates {candidates}, Jobs {len(made)}, at a time {AT_A_TIME}",
        f"operator {operator:.0f} s, script {script:.0f} s, ratio {operator / script:.2f}",
        f"looks a candidate {looks / candidates:.1f}, processor seconds a candidate {cpu / candidates:.2f}",
        f"resident memory {after['process_resident_memory_bytes'] / MIB:.0f} MiB",
    )
    print("\n" + "\n".join(told))  # noqa: T201 - what a benchmark is for


def until_judged(kubectl: Kubectl) -> None:
    keys: dict[str, str] = {}

    def over() -> bool:
        # All of them are asked each time: the first answer is what a later one is compared with.
        waiting = [one for one in kubectl.get("tc", "-n", DEMO)["items"] if not judged(one, keys)]
        return not waiting

    wait_for("another verdict of every candidate", over, seconds=SECONDS)


def judged(one: dict[str, Any], keys: dict[str, str]) -> bool:
    """Whether a candidate has a verdict under another key than the one it had first."""
    status = one.get("status") or {}
    key = (status.get("stages") or {}).get("verdict")
    first = keys.setdefault(one["metadata"]["name"], key or "")
    return status.get("accepted") is not None and key is not None and key != first


def jobs_by_candidate(kubectl: Kubectl) -> list[deque[dict[str, Any]]]:
    """The Jobs of the present verdicts, in the order of their steps."""
    keys = {
        one["metadata"]["uid"]: one["status"]["stages"]["verdict"] for one in kubectl.get("tc", "-n", DEMO)["items"]
    }
    chains: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for job in kubectl.get("jobs", "-n", DEMO, f"--selector={names.SUBJECT_KIND}=TaskCandidate")["items"]:
        uid = job["metadata"]["labels"][names.SUBJECT_UID]
        if job["metadata"]["annotations"][names.KEY] == keys.get(uid):
            chains[uid].append(job)
    return [deque(sorted(jobs, key=lambda job: int(job["metadata"]["labels"][names.STEP]))) for jobs in chains.values()]


def by_script(kubectl: Kubectl, chains: list[deque[dict[str, Any]]]) -> list[str]:
    """Run the chains, so many Jobs at a time; names of what was made."""
    waiting, going, made = deque(chains), {}, list[str]()
    while waiting or going:
        while waiting and len(going) < AT_A_TIME:
            chain = waiting.popleft()
            name = f"bare-{uuid4().hex[:10]}"
            done = kubectl.apply(bare(chain.popleft(), name))
            assert done.code == 0, done.errors
            going[name] = chain
            made.append(name)
        wait_for("the end of a Job", lambda: any(ended(kubectl, going)), seconds=SECONDS)
        for name in list(ended(kubectl, going)):
            if chain := going.pop(name):
                waiting.append(chain)
    return made


def bare(job: dict[str, Any], name: str) -> dict[str, Any]:
    """The same pod, in a Job that the operator does not know."""
    template = job["spec"]["template"]
    labels = {names.NETWORK: template["metadata"]["labels"][names.NETWORK]}
    spec = {key: job["spec"][key] for key in ("backoffLimit", "activeDeadlineSeconds", "podFailurePolicy")}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": DEMO},
        "spec": {**spec, "template": {"metadata": {"labels": labels}, "spec": template["spec"]}},
    }


def ended(kubectl: Kubectl, going: dict[str, Any]) -> Iterator[str]:
    for job in kubectl.get("jobs", "-n", DEMO)["items"]:
        if job["metadata"]["name"] in going and is_over(job):
            yield job["metadata"]["name"]
