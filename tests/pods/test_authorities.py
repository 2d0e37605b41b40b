"""Whom private hosts are known by: for git, a registry and an index, beside those of the image and not instead."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from change2task.cluster.base_jobs import AUTHORITIES
from change2task.cluster.registry import Registry, RegistryFault
from change2task.cluster.trust import bundle
from change2task.pipeline.wire import RegistryPlace
from change2task.pods.authorities import given, index_variables
from change2task.pods.credentials import git_variables
from change2task.pods.faults import CredentialsFault
from change2task.pods.places import Places
from change2task.pods.pushing import registry_of
from tests.cluster_room.test_registry_access import REFERENCE, Server
from tests.support.certificates import Authority, authority, server_context

ENVIRON = {AUTHORITIES: "company-ca"}


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("company"), "company")


@pytest.fixture
def places(tmp_path: Path, company: Authority) -> Places:
    (tmp_path / "authorities").mkdir()
    (tmp_path / "authorities" / "ca.crt").write_bytes(company.certificate.read_bytes())
    return Places(
        authorities=tmp_path / "authorities",
        registry=tmp_path / "none",
        desk=tmp_path / "desk",
        build=tmp_path / "build",
    )


@pytest.fixture
def host(company: Authority) -> Iterator[str]:
    """A registry that shows a certificate of the company's."""
    with Server("200") as server:
        serving: ThreadingHTTPServer = server
        serving.socket = server_context(company.sign("registry")).wrap_socket(serving.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.host
        server.shutdown()
        thread.join()


def test_a_registry_is_known_by_them(places: Places, host: str) -> None:
    assert registry_of(RegistryPlace(prefix=f"{host}/p"), places).exists(f"{host}/p/{REFERENCE}")


def test_a_registry_of_a_stranger_is_not(host: str, tmp_path: Path) -> None:
    other = authority(tmp_path / "other", "other")
    file = bundle(tmp_path / "other.pem", [other.certificate])
    with pytest.raises(RegistryFault, match="its certificate is not trusted") as told:
        Registry(f"{host}/p", authorities=file).exists(f"{host}/p/{REFERENCE}")
    assert not told.value.retryable


def test_the_registrys_own_come_beside_them(places: Places, host: str, tmp_path: Path, company: Authority) -> None:
    other = authority(tmp_path / "other", "other")
    (places.authorities / "ca.crt").write_bytes(other.certificate.read_bytes())
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "ca.crt").write_bytes(company.certificate.read_bytes())
    both = places.replacing(registry=tmp_path / "registry")
    assert registry_of(RegistryPlace(prefix=f"{host}/p"), both).exists(f"{host}/p/{REFERENCE}")


def test_those_of_the_image_stay(tmp_path: Path, company: Authority) -> None:
    system = tmp_path / "system.pem"
    system.write_text("-----BEGIN CERTIFICATE-----\nsystem\n")
    text = bundle(tmp_path / "all.pem", [company.certificate], system=system).read_text()
    assert "system" in text
    assert company.certificate.read_text().strip() in text


def test_git_is_told_of_them_with_and_without_credentials(places: Places, tmp_path: Path, company: Authority) -> None:
    known = given(places, ENVIRON)
    assert known is not None
    told = git_variables(tmp_path / "none", "https://git.example.org/a", tmp_path / "desk", None, known)
    assert list(told) == ["GIT_SSL_CAINFO"]
    assert company.certificate.read_text().strip() in Path(told["GIT_SSL_CAINFO"]).read_text()


def test_setups_tools_are_told_of_a_file_that_the_engine_sees(places: Places) -> None:
    told = index_variables(places, ENVIRON)
    assert set(told.values()) == {str(places.build / "authorities.pem")}
    assert {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO"} <= told.keys()


def test_where_none_are_named_nothing_is_told(tmp_path: Path) -> None:
    places = Places(authorities=tmp_path / "none", build=tmp_path)
    assert (given(places, {}), index_variables(places, {})) == (None, {})


def test_what_is_named_and_not_there_is_told_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(CredentialsFault, match="ConfigMap company-ca is not in this namespace, or lacks the key"):
        given(Places(authorities=tmp_path), ENVIRON)


def test_what_is_no_certificate_is_told(places: Places) -> None:
    (places.authorities / "ca.crt").write_text("s3cret-text")
    with pytest.raises(CredentialsFault, match="holds no certificate") as told:
        index_variables(places, ENVIRON)
    assert "s3cret-text" not in str(told.value)
