"""Images that grow by a layer and documents kept by digest, through a registry's API alone.

It exists so that nothing but a build needs a container engine: what a pod is to find goes onto its image as one more
layer, and what is too large for a resource's status is an artifact. ``oras`` parses names, answers challenges and keeps
tokens; retrying is the caller's, who knows what may wait. No credential ever is in a message.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import platform
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

import requests
from oras.container import Container
from oras.provider import Registry as Oras

Kind = Literal["unauthorised", "notFound", "unreachable", "tooLarge", "refused", "damaged"]
MOST_DOCUMENT = 64 << 20
"""Bytes of a document that are read into memory."""
_MOST_MANIFEST = 4 << 20
_SECONDS = (10, 120)
_PIECE = 1 << 20
_LEVEL = 6

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
_OCI_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
_DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
_EMPTY = "application/vnd.oci.empty.v1+json"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_EPOCH = "1970-01-01T00:00:00Z"

# It tells of every answer on a logger of its own.
logging.getLogger("oras.logger").setLevel(logging.CRITICAL)


class RegistryFault(Exception):
    """A registry did not do what it was asked; ``retryable`` where asking again later may help."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def retryable(self) -> bool:
        """Whether the same request may be answered later."""
        return self.kind == "unreachable"


class Registry:
    """A registry below whose ``prefix`` (host/path) everything of ours is kept; safe to use from several threads.

    ``insecure``: the prefix's host speaks plain HTTP. ``auth`` is a file like Docker's config.json, ``authorities`` a file
    of certificates.
    """

    def __init__(
        self, prefix: str, *, insecure: bool = False, auth: Path | None = None, authorities: Path | None = None
    ) -> None:
        self.prefix = prefix.strip("/")
        self._insecure, self._auth, self._authorities = insecure, auth, authorities
        self._own = threading.local()

    def append(self, image: str, layer: Path | bytes, *, repository: str) -> str:
        """An image with one layer more, pushed below the prefix; its reference by digest.

        ``layer`` is an uncompressed tar. The same image and layer give the same digest, and what the registry has is not
        sent again. Raises RegistryFault.
        """
        source = self._remote(image)
        manifest, config = source.image()
        target = self._remote(f"{self.prefix}/{repository}")
        with _compressed(layer) as (file, diff_id, digest, size):
            layers: list[dict[str, Any]] = list(manifest["layers"])
            for one in layers:
                target.take(one, source)
            target.send(file, digest, size)
        docker = manifest.get("mediaType") == DOCKER_MANIFEST
        layers.append({"mediaType": _DOCKER_LAYER if docker else _OCI_LAYER, "digest": digest, "size": size})
        content = _canonical(_with_layer(config, diff_id))
        target.send_bytes(content)
        described = {**manifest["config"], "digest": _digest(content), "size": len(content)}
        return target.put({**manifest, "config": described, "layers": layers})

    def push_document(self, repository: str, content: bytes, media_type: str, *, tag: str | None = None) -> str:
        """Keep a document; its reference by digest. ``tag`` is another name that it can be found by, if given.

        Raises RegistryFault.
        """
        target = self._remote(f"{self.prefix}/{repository}")
        target.send_bytes(b"{}")
        target.send_bytes(content)
        manifest = {
            "schemaVersion": 2,
            "mediaType": OCI_MANIFEST,
            "artifactType": media_type,
            "config": {"mediaType": _EMPTY, "digest": _digest(b"{}"), "size": 2},
            "layers": [{"mediaType": media_type, "digest": _digest(content), "size": len(content)}],
        }
        return target.put(manifest, tag)

    def read_document(self, reference: str, *, most: int = MOST_DOCUMENT) -> bytes:
        """A document of at most so many bytes, checked against its digest. Raises RegistryFault."""
        source = self._remote(reference)
        layers = source.manifest().get("layers")
        if not isinstance(layers, list) or len(layers) != 1:
            raise RegistryFault("damaged", f"{reference} is no document of ours: it has not exactly one part")
        return source.blob(layers[0], most)

    def exists(self, reference: str) -> bool:
        """Whether the registry has what a reference names. Raises RegistryFault."""
        return self._remote(reference).exists()

    def resolve(self, reference: str) -> str:
        """The same by digest. Raises RegistryFault."""
        remote = self._remote(reference)
        return f"{remote.name}@{_digest(remote.raw_manifest())}"

    def below(self, repository: str, tag: str | None = None) -> str:
        """The name of a repository below the prefix, and of a tag in it."""
        return f"{self.prefix}/{repository}" + (f":{tag}" if tag else "")

    def _remote(self, reference: str) -> _Remote:
        """The remote for a name; clients are kept by thread and repository, since a token is good for one repository."""
        try:
            container = Container(reference)
        except ValueError as error:
            raise RegistryFault("refused", f"{reference!r} is no name of an image") from error
        clients: dict[str, _Client] = self._own.__dict__.setdefault("clients", {})
        name = f"{container.registry}/{container.api_prefix}"
        if name not in clients:
            host = str(container.registry)
            insecure = self._insecure and host == self.prefix.partition("/")[0]
            clients[name] = _Client(host, insecure, self._auth, self._authorities)
        return _Remote(clients[name], container, name)


