"""What versions.toml says of a program, and what the module that builds it requires, are the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hack.kind.settings import MODULES, Settings

VERSIONS = Settings.from_environment({"HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}).versions
TEXTS = {name: (MODULES / name / "go.mod").read_text(encoding="utf-8") for name in VERSIONS.programs}


def required(name: str) -> dict[str, str]:
    return dict(re.findall(r"^(?:require)?\s*(\S+\.\S+/\S+) (v\S+)", TEXTS[name], re.MULTILINE))


@pytest.mark.parametrize("name", VERSIONS.programs)
def test_a_module_names_what_it_builds_and_its_checksums_are_there(name: str) -> None:
    tools = re.findall(r"^(?:tool |\t)(\S+/\S+)$", TEXTS[name], re.MULTILINE)

    assert sorted(tools) == sorted(VERSIONS.programs[name].packages)
    assert (MODULES / name / "go.sum").stat().st_size > 0


def test_all_of_kubernetes_is_of_one_version() -> None:
    version = VERSIONS.kubernetes.version
    staged = version.replace("v1.", "v0.", 1)

    assert required("kubernetes")["k8s.io/kubernetes"] == version
    assert set(re.findall(r"=> k8s\.io/\S+ (\S+)", TEXTS["kubernetes"])) == {staged}
    assert VERSIONS.programs["kubernetes"].variables["k8s.io/component-base/version.gitVersion"] == version


def test_coredns_is_of_the_version_that_kubeadm_asks_for() -> None:
    assert required("coredns")["github.com/coredns/coredns"] == VERSIONS.kubernetes.coredns


def test_the_oldest_go_is_the_newest_that_a_module_asks_for() -> None:
    asked = [re.search(r"^go (\S+)$", text, re.MULTILINE) for text in TEXTS.values()]

    newest = max(tuple(int(n) for n in found[1].split(".")) for found in asked if found)

    assert ".".join(map(str, newest)) == VERSIONS.go


def test_settings_are_the_environment_s(tmp_path: Path) -> None:
    settings = Settings.from_environment({"CHANGE2TASK_KIND_CACHE": str(tmp_path), "CHANGE2TASK_KIND_NODE": "build"})

    assert (settings.cache, settings.node) == (tmp_path, "build")
    assert settings.kubeconfig.parent == tmp_path
