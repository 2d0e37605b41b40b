"""Marks, tags and removal through a registry's API, against a small one of the test's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from change2task.cluster.registry import Registry, RegistryFault
from change2task.cluster.remote import digest_of


class Small(BaseHTTPRequestHandler):
    """Manifests by tag and digest, blobs by digest, tags two a page."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._get()

    def do_GET(self) -> None:
        self._get()

    def _get(self) -> None:
        server: Kept = self.server  # type: ignore[assignment]
        _, _, name, kind, word = self.path.partition("?")[0].split("/")
        if kind == "tags":
            return self._tags(server, name)
        found = (server.blobs if kind == "blobs" else server.manifests.get(name, {})).get(word)
        self._say(404 if found is None else 200, found or b"", digest_of(found or b""))
        return None

    def _tags(self, server: Kept, name: str) -> None:
        if name not in server.manifests:
            return self._say(404)
        if server.odd:
            return self._say(200, b"[1]")
        tags = sorted(tag for tag in server.manifests[name] if ":" not in tag)
        last = self.path.partition("last=")[2]
        rest = [tag for tag in tags if tag > last]
        link = f'</v2/{name}/tags/list?last={rest[1]}>; rel="next"' if len(rest) > 2 else ""
        self._say(200, json.dumps({"name": name, "tags": rest[:2] or None}).encode(), link=link)
        return None

    def do_POST(self) -> None:
        self._body()
        self.send_response(202)
        self.send_header("Location", f"/v2/{self.path.split('/')[2]}/blobs/uploads/1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_PUT(self) -> None:
        server: Kept = self.server  # type: ignore[assignment]
        content, parts = self._body(), self.path.partition("?")[0].split("/")
        if parts[3] == "blobs":
            server.blobs[digest_of(content)] = content
        else:
            server.puts.append(parts[4])
            kept = server.manifests.setdefault(parts[2], {})
            kept[parts[4]] = kept[digest_of(content)] = content
        self._say(201)

    def do_DELETE(self) -> None:
        server: Kept = self.server  # type: ignore[assignment]
        parts = self.path.split("/")
        if not server.lets_go:
            return self._say(405)
        gone = server.manifests[parts[2]].get(parts[4])
        server.manifests[parts[2]] = {tag: one for tag, one in server.manifests[parts[2]].items() if one != gone}
        self._say(404 if gone is None else 202)
        return None

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _say(self, code: int, body: bytes = b"", digest: str = "", link: str = "") -> None:
        self.send_response(code)
        for name, value in (("Docker-Content-Digest", digest), ("Link", link)):
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


class Kept(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Small)
        self.manifests: dict[str, dict[str, bytes]] = {}
        self.blobs: dict[str, bytes] = {}
        self.puts: list[str] = []
        self.lets_go, self.odd = True, False


@pytest.fixture
def server() -> Iterator[Kept]:
    with Kept() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def registry(server: Kept, **told: object) -> Registry:
    return Registry(f"127.0.0.1:{server.server_address[1]}", insecure=True, **told)  # type: ignore[arg-type]


def test_a_use_is_marked_before_anything_else_and_once(server: Kept) -> None:
    marking = registry(server, mark=lambda digest: f"made-{digest[7:12]}", marked=("steps",))
    reference = marking.push_document("steps", b"{}", "application/json")
    hexed = reference.rpartition(":")[2]
    assert server.puts == [f"made-{hexed[:5]}", f"sha256-{hexed}"]
    marking.push_document("steps", b"{}", "application/json")
    assert len(server.puts) == 2, "the same use on the same day is no other"
    marking.push_document("outcomes", b"{}", "application/json")
    assert len(server.puts) == 3, "what is kept for good bears no mark"


def test_without_a_mark_all_is_as_ever(server: Kept) -> None:
    reference = registry(server).push_document("steps", b"{}", "application/json")
    assert server.puts == [f"sha256-{reference.rpartition(':')[2]}"]


def test_tags_come_page_by_page_and_removal_takes_them_along(server: Kept) -> None:
    known = registry(server)
    kept = [known.push_document("steps", f"{number}".encode(), "text/plain") for number in range(5)]
    digests = [one.partition("@")[2] for one in kept]
    assert set(known.tags("steps")) == {digest.replace(":", "-") for digest in digests}
    known.remove("steps", digests[0])
    known.remove("steps", digests[0])
    assert set(known.tags("steps")) == {digest.replace(":", "-") for digest in digests[1:]}
    assert known.tags("asked") == ()


def test_a_list_that_is_none_is_told(server: Kept) -> None:
    server.manifests["odd"] = {"latest": b""}
    server.odd = True
    with pytest.raises(RegistryFault, match=r"list of .* is none"):
        registry(server).tags("odd")


def test_a_registry_that_removes_nothing_says_so(server: Kept) -> None:
    known = registry(server)
    reference = known.push_document("steps", b"1", "text/plain")
    server.lets_go = False
    with pytest.raises(RegistryFault, match="cannot let go of a manifest: 405"):
        known.remove("steps", reference.partition("@")[2])