class _Client(Oras):  # type: ignore[misc]
    """A host as ``oras`` speaks to it, but for its retries, which wait for minutes, and the user's own logins."""

    def __init__(self, host: str, insecure: bool, auth: Path | None, authorities: Path | None) -> None:
        super().__init__(hostname=host, insecure=insecure, tls_verify=str(authorities) if authorities else True)
        self.host = host
        self._login(auth)

    def _login(self, auth: Path | None) -> None:
        if auth is None or not auth.is_file():
            return
        try:
            known = json.loads(auth.read_bytes())["auths"]
            for name in (self.host, f"https://{self.host}", f"https://{self.host}/v1/"):
                if name in known:
                    one = known[name]
                    if "auth" in one:
                        self.auth._basic_auth = one["auth"]
                    else:
                        self.auth.set_basic_auth(one["username"], one["password"])
                    return
        except (OSError, ValueError, KeyError, TypeError):
            # Not chained: the error would show a part of the file.
            raise RegistryFault(
                "unauthorised", f"{auth} is not like Docker's config.json: it must hold auths, each with auth"
            ) from None

    def ask(self, method: str, path: str, **told: Any) -> requests.Response:
        """The answer, whatever it is. Raises RegistryFault for none."""
        url = path if path.startswith("http") else f"{self.prefix}://{path}"
        body, headers = told.pop("data", None), dict(told.pop("headers", {}))
        try:
            answer = self._once(method, url, body, headers, **told)
            if answer.status_code == 401 and self.auth.token is not None:
                self.auth.token = None  # it may have run out
                answer = self._once(method, url, body, headers, **told)
        except requests.exceptions.SSLError as error:
            raise RegistryFault("refused", f"{self.host}: its certificate is not trusted: {_short(error)}") from error
        except (requests.RequestException, OSError) as error:
            raise RegistryFault("unreachable", f"{self.host} does not answer: {_short(error)}") from error
        return answer

    def _once(
        self, method: str, url: str, body: Any, headers: Mapping[str, str], *, stream: bool = False
    ) -> requests.Response:
        for authorise in (self._known_header, self._challenged_header):
            authorisation = authorise()
            if authorisation is None:
                continue
            if hasattr(body, "seek"):
                body.seek(0)
            answer = self.session.request(
                method,
                url,
                data=body,
                headers={**headers, **authorisation},
                stream=stream,
                verify=self._tls_verify,
                timeout=_SECONDS,
                allow_redirects=True,
            )
            if answer.status_code != 401:
                return answer
            self._challenge = answer
        return answer

    def _known_header(self) -> dict[str, str]:
        self._challenge: requests.Response | None = None
        return dict(self.auth.get_auth_header())

    def _challenged_header(self) -> dict[str, str] | None:
        """What the last refusal asks for, if it can be had."""
        challenge = self._challenge
        if challenge is None:
            return None
        if challenge.headers.get("Www-Authenticate", "").lower().startswith("basic"):
            basic = getattr(self.auth, "_basic_auth", None)
            return {"Authorization": f"Basic {basic}"} if basic else None
        headers, changed = self.auth.authenticate_request(challenge, {})
        return {"Authorization": headers["Authorization"]} if changed else None


