"""The shortest way through all rooms on a real cluster: one base and three candidates, applied and judged by pods.

It is what every run of CI does; the whole demo, and the operator killed on the way, are test_demo's.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

import pytest
import yaml

from hack.install.release import ROOT
from hack.kind.cluster import Cluster
from tests.cluster.kubectl import Kubectl
from tests.cluster.verdicts import (
    NAMESPACE,
    Document,
    as_on_a_cluster,
    as_on_a_machine,
    install,
    on_this_machine,
)

pytestmark = [pytest.mark.smoke, pytest.mark.timeout(1500)]
SECONDS = 900
CHANGES = ("4.12.3", "4.2.3", "4.9.0")
"""One that is accepted, one that is refused by what ran, and one that nothing need be run for."""
LABEL = "tests.change2task.dev/smoke"


@dataclass(frozen=True)
class Smoke:
    """Candidates as they ended on the cluster and on this machine, by name."""

    kubectl: Kubectl
    there: dict[str, Document]
    here: dict[str, Document]


@pytest.fixture(scope="module")
def smoke(kind_cluster: Cluster, kubectl: Kubectl, tmp_path_factory: pytest.TempPathFactory) -> Smoke:
    install()
    folder = tmp_path_factory.mktemp("smoke")
    manifest = folder / "smoke.yaml"
    manifest.write_text(yaml.safe_dump_all(documents()))
    kubectl("delete", "--ignore-not-found", "-f", str(manifest))
    kubectl("apply", "-n", NAMESPACE, "-f", str(manifest))
    here = on_this_machine(kind_cluster, manifest, folder / "store")
    done = subprocess.run(
        kubectl.words(
            *("wait", "--for=condition=Ready", "taskcandidate", "-n", NAMESPACE, f"--selector={LABEL}"),
            f"--timeout={SECONDS}s",
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + kubectl("describe", "mb,tc", "-n", NAMESPACE)
    found = kubectl.get("taskcandidates", "-n", NAMESPACE, f"--selector={LABEL}")["items"]
    return Smoke(kubectl, {one["metadata"]["name"]: one for one in found}, here)


def documents() -> list[Document]:
    """A base and three candidates of the demo, under names of their own."""
    kept = []
    for one in yaml.safe_load_all((ROOT / "examples" / "demo" / "humanize.yaml").read_text(encoding="utf-8")):
        meta = one["metadata"]
        if one["kind"] == "ModernBase" or meta["name"] in {f"humanize-{change}" for change in CHANGES}:
            one["metadata"] = {**meta, "name": meta["name"].replace("humanize", "smoke"), "labels": {LABEL: "yes"}}
            if one["kind"] == "TaskCandidate":
                one["spec"]["baseRef"] = {"name": "smoke"}
            kept.append(one)
    return kept


def test_each_verdict_is_that_of_a_run_on_one_machine(smoke: Smoke) -> None:
    assert len(smoke.there) == len(CHANGES)
    assert as_on_a_cluster(smoke.there) == as_on_a_machine(smoke.here)


def test_what_is_accepted_is_published_and_what_is_refused_is_not(smoke: Smoke) -> None:
    references = {name: one["status"].get("variantRef") for name, one in smoke.there.items()}

    assert {name: reference is not None for name, reference in references.items()} == {
        name: one["status"]["accepted"] for name, one in smoke.there.items()
    }
    names = [reference["name"] for reference in references.values() if reference]
    assert len(names) == 1
    assert smoke.kubectl.get("taskvariant", names[0], "-n", NAMESPACE)["spec"]["trees"]["task"]


def test_no_pod_that_ran_repository_code_had_a_token(smoke: Smoke) -> None:
    pods = smoke.kubectl.get("pods", "-n", NAMESPACE, "--selector=change2task.dev/network=none")["items"]

    assert pods
    assert {pod["spec"]["automountServiceAccountToken"] for pod in pods} == {False}
