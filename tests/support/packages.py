"""Package indexes and projects made on the spot: a local index, small wheels, a project with its own build backend.

They exist so that building environments is tested against a real installer and a real HTTP server without any network.
An index can keep upload dates (JSON, PEP 700) or drop them, as many mirrors do.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution

# A build backend in the tree, so that a project can be installed without fetching one.
BACKEND = """
import base64, hashlib, io, pathlib, zipfile
NAME, VERSION = "toy", "1.0"
def _wheel(folder, files):
    info = f"{NAME}-{VERSION}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {NAME}\\nVersion: {VERSION}\\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: toy\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    record = "".join(f"{name},,\\n" for name in [*files, f"{info}/RECORD"])
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as wheel:
        for path, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(path, text)
    return name
def build_wheel(folder, config_settings=None, metadata_directory=None):
    sources = {str(path.relative_to("src")): path.read_text() for path in pathlib.Path("src").rglob("*.py")}
    return _wheel(folder, sources)
def build_editable(folder, config_settings=None, metadata_directory=None):
    pathlib.Path("toy.egg-info").mkdir(exist_ok=True)
    pathlib.Path("toy.egg-info/PKG-INFO").write_text("Name: toy\\n")
    return _wheel(folder, {"toy.pth": str(pathlib.Path("src").absolute()) + "\\n"})
"""
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "toy"
version = "1.0"
"""
TEST = "import toy\n\n\ndef test_value():\n    assert toy.value_number_3() == 'the value of number 3'\n"
MODULE = "".join(f"def value_number_{n}():\n    return 'the value of number {n}'\n\n\n" for n in range(12))


def toy_project(**files: str) -> dict[str, str]:
    """Files of a project `toy` with one module under src and one test; ``files`` add to or replace them."""
    return {
        "backend.py": BACKEND,
        "pyproject.toml": PYPROJECT,
        "src/toy/__init__.py": MODULE,
        "tests/test_toy.py": TEST,
        **files,
    }


def wheel(name: str, version: str, files: Mapping[str, str], requires: Sequence[str] = ()) -> tuple[str, bytes]:
    """A wheel's file name and bytes, the same every time."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    content = {
        **files,
        f"{info}/METADATA": metadata + "".join(f"Requires-Dist: {one}\n" for one in requires),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{path},sha256={_urlsafe(text)},{len(text.encode())}" for path, text in content.items()]
    content[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]) + "\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in content.items():
            archive.writestr(zipfile.ZipInfo(path, (2000, 1, 1, 0, 0, 0)), text)
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue()


def _urlsafe(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


class Index:
    """A running index; `url` is its simple page, `asked` the paths that were asked for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.wheels: dict[str, tuple[bytes, str]] = {}
        self.asked: list[str] = []

    def add(self, name: str, version: str, *, uploaded: str, files: Mapping[str, str] | None = None,
            requires: Sequence[str] = ()) -> None:  # fmt: skip
        """Publish a wheel on a date such as 2024-01-31."""
        content = files if files is not None else {f"{name}.py": f"VERSION = {version!r}\n"}
        filename, data = wheel(name, version, content, requires)
        self.wheels[filename] = (data, f"{uploaded}T12:00:00Z")

    def add_installed(self, name: str, *, uploaded: str) -> None:
        """Publish a pure Python package that is installed beside the tests, as a wheel."""
        found = distribution(name)
        kept = [path for path in found.files or () if not str(path).startswith("..") and path.suffix != ".pyc"]
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path in kept:
                if path.name not in {"INSTALLER", "REQUESTED", "direct_url.json"}:
                    archive.writestr(zipfile.ZipInfo(str(path), (2000, 1, 1, 0, 0, 0)), path.read_binary())
        filename = f"{name.replace('-', '_')}-{found.version}-py3-none-any.whl"
        self.wheels[filename] = (buffer.getvalue(), f"{uploaded}T12:00:00Z")


@contextmanager
def package_index(*, dated: bool = True, user: str | None = None) -> Iterator[Index]:
    """Serve an index on the loopback. ``user`` is ``name:password``, without which nothing is served."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index.asked.append(self.path)
            wanted = None if user is None else "Basic " + base64.b64encode(user.encode()).decode()
            if wanted is not None and self.headers.get("Authorization") != wanted:
                self._answer(401, "text/plain", b"who are you?")
                return
            kind, _, name = self.path.strip("/").partition("/")
            if kind == "files" and name in index.wheels:
                self._answer(200, "application/zip", index.wheels[name][0])
                return
            found = {file: held for file, held in index.wheels.items() if file.startswith(f"{name.replace('-', '_')}-")}
            if kind != "simple" or not found:
                self._answer(404, "text/plain", b"no such thing")
            elif dated:
                self._answer(200, "application/vnd.pypi.simple.v1+json", _json(name, found))
            else:
                self._answer(200, "text/html", _html(found))

        do_HEAD = do_GET  # noqa: N815 - the server's own naming

        def _answer(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if code == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Tests read `asked` instead."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"127.0.0.1:{server.server_address[1]}"
    index = Index(f"http://{f'{user}@' if user else ''}{address}/simple")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _json(name: str, wheels: Mapping[str, tuple[bytes, str]]) -> bytes:
    files = [
        {"filename": file, "url": f"/files/{file}", "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
         "upload-time": moment, "size": len(data)}
        for file, (data, moment) in wheels.items()
    ]  # fmt: skip
    versions = [file.split("-")[1] for file in wheels]
    document = {"meta": {"api-version": "1.1"}, "name": name, "versions": versions, "files": files}
    return json.dumps(document).encode()


def _html(wheels: Mapping[str, tuple[bytes, str]]) -> bytes:
    links = (
        f'<a href="/files/{file}#sha256={hashlib.sha256(data).hexdigest()}">{file}</a>'
        for file, (data, _) in wheels.items()
    )
    return f"<html><body>{''.join(links)}</body></html>".encode()