class _Remote:
    """One repository of a registry, and the tag or digest that a reference names in it."""

    def __init__(self, client: _Client, container: Container, name: str) -> None:
        self._client, self._container, self.name = client, container, name
        self._base = f"{client.host}/v2/{container.api_prefix}"

    def exists(self) -> bool:
        answer = self._client.ask("HEAD", f"{self._base}/manifests/{self._word()}", headers=_accepting())
        if answer.status_code == 404:
            return False
        self._must(answer, "be looked for")
        return True

    def raw_manifest(self, word: str | None = None) -> bytes:
        word = word or self._word()
        answer = self._client.ask("GET", f"{self._base}/manifests/{word}", headers=_accepting(), stream=True)
        self._must(answer, "be read")
        content = _bounded(answer, _MOST_MANIFEST, f"the manifest of {self.name}")
        if ":" in word and _digest(content) != word:
            raise RegistryFault("damaged", f"{self.name}@{word} is not what its digest says")
        return content

    def manifest(self, word: str | None = None) -> dict[str, Any]:
        try:
            found = json.loads(self.raw_manifest(word))
        except ValueError as error:
            raise RegistryFault("damaged", f"the manifest of {self.name} is no JSON") from error
        if not isinstance(found, dict):
            raise RegistryFault("damaged", f"the manifest of {self.name} is no object")
        return found

    def image(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Manifest and configuration, of this machine's kind where there are several."""
        found = self.manifest()
        if "manifests" in found:
            wanted = _MACHINES.get(platform.machine(), platform.machine())
            fitting = [one for one in found["manifests"] if one.get("platform", {}).get("architecture") == wanted]
            if not fitting:
                raise RegistryFault("notFound", f"{self.name} has no image for {wanted}")
            found = self.manifest(fitting[0]["digest"])
        if "config" not in found or "layers" not in found:
            raise RegistryFault("damaged", f"{self.name} is no image that a layer can be put on")
        return found, json.loads(self.blob(found["config"], _MOST_MANIFEST))

    def blob(self, described: Mapping[str, Any], most: int) -> bytes:
        digest = str(described["digest"])
        if int(described.get("size", 0)) > most:
            raise RegistryFault("tooLarge", f"{self.name}@{digest} has {described['size']} bytes, {most} are the most")
        answer = self._client.ask("GET", f"{self._base}/blobs/{digest}", stream=True)
        self._must(answer, "be read")
        content = _bounded(answer, most, f"{self.name}@{digest}")
        if _digest(content) != digest:
            raise RegistryFault("damaged", f"{self.name}@{digest} is not what its digest says")
        return content

    def has(self, digest: str) -> bool:
        answer = self._client.ask("HEAD", f"{self._base}/blobs/{digest}")
        if answer.status_code != 404:
            self._must(answer, "be looked into")
        return answer.status_code == 200

    def take(self, described: Mapping[str, Any], source: _Remote) -> None:
        """Have a blob of another repository: mounted where that can be, else copied."""
        digest, size = str(described["digest"]), int(described["size"])
        if self.has(digest):
            return
        mount = ""
        if source._client.host == self._client.host:
            mount = f"?mount={digest}&from={source._container.api_prefix}"
        answer = self._client.ask("POST", f"{self._base}/blobs/uploads/{mount}")
        if answer.status_code == 201:
            return
        self._must(answer, "be written to")
        with tempfile.TemporaryFile() as file:
            source.copy(digest, file)
            self._upload(answer, file, digest, size)

    def copy(self, digest: str, file: IO[bytes]) -> None:
        answer = self._client.ask("GET", f"{self._base}/blobs/{digest}", stream=True)
        self._must(answer, "be read")
        try:
            for piece in answer.iter_content(_PIECE):
                file.write(piece)
        except requests.RequestException as error:
            raise RegistryFault("unreachable", f"{self.name}@{digest} was cut off: {_short(error)}") from error

    def send_bytes(self, content: bytes) -> None:
        with tempfile.TemporaryFile() as file:
            file.write(content)
            self.send(file, _digest(content), len(content))

    def send(self, file: IO[bytes], digest: str, size: int) -> None:
        if self.has(digest):
            return
        answer = self._client.ask("POST", f"{self._base}/blobs/uploads/")
        self._must(answer, "be written to")
        self._upload(answer, file, digest, size)

    def put(self, manifest: Mapping[str, Any], tag: str | None = None) -> str:
        """Put a manifest under its digest, and under a name, lest a registry clears away what has none."""
        content = _canonical(manifest)
        digest = _digest(content)
        for word in {tag or digest.replace(":", "-"), digest.replace(":", "-")}:
            head = self._client.ask("HEAD", f"{self._base}/manifests/{word}", headers=_accepting())
            if head.headers.get("Docker-Content-Digest") == digest:
                continue
            kind = str(manifest.get("mediaType") or OCI_MANIFEST)
            answer = self._client.ask(
                "PUT", f"{self._base}/manifests/{word}", data=content, headers={"Content-Type": kind}
            )
            self._must(answer, "be written to")
        return f"{self.name}@{digest}"

    def _upload(self, session: requests.Response, file: IO[bytes], digest: str, size: int) -> None:
        where = session.headers.get("Location", "")
        if where.startswith("/"):
            where = f"{self._client.host}{where}"
        where += ("&" if "?" in where else "?") + f"digest={digest}"
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        file.seek(0)
        answer = self._client.ask("PUT", where, data=file if size else b"", headers=headers)
        self._must(answer, "be written to")

    def _must(self, answer: requests.Response, wanted: str) -> None:
        code = answer.status_code
        if code < 400:
            return
        said = f"{self.name} cannot {wanted}: {code} {_said(answer)}".rstrip()
        if code in {401, 403}:
            raise RegistryFault("unauthorised", f"{said}; check the registry's credentials")
        if code == 404:
            raise RegistryFault("notFound", said)
        if code == 413:
            raise RegistryFault("tooLarge", said)
        raise RegistryFault("unreachable" if code in {408, 425, 429} or code >= 500 else "refused", said)

    def _word(self) -> str:
        return str(self._container.digest or self._container.tag)


@contextmanager
def _compressed(layer: Path | bytes) -> Iterator[tuple[IO[bytes], str, str, int]]:
    """A layer compressed: the file, the digest of what it holds, its own digest and its size."""
    with tempfile.TemporaryFile() as file:
        plain, packed = hashlib.sha256(), hashlib.sha256()
        with gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=file, mtime=0) as out:
            if isinstance(layer, bytes):
                plain.update(layer)
                out.write(layer)
            else:
                with layer.open("rb") as source:
                    while piece := source.read(_PIECE):
                        plain.update(piece)
                        out.write(piece)
        size = file.tell()
        file.seek(0)
        while piece := file.read(_PIECE):
            packed.update(piece)
        yield file, f"sha256:{plain.hexdigest()}", f"sha256:{packed.hexdigest()}", size


