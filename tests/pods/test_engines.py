"""A container engine outside of the cluster: a real one behind TLS on the loopback, and what a wrong key is told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.checks.passes import InfrastructureFault
from change2task.cluster.engines import BUILD_FOLDER, ENGINE_SECRET
from change2task.pods.engines import connected, own_folder
from change2task.pods.faults import CredentialsFault
from change2task.pods.places import Places
from change2task.runtime.docker.engine import USUAL_SOCKET
from tests.support import engine
from tests.support.certificates import Authority, authority, in_front_of, server_context

SECRET = "engine-tls"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority"))


def shown(folder: Path, to: Authority, by: Authority) -> dict[str, str]:
    """The variables and files by which a build reaches an engine: whom it knows, and who it is."""
    folder.mkdir()
    certificate, key = by.sign("client")
    for source, name in ((to.certificate, "ca.pem"), (certificate, "cert.pem"), (key, "key.pem")):
        shutil.copy(source, folder / name)
    return {"DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(folder), ENGINE_SECRET: SECRET}


@pytest.fixture
def address(known: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A real engine behind TLS, which lets clients of the authority in."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)  # they come before what a client is told, and pods have none
    engine.test_image()
    socket = os.environ.get("DOCKER_HOST", USUAL_SOCKET).removeprefix("unix://")
    with in_front_of(Path(socket), server_context(known.sign("engine"), known)) as port:
        yield f"tcp://127.0.0.1:{port}"


@pytest.mark.docker
def test_an_engine_is_reached_by_tls(tmp_path: Path, known: Authority, address: str) -> None:
    told = {**shown(tmp_path / "pair", known, known), "DOCKER_HOST": address}
    sandbox = connected(told, {})
    assert sandbox.engine.client.ping()
    sandbox.engine.close()


@pytest.mark.docker
@pytest.mark.parametrize("who", ["engine", "client"])
def test_who_does_not_know_the_other_is_told_at_once(tmp_path: Path, known: Authority, address: str, who: str) -> None:
    stranger = authority(tmp_path / "stranger", "stranger")
    pair = (stranger, known) if who == "engine" else (known, stranger)
    told = {**shown(tmp_path / "pair", *pair), "DOCKER_HOST": address}
    with pytest.raises(CredentialsFault, match=f"Secret {SECRET} do not know each other"):
        connected(told, {})


def test_a_secret_that_is_not_there_or_half_is_told_by_its_keys(tmp_path: Path) -> None:
    told = {"DOCKER_HOST": "tcp://127.0.0.1:1", "DOCKER_CERT_PATH": str(tmp_path), ENGINE_SECRET: SECRET}
    with pytest.raises(CredentialsFault, match=r"is not there or lacks ca\.crt, tls\.crt, tls\.key"):
        connected(told, {})
    (tmp_path / "ca.pem").write_text("x")
    (tmp_path / "key.pem").write_text("x")
    with pytest.raises(CredentialsFault, match=r"lacks tls\.crt$"):
        connected(told, {})


def test_an_engine_that_does_not_come_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureFault, match="did not answer within 0 s") as told:
        connected({"DOCKER_HOST": f"unix://{tmp_path}/none.sock"}, {}, seconds=0)
    assert not isinstance(told.value, CredentialsFault)


def test_a_build_beside_others_has_a_folder_that_goes_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "towncrier-1"
    folder.mkdir(parents=True)
    (folder / "of an earlier attempt").write_text("")
    (tmp_path / "build" / "another").mkdir()
    with own_folder(Places(), {BUILD_FOLDER: str(folder)}) as places:
        assert (places.build, list(folder.iterdir())) == (folder, [])
        (folder / "x").write_text("")
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["another"]
    with own_folder(Places(), {}) as places:
        assert places.build == Places().build
