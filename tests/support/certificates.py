"""Authorities and certificates of tests, made by openssl, and a server that shows one before anything else."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Authority:
    """An authority in a folder of its own; ``certificate`` is what others know it by."""

    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.crt"

    def sign(self, name: str) -> tuple[Path, Path]:
        """A certificate for this name at 127.0.0.1, and its key."""
        key, request, made = (self.folder / f"{name}.{kind}" for kind in ("key", "csr", "crt"))
        told = self.folder / f"{name}.ext"
        told.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.folder / "ca.key",
                 "-CAcreateserial", "-days", "2", "-extfile", told, "-out", made)  # fmt: skip
        return made, key


def authority(folder: Path, name: str = "authority") -> Authority:
    """A new authority."""
    folder.mkdir(parents=True, exist_ok=True)
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", folder / "ca.key",
             "-out", folder / "ca.crt", "-subj", f"/CN={name}")  # fmt: skip
    return Authority(folder)


def server_context(made: tuple[Path, Path], clients: Authority | None = None) -> ssl.SSLContext:
    """What a server shows; with ``clients`` it wants to see a certificate of theirs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*made)
    if clients is not None:
        context.load_verify_locations(clients.certificate)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


@contextlib.contextmanager
def in_front_of(path: Path, context: ssl.SSLContext) -> Iterator[int]:
    """TLS on a port of 127.0.0.1 in front of a unix socket; gives the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_serve, args=(listening, path, context), daemon=True).start()
        yield listening.getsockname()[1]


def _serve(listening: socket.socket, path: Path, context: ssl.SSLContext) -> None:
    while True:
        try:
            came, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_pass_on, args=(came, path, context), daemon=True).start()


def _pass_on(came: socket.socket, path: Path, context: ssl.SSLContext) -> None:
    with contextlib.suppress(OSError), came:
        came.settimeout(30)
        shown = context.wrap_socket(came, server_side=True)
        with socket.socket(socket.AF_UNIX) as behind:
            behind.settimeout(30)
            behind.connect(str(path))
            threading.Thread(target=_copy, args=(behind, shown), daemon=True).start()
            _copy(shown, behind)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)


def _openssl(*words: str | Path) -> None:
    program = shutil.which("openssl")
    assert program is not None, "tests of private authorities need openssl (package openssl, which ca-certificates has)"
    subprocess.run([program, *map(str, words)], check=True, capture_output=True)
