"""A registry's repository as HTTP: manifests, blobs and uploads, and what its refusals mean.

Requests are ``registry_host``'s; what is put together of manifests and blobs is left to ``registry``.
"""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
from collections.abc import Callable, Mapping
from typing import IO, Any

import requests
from oras.container import Container

from change2task.cluster.registry_host import Client, RegistryFault, short

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
PIECE = 1 << 20
_MOST_MANIFEST = 4 << 20
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_ACCEPTING = {"Accept": ", ".join((OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_LIST))}


class Remote:
    """One repository of a registry, and the tag or digest that a reference names in it. All raises RegistryFault."""

    def __init__(self, client: Client, container: Container, name: str) -> None:
        self._client, self._container, self.name = client, container, name
        self._base = f"{client.host}/v2/{container.api_prefix}"

    def exists(self) -> bool:
        """Whether it is there."""
        answer = self._client.ask("HEAD", f"{self._base}/manifests/{self._word()}", headers=_ACCEPTING)
        if answer.status_code == 404:
            return False
        self._must(answer, "be looked for")
        return True

    def raw_manifest(self, word: str | None = None) -> bytes:
        """A manifest's bytes, checked against its digest where that is known."""
        word = word or self._word()
        answer = self._client.ask("GET", f"{self._base}/manifests/{word}", headers=_ACCEPTING, stream=True)
        self._must(answer, "be read")
        content = _bounded(answer, _MOST_MANIFEST, f"the manifest of {self.name}")
        if ":" in word and digest_of(content) != word:
            raise RegistryFault("damaged", f"{self.name}@{word} is not what its digest says")
        return content

    def manifest(self, word: str | None = None) -> dict[str, Any]:
        """A manifest."""
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
        """A blob's bytes, at most so many, checked against its digest."""
        digest = str(described["digest"])
        if int(described.get("size", 0)) > most:
            raise RegistryFault("tooLarge", f"{self.name}@{digest} has {described['size']} bytes, {most} are the most")
        answer = self._client.ask("GET", f"{self._base}/blobs/{digest}", stream=True)
        self._must(answer, "be read")
        content = _bounded(answer, most, f"{self.name}@{digest}")
        if digest_of(content) != digest:
            raise RegistryFault("damaged", f"{self.name}@{digest} is not what its digest says")
        return content

    def has(self, digest: str) -> bool:
        """Whether a blob is there."""
        answer = self._client.ask("HEAD", f"{self._base}/blobs/{digest}")
        if answer.status_code != 404:
            self._must(answer, "be looked into")
        return answer.status_code == 200

    def take(self, described: Mapping[str, Any], source: Remote) -> None:
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
        """Write a blob to a file."""
        answer = self._client.ask("GET", f"{self._base}/blobs/{digest}", stream=True)
        self._must(answer, "be read")
        try:
            for piece in answer.iter_content(PIECE):
                file.write(piece)
        except requests.RequestException as error:
            raise RegistryFault("unreachable", f"{self.name}@{digest} was cut off: {short(error)}") from error

    def send_bytes(self, content: bytes) -> None:
        """Have a blob of these bytes."""
        with tempfile.TemporaryFile() as file:
            file.write(content)
            self.send(file, digest_of(content), len(content))

    def send(self, file: IO[bytes], digest: str, size: int) -> None:
        """Have a blob of a file's content."""
        if self.has(digest):
            return
        answer = self._client.ask("POST", f"{self._base}/blobs/uploads/")
        self._must(answer, "be written to")
        self._upload(answer, file, digest, size)

    def put(self, manifest: Mapping[str, Any], tag: str | None = None, mark: Callable[[str], str] | None = None) -> str:
        """Put a manifest under its digest, and under a name, lest a registry clears away what has none.

        ``mark`` gives one more name for its digest, under which it is put first.
        """
        content = canonical(manifest)
        digest = digest_of(content)
        plain = digest.replace(":", "-")
        for word in dict.fromkeys([*([] if mark is None else [mark(digest)]), plain, tag or plain]):
            head = self._client.ask("HEAD", f"{self._base}/manifests/{word}", headers=_ACCEPTING)
            if head.headers.get("Docker-Content-Digest") == digest:
                continue
            kind = str(manifest.get("mediaType") or OCI_MANIFEST)
            answer = self._client.ask(
                "PUT", f"{self._base}/manifests/{word}", data=content, headers={"Content-Type": kind}
            )
            self._must(answer, "be written to")
        return f"{self.name}@{digest}"

    def tags(self) -> tuple[str, ...]:
        """All tags, page by page; none where there is no such repository."""
        found: list[str] = []
        path = f"{self._base}/tags/list?n=1000"
        while True:
            answer = self._client.ask("GET", path)
            if answer.status_code == 404:
                return tuple(found)
            self._must(answer, "be listed")
            try:
                found += [str(tag) for tag in answer.json().get("tags") or ()]
            except (ValueError, AttributeError, TypeError) as error:
                raise RegistryFault("damaged", f"the list of {self.name}'s tags is none") from error
            following = answer.links.get("next", {}).get("url")
            if not following:
                return tuple(found)
            if not following.startswith("/"):
                raise RegistryFault("damaged", f"the list of {self.name}'s tags goes on elsewhere")
            path = f"{self._client.host}{following}"

    def remove(self, digest: str) -> None:
        """Remove a manifest with all its tags; one that is gone is well."""
        answer = self._client.ask("DELETE", f"{self._base}/manifests/{digest}")
        if answer.status_code != 404:
            self._must(answer, "let go of a manifest")

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


def canonical(document: Mapping[str, Any]) -> bytes:
    """The one byte form of a manifest or configuration."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest_of(content: bytes) -> str:
    """A digest as registries write it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _bounded(answer: requests.Response, most: int, what: str) -> bytes:
    found = bytearray()
    try:
        for piece in answer.iter_content(PIECE):
            found += piece
            if len(found) > most:
                answer.close()
                raise RegistryFault("tooLarge", f"{what} has more than {most} bytes")
    except requests.RequestException as error:
        raise RegistryFault("unreachable", f"{what} was cut off: {short(error)}") from error
    return bytes(found)


def _said(answer: requests.Response) -> str:
    """The registry's own words, if it has said any in the usual form."""
    try:
        errors = answer.json()["errors"]
        return "; ".join(str(one.get("message") or one.get("code")) for one in errors)[:500]
    except (ValueError, KeyError, TypeError, AttributeError):
        return str(answer.reason or "")