def _with_layer(config: Mapping[str, Any], diff_id: str) -> dict[str, Any]:
    root = config.get("rootfs") or {}
    history = [*(config.get("history") or ()), {"created": _EPOCH, "created_by": "change2task"}]
    layers = {"type": "layers", "diff_ids": [*(root.get("diff_ids") or ()), diff_id]}
    return {**config, "rootfs": layers, "history": history}


def _canonical(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _accepting() -> dict[str, str]:
    return {"Accept": ", ".join((OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_LIST))}


def _bounded(answer: requests.Response, most: int, what: str) -> bytes:
    found = bytearray()
    try:
        for piece in answer.iter_content(_PIECE):
            found += piece
            if len(found) > most:
                answer.close()
                raise RegistryFault("tooLarge", f"{what} has more than {most} bytes")
    except requests.RequestException as error:
        raise RegistryFault("unreachable", f"{what} was cut off: {_short(error)}") from error
    return bytes(found)


def _said(answer: requests.Response) -> str:
    """The registry's own words, if it has said any in the usual form."""
    try:
        errors = answer.json()["errors"]
        return "; ".join(str(one.get("message") or one.get("code")) for one in errors)[:500]
    except (ValueError, KeyError, TypeError, AttributeError):
        return str(answer.reason or "")


def _short(error: BaseException) -> str:
    """The innermost error in a line: outer ones hold whole URLs."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return str(error)[:300]
