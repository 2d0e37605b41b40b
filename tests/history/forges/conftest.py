from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from change2task.history.forges.client import Client, Waiting


@dataclass
class Answer:
    """What a server says to one question."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Server:
    """A forge on loopback that answers by path, one answer after the other, and keeps what it was asked."""

    url: str = ""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def says(self, path: str, *answers: Answer) -> None:
        self.answers[path] = list(answers)

    def answer(self, path: str) -> Answer:
        waiting = self.answers.get(path) or self.answers.get(path.partition("?")[0])
        if not waiting:
            return Answer({"message": "Not Found"}, 404)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append((self.path, dict(self.headers.items())))
            answer = told.answer(self.path)
            content = answer.content()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(content)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    told.url = f"http://127.0.0.1:{http.server_port}"
    yield told
    http.shutdown()
    http.server_close()
    thread.join()


@dataclass
class Time:
    """A clock that goes on only by sleeping."""

    now: float = 1_700_000_000.0
    slept: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def waiting(self) -> Waiting:
        return Waiting(lambda: self.now, self.sleep, self.said.append)


@pytest.fixture
def time() -> Time:
    return Time()


Connect = Callable[..., Client]


@pytest.fixture
def connect(server: Server, time: Time) -> Iterator[Connect]:
    made: list[Client] = []

    def run(token: str | None = None, url: str | None = None) -> Client:
        made.append(Client(url or server.url, token, time.waiting, hint="that is https://forge/api"))
        return made[-1]

    yield run
    for client in made:
        client.close()
