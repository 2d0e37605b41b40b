"""How the registry client proves who it is, against one of the test's own that asks: by password, or by token."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from change2task.cluster.registry import Registry, RegistryFault

SECRET = "s3cret-text"
BASIC = base64.b64encode(f"pusher:{SECRET}".encode()).decode()
REFERENCE = "things/one@sha256:" + "a" * 64


class Asking(BaseHTTPRequestHandler):
    """Says that everything is there to whoever may know; ``how`` it asks is told by its server."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        server: Server = self.server  # type: ignore[assignment]
        server.asked.append(self.path)
        given = self.headers.get("Authorization", "")
        if self.path.startswith("/token"):
            server.tokens += given == f"Basic {BASIC}"
            self._say(200 if given == f"Basic {BASIC}" else 401, json.dumps({"token": f"t{server.tokens}"}).encode())
        elif given == {"basic": f"Basic {BASIC}", "token": f"Bearer t{server.tokens or None}"}.get(server.how):
            self._say(200)
        elif server.how in {"basic", "token"}:
            challenge = (
                'Basic realm="here"'
                if server.how == "basic"
                else f'Bearer realm="http://{server.host}/token",service="s",scope="repository:p/things/one:pull"'
            )
            self._say(401, Www_Authenticate=challenge)
        else:
            self._say(int(server.how))

    def _say(self, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


class Server(ThreadingHTTPServer):
    def __init__(self, how: str) -> None:
        super().__init__(("127.0.0.1", 0), Asking)
        self.how, self.tokens, self.asked = how, 0, list[str]()
        self.host = f"127.0.0.1:{self.server_address[1]}"


@contextmanager
def registry(how: str) -> Iterator[Server]:
    with Server(how) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def auth(folder: Path, host: str, **one: str) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({"auths": {host: one}}))
    return path


@pytest.mark.parametrize("how", ["basic", "token"])
@pytest.mark.parametrize("given", [{"auth": BASIC}, {"username": "pusher", "password": SECRET}], ids=["auth", "pair"])
def test_whoever_may_is_let_in(tmp_path: Path, how: str, given: dict[str, str]) -> None:
    with registry(how) as server:
        client = Registry(f"{server.host}/p", insecure=True, auth=auth(tmp_path, server.host, **given))
        assert client.exists(f"{server.host}/p/{REFERENCE}")


def test_a_token_is_used_until_it_runs_out_and_then_another_is_asked_for(tmp_path: Path) -> None:
    with registry("token") as server:
        client = Registry(f"{server.host}/p", insecure=True, auth=auth(tmp_path, server.host, auth=BASIC))
        for _ in range(2):
            assert client.exists(f"{server.host}/p/{REFERENCE}")
        assert server.tokens == 1
        server.tokens = 2
        assert client.exists(f"{server.host}/p/{REFERENCE}")
        assert server.tokens == 3


@pytest.mark.parametrize("how", ["basic", "token"])
def test_whoever_may_not_is_told_so_without_what_was_tried(tmp_path: Path, how: str) -> None:
    wrong = base64.b64encode(b"pusher:wrong-text").decode()
    with registry(how) as server:
        client = Registry(f"{server.host}/p", insecure=True, auth=auth(tmp_path, server.host, auth=wrong))
        with pytest.raises(RegistryFault) as told:
            client.exists(f"{server.host}/p/{REFERENCE}")
    assert (told.value.kind, told.value.retryable) == ("unauthorised", False)
    assert wrong not in str(told.value)
    assert "wrong-text" not in str(told.value)


def test_credentials_of_another_host_are_shown_to_nobody(tmp_path: Path) -> None:
    with registry("basic") as server:
        client = Registry(f"{server.host}/p", insecure=True, auth=auth(tmp_path, "other.example.com", auth=BASIC))
        with pytest.raises(RegistryFault, match="credentials"):
            client.exists(f"{server.host}/p/{REFERENCE}")


@pytest.mark.parametrize("content", ["{", "[]", '{"auths": {"HOST": {"auth2": "s3cret-text"}}}', '{"auths": 1}'])
def test_a_file_that_is_none_is_told_by_name_alone(tmp_path: Path, content: str) -> None:
    with registry("basic") as server:
        path = tmp_path / "config.json"
        path.write_text(content.replace("HOST", server.host))
        with pytest.raises(RegistryFault, match=r"config\.json") as told:
            Registry(f"{server.host}/p", insecure=True, auth=path).exists(f"{server.host}/p/{REFERENCE}")
    assert SECRET not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [("403", "unauthorised", False), ("413", "tooLarge", False), ("429", "unreachable", True),
     ("500", "unreachable", True), ("503", "unreachable", True), ("400", "refused", False)],
)  # fmt: skip
def test_refusals_are_told_apart(code: str, kind: str, retryable: bool) -> None:
    with registry(code) as server, pytest.raises(RegistryFault) as told:
        Registry(f"{server.host}/p", insecure=True).exists(f"{server.host}/p/{REFERENCE}")
    assert (told.value.kind, told.value.retryable) == (kind, retryable)


def test_a_registry_that_is_away_may_come_back() -> None:
    with registry("basic") as server:
        host = server.host
    with pytest.raises(RegistryFault) as told:
        Registry(f"{host}/p", insecure=True).exists(f"{host}/p/{REFERENCE}")
    assert (told.value.kind, told.value.retryable) == ("unreachable", True)
