"""Installing, upgrading and uninstalling the chart: definitions and people's resources outlive it."""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from hack.install.release import CHART, ROOT
from tests.cluster.releases import Release

BASE = {
    "apiVersion": "change2task.dev/v1alpha1",
    "kind": "ModernBase",
    "metadata": {"name": "mine"},
    "spec": {"repository": {"url": "https://git.example.org/x.git"}},
}


def test_definitions_and_people_s_resources_outlive_upgrade_and_uninstall(fresh: Release) -> None:
    def identities() -> list[str]:
        objects = (("crd", "modernbases.change2task.dev"), ("modernbases", "mine", "-n", fresh.watched))
        return [str(fresh.kubectl.get(*words)["metadata"]["uid"]) for words in objects]

    whole = {"crds": {"install": True}}
    done = fresh.run(
        *("upgrade", "--install", fresh.system, CHART, "--take-ownership", "--wait", "--timeout=120s"), values=whole
    )
    assert done.code == 0, done.errors
    assert fresh.kubectl.apply(BASE, namespace=fresh.watched).code == 0
    before, pod = identities(), fresh.kubectl("get", "pods", "-n", fresh.system, "-o", "name")

    fresh.install(**whole, workers=7)
    assert identities() == before
    assert fresh.kubectl("get", "pods", "-n", fresh.system, "-o", "name") != pod

    gone = fresh.run("uninstall", fresh.system, "--wait")
    assert gone.code == 0, gone.errors
    assert identities() == before
    assert fresh.kubectl("get", "role,rolebinding", "-n", fresh.watched, "-o", "name") == ""
    assert fresh.kubectl("get", "deployment,service", "-n", fresh.system, "-o", "name") == ""


def test_an_upgrade_brings_new_definitions(fresh: Release, tmp_path: Path) -> None:
    def told() -> str:
        definition = fresh.kubectl.get("crd", "taskvariants.change2task.dev")
        return str(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"])

    def upgrade(chart: Path) -> None:
        done = fresh.run(
            *("upgrade", "--install", fresh.system, chart, "--take-ownership"), values={"crds": {"install": True}}
        )
        assert done.code == 0, done.errors

    today = yaml.safe_load((ROOT / "crds" / "taskvariants.yaml").read_text("utf-8"))
    today = today["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"]
    older = shutil.copytree(CHART, tmp_path / "change2task")
    definition = older / "definitions" / "taskvariants.yaml"
    text = definition.read_text("utf-8")
    assert text.count(today) == 1
    definition.write_text(text.replace(today, "As it was."), "utf-8")

    upgrade(older)
    assert told() == "As it was."

    upgrade(CHART)
    assert told() == today


def test_a_namespace_that_is_watched_must_exist_and_is_named(fresh: Release) -> None:
    refused = fresh.run("upgrade", "--install", fresh.system, CHART, values={"watch": {"namespaces": ["test-absent"]}})

    assert refused.code != 0
    assert 'namespaces "test-absent" not found' in refused.errors
