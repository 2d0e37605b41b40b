"""What the chart gives for a set of values, and what it refuses with the value's name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from change2task.operator.settings import OperatorSettings
from hack.install.release import CHART, ROOT
from tests.charts.cases import CASES, GOLDEN, LEAST, rendered
from tests.support.helm import Helm, Values


def one(objects: list[dict[str, Any]], kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
    found = [
        made
        for made in objects
        if (made["kind"], made["metadata"]["name"]) == (kind, name)
        and namespace in (None, made["metadata"].get("namespace"))
    ]
    assert len(found) == 1, f"{kind} {name}: {len(found)}"
    return found[0]


def settings(objects: list[dict[str, Any]]) -> Any:
    return yaml.safe_load(one(objects, "ConfigMap", "change2task-operator")["data"]["operator.yaml"])


def merged(*sets: Values) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for values in sets:
        for name, value in values.items():
            inner = isinstance(value, dict) and isinstance(made.get(name), dict)
            made[name] = merged(made[name], value) if inner else value
    return made


@pytest.mark.parametrize("name", CASES)
def test_the_chart_renders_as_recorded(helm: Helm, name: str) -> None:
    recorded = (GOLDEN / f"{name}.yaml").read_text(encoding="utf-8")

    assert rendered(helm, name) == recorded, "python -m tests.charts.cases writes the files anew"


def test_helm_finds_nothing_to_complain_of(helm: Helm) -> None:
    done = helm.run("lint", CHART, "--strict", values=LEAST)

    assert done.code == 0, done.output + done.errors


def test_definitions_are_the_generated_ones_and_outlive_the_release(helm: Helm) -> None:
    made = [
        made
        for made in helm.objects(LEAST, "--show-only", "templates/definitions.yaml")
        if made["kind"] == "CustomResourceDefinition"
    ]

    written = [yaml.safe_load(path.read_text("utf-8")) for path in sorted((ROOT / "crds").glob("*.yaml"))]
    assert [definition["spec"] for definition in made] == [definition["spec"] for definition in written]
    assert [definition["metadata"]["name"] for definition in made] == [d["metadata"]["name"] for d in written]
    assert {definition["metadata"]["annotations"]["helm.sh/resource-policy"] for definition in made} == {"keep"}


def test_the_operator_reads_its_settings_in_their_own_shape(helm: Helm) -> None:
    assert settings(helm.objects(CASES["two-namespaces"])) == {
        "registry": {"prefix": "registry.example.org:5000/c2t", "insecure": True},
        "images": {
            "runner": "registry.example.org:5000/c2t/runner:0.1.0",
            "builder": "registry.example.org:5000/c2t/builder:0.1.0",
        },
        "mirrors": {
            "repositories": {"https://github.com/a/b": "https://git.example.org/a/b.git"},
            "images": {"python:3.11": "registry.example.org/python:3.11"},
        },
        "index": {"url": "https://index.example.org/simple/"},
        "buildsNamespace": "team-builds",
        "watchNamespaces": ["team-a", "team-b"],
        "caps": {"perBase": 2, "perNamespace": 8, "cluster": 16, "builds": 3},
        "workers": 4,
        "slots": 6,
        "allowUnisolated": False,
        "runtimeClassName": "gvisor",
        "profile": "paper",
    }


@pytest.mark.parametrize("name", CASES)
def test_the_operator_takes_the_settings_that_the_chart_writes(helm: Helm, name: str, tmp_path: Path) -> None:
    written = one(helm.objects(CASES[name]), "ConfigMap", "change2task-operator")["data"]["operator.yaml"]
    file = tmp_path / "operator.yaml"
    file.write_text(written, encoding="utf-8")

    read = OperatorSettings.read(file)

    assert read.registry.prefix.startswith("registry.example.org")


def test_without_a_word_of_the_reader_the_operator_has_its_own_defaults(helm: Helm, tmp_path: Path) -> None:
    file = tmp_path / "operator.yaml"
    file.write_text(yaml.safe_dump(settings(helm.objects(LEAST))), encoding="utf-8")

    read = OperatorSettings.read(file)

    said = {"registry": read.registry, "images": read.images, "watch_namespaces": ("default",)}
    assert read == OperatorSettings.model_validate(said)


def test_where_it_reads_everywhere_the_settings_name_no_namespace(helm: Helm) -> None:
    assert settings(helm.objects(CASES["cluster-wide"]))["watchNamespaces"] == []


def test_in_namespaced_mode_the_operator_has_no_right_of_the_whole_cluster(helm: Helm) -> None:
    objects = helm.objects(CASES["two-namespaces"])

    assert [made["metadata"]["name"] for made in objects if made["kind"] == "ClusterRoleBinding"] == []
    bound = {made["metadata"]["namespace"] for made in objects if made["kind"] == "RoleBinding"}
    assert bound == {"team-a", "team-b", "team-builds"}


def test_other_settings_start_the_operator_anew_and_the_same_do_not(helm: Helm) -> None:
    def mark(values: Values) -> str:
        deployment = one(helm.objects(values), "Deployment", "change2task-operator")
        return str(deployment["spec"]["template"]["metadata"]["annotations"]["change2task.dev/settings"])

    assert mark(LEAST) == mark(LEAST)
    assert mark(LEAST) != mark(merged(LEAST, {"workers": 5}))


def test_two_releases_share_no_name(helm: Helm) -> None:
    def names(release: str) -> set[tuple[str, str]]:
        done = helm.run(
            "template", release, CHART, "--set", "crds.install=false", "--set", "builds.create=false", values=LEAST
        )
        return {(m["kind"], m["metadata"]["name"]) for m in yaml.safe_load_all(done.output) if m}

    assert names("red") & names("blue") == set()


def test_text_in_values_stays_text(helm: Helm) -> None:
    odd = {"repositories": {'https://e.org/"a": {{ .Values }}\n- b: \\': "yes"}, "images": {}}

    assert settings(helm.objects(merged(LEAST, {"mirrors": odd})))["mirrors"] == odd


def test_what_is_private_is_said_to_the_operator_and_shown_to_it(helm: Helm) -> None:
    objects = helm.objects(CASES["private"])
    told = settings(objects)
    assert told["registry"]["garbage"] == {"installation": "west1", "afterDays": 14}
    assert (told["authorities"], told["index"]["secret"], told["build"]) == (
        "company-ca",
        "index-read",
        {"builder": "podman"},
    )
    pod = one(objects, "Deployment", "change2task-operator")["spec"]["template"]["spec"]
    assert "--authorities=/etc/change2task-authorities/ca.crt" in pod["containers"][0]["command"]
    assert "index-read" not in str(pod), "the index's Secret is the builds'"


def test_of_two_replicas_each_knows_the_lease_and_may_touch_no_other(helm: Helm) -> None:
    objects = helm.objects(CASES["private"])
    assert settings(objects)["lease"] == {"name": "change2task-operator", "namespace": "change2task-system"}
    [named, made] = one(objects, "Role", "change2task-operator-lease")["rules"]
    assert (named["resourceNames"], named["verbs"], made["verbs"]) == (
        ["change2task-operator"],
        ["get", "update"],
        ["create"],
    )
    assert one(objects, "Deployment", "change2task-operator")["spec"]["replicas"] == 2


def test_one_replica_has_no_right_in_its_own_namespace(helm: Helm) -> None:
    roles = [made for made in helm.objects(LEAST) if made["kind"] in {"Role", "RoleBinding"}]
    assert "change2task-system" not in {made["metadata"]["namespace"] for made in roles}
    assert "lease" not in settings(helm.objects(LEAST))


def test_an_engine_outside_takes_no_privileged_namespace(helm: Helm) -> None:
    labels = one(helm.objects(CASES["external"]), "Namespace", "change2task-builds")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "baseline"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"registry": {"prefix": ""}}, "registry.prefix must be said"),
        ({"registry": {"prefix": "https://registry.example.org"}}, "'/registry/prefix'"),
        ({"registry": {"insecure": "maybe"}}, "'/registry/insecure': got string, want boolean"),
        ({"registry": {"garbage": {"enabled": True}}}, "registry.garbage.installation must be said"),
        ({"registry": {"garbage": {"afterDays": 1}}}, "'/registry/garbage/afterDays': minimum: got 1, want 2"),
        ({"registry": {"colour": "red"}}, "'/registry': additional properties 'colour' not allowed"),
        ({"mirors": {}}, "additional properties 'mirors' not allowed"),
        ({"watch": {"namespaces": []}}, "'/watch/namespaces': minItems: got 0, want 1"),
        ({"watch": {"namespaces": ["Default"]}}, "'/watch/namespaces/0'"),
        ({"watch": {"namespaces": ["a", "a"]}}, "'/watch/namespaces': items at 0 and 1 are equal"),
        (
            {"watch": {"namespaces": ["change2task-system"]}},
            "watch.namespaces: change2task-system is the release's own",
        ),
        ({"watch": {"namespaces": None}}, "'/watch': missing property 'namespaces'"),
        ({"builds": {"namespace": "default"}}, "builds.namespace: default is watched or the release's own"),
        ({"builds": {"namespace": "change2task-system"}}, "builds.namespace: change2task-system is watched"),
        ({"caps": {"builds": 0}}, "'/caps/builds': minimum: got 0, want 1"),
        ({"caps": {"cluster": "lots"}}, "'/caps/cluster': got string, want integer"),
        ({"workers": 1.5}, "'/workers': got number, want integer"),
        ({"profile": "fast"}, "'/profile': value must be one of 'full', 'paper'"),
        ({"index": {"url": "ftp://index"}}, "'/index/url'"),
        ({"images": {"operator": "a b"}}, "'/images/operator'"),
        ({"builds": {"builder": "kaniko"}}, "'/builds/builder': value must be one of 'dind', 'podman', 'external'"),
        ({"builds": {"builder": "podman"}}, "images.podman must be said"),
        ({"builds": {"builder": "external"}}, "builds.external.host must be said"),
        ({"builds": {"external": {"host": "unix:///docker.sock"}}}, "'/builds/external/host'"),
        ({"mirrors": {"images": {"python:3.11": 3}}}, "'/mirrors/images/python:3.11': got number, want string"),
        ({"operator": {"replicas": 3}}, "'/operator/replicas': maximum: got 3, want 2"),
        ({"operator": {"command": "sh"}}, "'/operator/command': got string, want array"),
        ({"operator": {"resources": {"limits": {"memory": "lots"}}}}, "'/operator/resources/limits/memory'"),
        ({"imagePullSecrets": ["name"]}, "'/imagePullSecrets/0': got string, want object"),
        ({"networkPolicies": {"fetchEgress": [{"from": []}]}}, "'/networkPolicies/fetchEgress/0'"),
        ({"serviceMonitor": {"interval": "often"}}, "'/serviceMonitor/interval'"),
    ],
    ids=str,
)
def test_a_wrong_value_is_refused_with_its_name(helm: Helm, wrong: Values, told: str) -> None:
    refused = helm.template(merged(LEAST, wrong))

    assert refused.code != 0
    assert told in refused.errors


def test_what_is_optional_may_be_null(helm: Helm) -> None:
    nothing = {"runtimeClassName": None, "index": {"url": None}, "images": {"operator": None}}

    made = settings(helm.objects(merged(LEAST, nothing)))

    assert made["runtimeClassName"] is None
    assert "index" not in made


PAGE = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
RIGHTS = {
    "In the release's namespace, with two replicas:": (
        "private",
        "Role",
        "change2task-operator-lease",
        "change2task-system",
    ),
    "In each watched namespace:": ("least", "Role", "change2task-operator", "default"),
    "In the builds' namespace:": ("least", "Role", "change2task-operator-builds", "change2task-builds"),
}


def rights(rules: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def documented(heading: str) -> set[tuple[str, str, str]]:
    table = PAGE.split(f"\n{heading}\n\n")[1].split("\n\n")[0].splitlines()[2:]
    told = set()
    for row in table:
        resources, verbs, why = (cell.strip() for cell in row.strip("|").split("|"))
        assert why
        group, names = re.fullmatch(r"(?:`(\S+)` )?(.+)", resources).groups()  # type: ignore[union-attr]
        told |= {(group or "", name, verb) for name in names.split(", ") for verb in verbs.split(", ")}
    return told


@pytest.mark.parametrize("heading", RIGHTS)
def test_every_right_is_told_with_its_reason_and_no_other(helm: Helm, heading: str) -> None:
    case, kind, name, namespace = RIGHTS[heading]

    assert rights(one(helm.objects(CASES[case]), kind, name, namespace)["rules"]) == documented(heading)


def test_cluster_wide_takes_one_right_more_and_it_is_told(helm: Helm) -> None:
    whole = one(helm.objects(CASES["cluster-wide"]), "ClusterRole", "change2task-operator")

    assert rights(whole["rules"]) == documented("In each watched namespace:") | documented("Cluster-wide besides:")


@pytest.mark.parametrize(
    "shown", re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S), ids=["least", "private", "garbage", "egress"]
)
def test_values_that_the_page_shows_are_taken(helm: Helm, shown: str) -> None:
    done = helm.template(merged(LEAST, yaml.safe_load(shown)))

    assert done.code == 0, done.errors
