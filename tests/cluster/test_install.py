"""The chart on a real cluster: what the operator may do and may not, that its pod is a restricted one, that networks
are closed by what the chart lays, and that people's resources outlive upgrade and uninstall.

No operator is needed: another program answers in its place.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hack.install.release import CHART, ROOT
from tests.cluster.conftest import Ground
from tests.cluster.kubectl import Kubectl, wait_for
from tests.cluster.pods import Pods
from tests.support.helm import Ended, Helm, Values

RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "audit", "warn")}
ANSWERING = yaml.safe_load((ROOT / "tests/charts/stand-in.yaml").read_text("utf-8"))["operator"]["command"]
GROUP = "change2task.dev"


@dataclass(frozen=True)
class Release:
    """An installation of a test's own, which shares nothing with another one but the definitions."""

    kubectl: Kubectl
    helm: Helm
    image: str
    system: str
    watched: str
    builds: str
    elsewhere: str

    @property
    def values(self) -> dict[str, Any]:
        return {
            "registry": {"prefix": "registry.example.org/change2task"},
            "images": {"operator": self.image},
            "operator": {"command": ANSWERING},
            "watch": {"namespaces": [self.watched]},
            "builds": {"namespace": self.builds, "create": False},
            "rbac": {"aggregate": False},
            "crds": {"install": False},
        }

    @property
    def operator(self) -> str:
        return f"{self.system}-change2task-operator"

    @property
    def account(self) -> str:
        return f"system:serviceaccount:{self.system}:{self.operator}"

    def namespace(self, called: str) -> str:
        return str(getattr(self, called))

    def install(self, **values: Any) -> Ended:
        done = self.run("upgrade", "--install", self.system, CHART, "--wait", "--timeout=120s", values=values)
        assert done.code == 0, done.output + done.errors
        return done

    def run(self, *words: str | Path, values: Values | None = None) -> Ended:
        scope = ("--kubeconfig", self.kubectl.kubeconfig, "--namespace", self.system)
        return self.helm.run(*words, *scope, values=None if values is None else {**self.values, **values})

    def may(self, verb: str, resource: str, namespace: str, *more: str) -> bool:
        asked = self.kubectl.run("auth", "can-i", verb, resource, f"--as={self.account}", "-n", namespace, *more)
        assert asked.output.strip() in ("yes", "no"), asked.errors
        return asked.output.strip() == "yes"

    def rules(self, namespace: str) -> set[tuple[str, str, str]]:
        """Everything the operator may do there: group, resource, verb; what everybody may is left out."""
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        }
        told = json.loads(
            self.kubectl(
                "create", "--validate=false", "-f", "-", "-o", "json", f"--as={self.account}", stdin=json.dumps(review)
            )
        )
        assert not told["status"].get("incomplete"), told["status"]
        return {
            (group, resource, verb)
            for rule in told["status"]["resourceRules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
            if not resource.startswith("selfsubject")
        }


def release(ground: Ground, helm: Helm, namespaces: ExitStack) -> Release:
    names = [
        namespaces.enter_context(ground.kubectl.namespace(labels))
        for labels in (RESTRICTED, RESTRICTED, {"pod-security.kubernetes.io/enforce": "privileged"}, {})
    ]
    return Release(ground.kubectl, helm, ground.image, *names)


@pytest.fixture(scope="module")
def installed(ground: Ground, helm: Helm) -> Iterator[Release]:
    with ExitStack() as namespaces:
        made = release(ground, helm, namespaces)
        made.install()
        yield made
        made.run("uninstall", made.system, "--wait")


@pytest.fixture
def fresh(ground: Ground, helm: Helm) -> Iterator[Release]:
    with ExitStack() as namespaces:
        made = release(ground, helm, namespaces)
        yield made
        made.run("uninstall", made.system, "--ignore-not-found")


JOBS = {("batch", "jobs", verb) for verb in ("get", "list", "watch", "create", "patch", "delete")} | {
    *(("", "pods", verb) for verb in ("get", "list", "watch")),
    ("", "pods/log", "get"),
    ("", "events", "list"),
}
WATCHED = JOBS | {
    *((GROUP, kind, verb) for kind in ("modernbases", "taskcandidates") for verb in ("get", "list", "watch", "patch")),
    *((GROUP, "taskvariants", verb) for verb in ("get", "list", "watch", "create", "patch", "delete")),
    *((GROUP, f"{kind}/status", "patch") for kind in ("modernbases", "taskcandidates", "taskvariants")),
    *(("", "configmaps", verb) for verb in ("get", "create", "patch")),
    *(("", "events", verb) for verb in ("create", "patch")),
}


@pytest.mark.parametrize(
    ("called", "whole"), [("watched", WATCHED), ("builds", JOBS), ("system", set()), ("elsewhere", set())]
)
def test_the_operator_s_rights_in_a_namespace_are_these_and_no_others(
    installed: Release, called: str, whole: set[tuple[str, str, str]]
) -> None:
    assert installed.rules(installed.namespace(called)) == whole


@pytest.mark.parametrize(
    ("verb", "resource", "called"),
    [
        ("list", "modernbases.change2task.dev", "watched"),
        ("patch", "taskcandidates.change2task.dev", "watched"),
        ("create", "taskvariants.change2task.dev", "watched"),
        ("create", "jobs.batch", "watched"),
        ("delete", "jobs.batch", "watched"),
        ("watch", "pods", "watched"),
        ("create", "events", "watched"),
        ("create", "jobs.batch", "builds"),
    ],
)
def test_the_operator_may(installed: Release, verb: str, resource: str, called: str) -> None:
    assert installed.may(verb, resource, installed.namespace(called))


@pytest.mark.parametrize("subresource", ["status"])
@pytest.mark.parametrize("kind", ["modernbases", "taskcandidates", "taskvariants"])
def test_the_operator_may_write_status(installed: Release, kind: str, subresource: str) -> None:
    assert installed.may("patch", f"{kind}.{GROUP}", installed.watched, f"--subresource={subresource}")


@pytest.mark.parametrize(
    ("verb", "resource", "called", "subresource"),
    [
        ("get", "secrets", "watched", ""),
        ("list", "secrets", "watched", ""),
        ("list", "secrets", "system", ""),
        ("list", "secrets", "builds", ""),
        ("create", "pods", "watched", ""),
        ("delete", "pods", "watched", ""),
        ("create", "pods", "watched", "exec"),
        ("get", "pods", "watched", "exec"),
        ("create", "pods", "builds", "exec"),
        ("create", "pods", "watched", "attach"),
        ("create", "pods", "watched", "portforward"),
        ("update", "pods", "watched", "ephemeralcontainers"),
        ("create", "serviceaccounts", "watched", "token"),
        ("create", "modernbases.change2task.dev", "watched", ""),
        ("delete", "modernbases.change2task.dev", "watched", ""),
        ("delete", "taskcandidates.change2task.dev", "watched", ""),
        ("delete", "configmaps", "watched", ""),
        ("list", "configmaps", "watched", ""),
        ("list", "modernbases.change2task.dev", "builds", ""),
        ("create", "configmaps", "builds", ""),
        ("list", "modernbases.change2task.dev", "elsewhere", ""),
        ("list", "pods", "elsewhere", ""),
        ("create", "jobs.batch", "elsewhere", ""),
        ("create", "jobs.batch", "system", ""),
        ("get", "configmaps", "system", ""),
        ("list", "pods", "kube-system", ""),
        ("create", "rolebindings.rbac.authorization.k8s.io", "watched", ""),
        ("patch", "networkpolicies.networking.k8s.io", "watched", ""),
    ],
)
def test_the_operator_may_not(installed: Release, verb: str, resource: str, called: str, subresource: str) -> None:
    namespace = called if called.startswith("kube-") else installed.namespace(called)
    more = (f"--subresource={subresource}",) if subresource else ()

    assert not installed.may(verb, resource, namespace, *more)


@pytest.mark.parametrize(
    ("verb", "resource"),
    [
        ("list", "nodes"),
        ("list", "namespaces"),
        ("patch", "namespaces"),
        ("list", "customresourcedefinitions.apiextensions.k8s.io"),
        ("create", "clusterrolebindings.rbac.authorization.k8s.io"),
    ],
)
def test_the_operator_may_not_of_the_whole_cluster(installed: Release, verb: str, resource: str) -> None:
    assert not installed.may(verb, resource, "default")


@pytest.mark.parametrize("resource", ["modernbases.change2task.dev", "jobs.batch", "pods", "secrets"])
def test_in_namespaced_mode_nothing_is_listed_across_namespaces(installed: Release, resource: str) -> None:
    asked = installed.kubectl.run("auth", "can-i", "list", resource, f"--as={installed.account}", "--all-namespaces")

    assert asked.output.strip() == "no"


def test_cluster_wide_it_answers_everywhere_and_still_reads_no_secret(fresh: Release) -> None:
    fresh.install(watch={"clusterWide": True, "namespaces": []})

    assert fresh.rules(fresh.elsewhere) == WATCHED | {("", "namespaces", verb) for verb in ("get", "list")}
    assert fresh.may("list", "namespaces", "default")
    assert not fresh.may("list", "secrets", fresh.elsewhere)
    assert not fresh.may("list", "nodes", "default")


def test_who_is_given_no_rights_has_none(fresh: Release) -> None:
    fresh.install(rbac={"create": False, "aggregate": False})

    assert fresh.rules(fresh.watched) == set()


def test_pod_security_restricted_takes_the_operator_without_a_warning(fresh: Release) -> None:
    told = fresh.install()

    assert "violate" not in told.errors.lower()
    ready = fresh.kubectl.get("deployment", fresh.operator, "-n", fresh.system)["status"]["readyReplicas"]
    assert ready == 1


def test_the_operator_s_pod_can_write_its_tmp_alone_and_finds_its_settings(installed: Release) -> None:
    script = (
        "id -u; id -g; touch /x 2>/dev/null || echo closed; touch /tmp/x && echo open;"
        " head -1 /etc/change2task/operator.yaml; ls /var/run/secrets/kubernetes.io/serviceaccount/token;"
        " grep CapEff /proc/self/status"
    )

    told = installed.kubectl(
        "exec", "-n", installed.system, f"deployment/{installed.operator}", "--", "sh", "-c", script
    )

    assert told.splitlines() == [
        *("1000", "1000", "closed", "open", "registry:"),
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "CapEff:\t0000000000000000",
    ]


def test_a_secret_of_registry_credentials_is_mounted_where_the_operator_looks(fresh: Release) -> None:
    content = '{"auths": {}}'
    fresh.kubectl(
        *("create", "secret", "generic", "push", "-n", fresh.system, "--type=kubernetes.io/dockerconfigjson"),
        f"--from-literal=.dockerconfigjson={content}",
    )

    fresh.install(registry={"prefix": "registry.example.org", "credentialsSecret": "push"})

    read = fresh.kubectl(
        *("exec", "-n", fresh.system, f"deployment/{fresh.operator}", "--"),
        *("cat", "/etc/change2task-registry/.dockerconfigjson"),
    )
    assert read == content


@pytest.fixture
def server(installed: Release) -> str:
    return Pods(installed.kubectl, installed.elsewhere, installed.image).serve("server", "hello")


CLOSED_CONTAINER = {
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
}


@pytest.mark.parametrize("called", ["watched", "builds"])
def test_pods_that_fetch_reach_out_and_others_do_not(installed: Release, server: str, called: str) -> None:
    pods = Pods(installed.kubectl, installed.namespace(called), installed.image)
    script = f"sleep 2; nc -w 5 {server} 8080 </dev/null 2>/dev/null || echo closed"

    started = {
        network: pods.start(script, labels={"change2task.dev/network": network}, container=CLOSED_CONTAINER)
        for network in ("fetch", "none", "fetsch")
    }

    told = {network: pods.result(name)[1].strip() for network, name in started.items()}

    assert told == {"fetch": "hello", "none": "closed", "fetsch": "closed"}


def test_nobody_reaches_a_pod_that_fetches(installed: Release) -> None:
    labels = {"change2task.dev/network": "fetch"}
    pods = Pods(installed.kubectl, installed.watched, installed.image)
    name = pods.start("while :; do echo hello | nc -l -p 8080; done", labels=labels, container=CLOSED_CONTAINER)
    installed.kubectl("-n", installed.watched, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")
    address = installed.kubectl.get("pod", name, "-n", installed.watched)["status"]["podIP"]

    told = Pods(installed.kubectl, installed.elsewhere, installed.image).run(
        f"sleep 2; nc -w 5 {address} 8080 </dev/null 2>/dev/null || echo closed"
    )

    assert told.strip() == "closed"


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


def test_what_runs_on_after_uninstall_finds_its_network_closed(fresh: Release) -> None:
    fresh.install()

    gone = fresh.run("uninstall", fresh.system, "--wait")

    assert gone.code == 0, gone.errors
    for namespace in (fresh.watched, fresh.builds):
        names = fresh.kubectl("get", "networkpolicy", "-n", namespace, "-o", "name").split()
        assert [name.rpartition("-")[2] for name in names] == ["closed", "fetch"]
    assert fresh.install().code == 0


def test_a_namespace_that_is_watched_must_exist_and_is_named(fresh: Release) -> None:
    refused = fresh.run("upgrade", "--install", fresh.system, CHART, values={"watch": {"namespaces": ["test-absent"]}})

    assert refused.code != 0
    assert 'namespaces "test-absent" not found' in refused.errors


def test_who_may_view_or_edit_a_namespace_may_so_with_our_resources(fresh: Release) -> None:
    fresh.install(rbac={"create": True, "aggregate": True})
    people = {"ada": "view", "eve": "edit"}
    for name, role in people.items():
        fresh.kubectl("create", "rolebinding", name, f"--clusterrole={role}", f"--user={name}", "-n", fresh.watched)

    def may(name: str, verb: str, kind: str) -> bool:
        asked = fresh.kubectl.run("auth", "can-i", verb, f"{kind}.{GROUP}", f"--as={name}", "-n", fresh.watched)
        return asked.output.strip() == "yes"

    wait_for("the roles are aggregated", lambda: may("ada", "list", "taskcandidates"))
    assert may("eve", "create", "modernbases")
    assert may("eve", "create", "taskcandidates")
    assert may("eve", "delete", "taskvariants")
    assert may("eve", "patch", "taskvariants"), "that asks for a replay"
    assert not may("eve", "create", "taskvariants")
    assert not may("eve", "update", "taskvariants")
    assert not may("ada", "create", "taskcandidates")
