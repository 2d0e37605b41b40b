"""A pod that is not closed is found out by trying; what is refused or silent is closed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.pods import isolation
from change2task.pods.isolation import NotClosed, check_closed, known_targets, name_servers, open_ways


@pytest.fixture
def listening() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def refusing() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def test_what_takes_a_connection_is_open(listening: str, refusing: str) -> None:
    assert open_ways((listening, refusing), ()) == (listening,)


def test_what_never_answers_is_closed_once_the_time_is_over() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        held = [socket.socket() for _ in range(4)]
        for one in held:
            one.setblocking(False)
            one.connect_ex(address)
        # Its queue is full by now, so whoever comes next gets no answer at all.
        assert open_ways((f"127.0.0.1:{address[1]}",), (), seconds=0.3) == ()
        for one in held:
            one.close()


@pytest.mark.parametrize("target", ["no-such-name.invalid:443", "127.0.0.1:notaport", "300.1.1.1:1"])
def test_what_cannot_even_be_tried_is_closed(target: str) -> None:
    assert open_ways((target,), (), seconds=0.3) == ()


def test_a_name_server_that_answers_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        asked = isolation._asking

        def answer() -> None:
            question, sender = server.recvfrom(512)
            server.sendto(question[:2] + b"\x81\x80", sender)

        thread = threading.Thread(target=answer)
        thread.start()

        def redirected(_: str) -> socket.socket | None:
            question = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            question.setblocking(False)
            question.connect(server.getsockname())
            question.send(isolation._QUERY)
            return question

        monkeypatch.setattr(isolation, "_asking", redirected)
        assert open_ways((), ("10.0.0.10",)) == ("name server 10.0.0.10",)
        thread.join()
        assert asked is not isolation._asking


def test_what_kubernetes_tells_every_pod_is_tried() -> None:
    assert known_targets({"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}) == (
        "10.96.0.1:443",
    )
    assert known_targets({}) == ()


def test_name_servers_are_those_of_the_pod(tmp_path: Path) -> None:
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("search x\nnameserver 10.96.0.10\n# nameserver 1.2.3.4\nnameserver fd00::a\n")
    assert name_servers(resolver) == ("10.96.0.10", "fd00::a")
    assert name_servers(tmp_path / "none") == ()


def test_a_policy_that_takes_hold_a_little_later_is_waited_for(listening: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([(listening,), (listening,), ()])
    monkeypatch.setattr(isolation, "_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(isolation, "open_ways", lambda *_: next(answers))
    check_closed((listening,), allow_open=False)


def test_what_stays_open_is_told_by_its_address(listening: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "name_servers", tuple)
    monkeypatch.setattr(isolation, "known_targets", tuple)
    with pytest.raises(NotClosed, match=listening):
        check_closed((listening,), allow_open=False, patience=0)
    check_closed((listening,), allow_open=True, patience=0)
