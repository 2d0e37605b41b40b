"""The operator's pod on a real cluster: a restricted one, which finds what it was given."""

from __future__ import annotations

from tests.cluster.releases import Release


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
