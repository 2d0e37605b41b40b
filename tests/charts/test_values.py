"""The chart's values, their schema and the checkout say the same; Helm is not needed to see it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import yaml

from hack.install.helm import KUBERNETES, PROGRAM, VERSION
from hack.install.release import CHART, ROOT, values_of_the_test_cluster
from hack.install.values import leaves, values_page
from hack.kind.cluster import Cluster
from hack.kind.settings import MODULES

SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
DEFAULTS = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))


def value_at(values: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        values = values[name]
    return values


def paths(values: Any, described: set[tuple[str, ...]], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if above in described or not isinstance(values, dict):
        yield above
        return
    for name, below in values.items():
        yield from paths(below, described, (*above, name))


def test_every_default_is_described_and_every_description_has_a_default() -> None:
    described = {path for path, _ in leaves(SCHEMA)} - {("global",)}

    assert set(paths(DEFAULTS, described)) == described


def test_an_unknown_value_is_refused_at_every_level() -> None:
    def open_ones(said: Any, path: str) -> Iterator[str]:
        if isinstance(said, dict):
            if "properties" in said and "type" in said and said.get("additionalProperties") is not False:
                yield path
            for name, below in said.items():
                yield from open_ones(below, f"{path}/{name}")

    assert list(open_ones(SCHEMA, "")) == []


def test_the_page_of_values_tells_a_default_and_a_meaning() -> None:
    assert "| `caps.builds` | `1` | Base images built at one time;" in values_page(SCHEMA, DEFAULTS)


def test_chart_and_product_have_one_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert chart["version"] == chart["appVersion"] == project["version"]


def test_the_chart_holds_the_definitions_and_nothing_older() -> None:
    held = {path.name: path.read_bytes() for path in (CHART / "definitions").iterdir()}

    assert held == {path.name: path.read_bytes() for path in (ROOT / "crds").iterdir()}


def test_what_is_built_as_helm_is_what_its_module_names() -> None:
    module = (MODULES / "helm" / "go.mod").read_text(encoding="utf-8")

    assert f"helm.sh/helm/v3 v{VERSION} " in module
    assert f"k8s.io/client-go v0.{KUBERNETES[1]}." in module
    assert f"tool {PROGRAM.packages[0]}\n" in module
    assert (MODULES / "helm" / "go.sum").stat().st_size > 0


def test_the_test_cluster_is_told_in_values_that_the_chart_has() -> None:
    cluster = Cluster.model_validate(
        {
            **{"kubeconfig": "/k", "docker_host": None, "node": "n", "registry": "registry.c2t.test:5001"},
            **{"registry_on_host": "localhost:5001", "registry_address": "10.0.0.2", "git": "http://git.c2t.test"},
            **{"git_folder": "/g", "index": "http://index.c2t.test:5000/index/", "kubectl": "/kubectl"},
            "mirrors": {"https://example.org/a": "http://git.c2t.test/a.git"},
        }
    )

    told = values_of_the_test_cluster(cluster)

    described = {path for path, _ in leaves(SCHEMA)}
    assert set(paths(told, described)) <= described
    assert value_at(told, ("mirrors", "repositories")) == {"https://example.org/a": "http://git.c2t.test/a.git"}
