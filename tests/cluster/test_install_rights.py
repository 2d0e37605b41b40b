"""What the operator that a chart installs may do and may not, and what people may."""

from __future__ import annotations

import pytest

from tests.cluster.kubectl import wait_for
from tests.cluster.releases import ANSWERING, GROUP, Release

JOBS = {("batch", "jobs", verb) for verb in ("get", "list", "watch", "create", "patch", "delete")} | {
    *(("", "pods", verb) for verb in ("get", "list", "watch")),
    ("", "pods/log", "get"),
    ("", "events", "list"),
}
WATCHED = JOBS | {
    *((GROUP, "modernbases", verb) for verb in ("get", "list", "watch")),
    *((GROUP, "taskcandidates", verb) for verb in ("get", "list", "watch", "create")),
    *((GROUP, "taskvariants", verb) for verb in ("get", "list", "watch", "create", "patch")),
    *((GROUP, f"{kind}/status", "patch") for kind in ("modernbases", "taskcandidates", "taskvariants")),
    ("", "events", "create"),
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
        ("create", "taskcandidates.change2task.dev", "watched"),
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
        ("patch", "modernbases.change2task.dev", "watched", ""),
        ("patch", "taskcandidates.change2task.dev", "watched", ""),
        ("delete", "taskcandidates.change2task.dev", "watched", ""),
        ("delete", "taskvariants.change2task.dev", "watched", ""),
        ("get", "configmaps", "watched", ""),
        ("delete", "configmaps", "watched", ""),
        ("list", "configmaps", "watched", ""),
        ("get", "leases.coordination.k8s.io", "system", ""),
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


def test_two_replicas_may_read_and_renew_their_own_lease_and_no_other(fresh: Release) -> None:
    fresh.install(operator={"command": ANSWERING, "replicas": 2})

    lease = "leases.coordination.k8s.io"
    assert fresh.may("get", f"{lease}/{fresh.operator}", fresh.system)
    assert fresh.may("update", f"{lease}/{fresh.operator}", fresh.system)
    assert fresh.may("create", lease, fresh.system)
    assert not fresh.may("get", f"{lease}/another", fresh.system)
    assert not fresh.may("delete", f"{lease}/{fresh.operator}", fresh.system)
    assert not fresh.may("get", f"{lease}/{fresh.operator}", fresh.watched)


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
