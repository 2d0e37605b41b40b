"""Images that grow by a layer and documents kept by digest, through a registry's API alone.

It exists so that nothing but a build needs a container engine: what a pod is to find goes onto its image as one more
layer, and what is too large for a resource's status is an artifact. Retrying is the caller's, who knows what may wait.
"""

from __future__ import annotations

import gzip
import hashlib
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from oras.container import Container

from change2task.cluster.registry_host import Client, RegistryFault
from change2task.cluster.remote import DOCKER_MANIFEST, OCI_MANIFEST, PIECE, Remote, canonical, digest_of

__all__ = ["MOST_DOCUMENT", "Registry", "RegistryFault"]

MOST_DOCUMENT = 64 << 20
"""Bytes of a document that are read into memory."""
_OCI_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
_DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
_EMPTY = "application/vnd.oci.empty.v1+json"
_EPOCH = "1970-01-01T00:00:00Z"
_LEVEL = 6


class Registry:
    """A registry below whose ``prefix`` (host/path) everything of ours is kept; safe to use from several threads.

    ``insecure``: the prefix's host speaks plain HTTP. ``auth`` is a file like Docker's config.json, ``authorities`` a
    file of certificates. ``mark`` gives a digest one tag more, in the repositories ``marked``.
    """

    def __init__(
        self,
        prefix: str,
        *,
        insecure: bool = False,
        auth: Path | None = None,
        authorities: Path | None = None,
        mark: Callable[[str], str] | None = None,
        marked: Collection[str] = (),
    ) -> None:
        self.prefix = prefix.strip("/")
        self._mark, self._marked = mark, frozenset(marked)
        self._insecure, self._auth, self._authorities = insecure, auth, authorities
        self._own = threading.local()

    def append(self, image: str, layer: Path | bytes, *, repository: str) -> str:
        """An image with one layer more, pushed below the prefix; its reference by digest.

        ``layer`` is an uncompressed tar. The same image and layer give the same digest, and what the registry has is
        not sent again. Raises RegistryFault.
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
        content = canonical(_with_layer(config, diff_id))
        target.send_bytes(content)
        described = {**manifest["config"], "digest": digest_of(content), "size": len(content)}
        return target.put({**manifest, "config": described, "layers": layers}, mark=self._marking(repository))

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
            "config": {"mediaType": _EMPTY, "digest": digest_of(b"{}"), "size": 2},
            "layers": [{"mediaType": media_type, "digest": digest_of(content), "size": len(content)}],
        }
        return target.put(manifest, tag, self._marking(repository))

    def read_document(self, reference: str, *, most: int = MOST_DOCUMENT) -> bytes:
        """A document of at most so many bytes, checked against its digest. Raises RegistryFault."""
        source = self._remote(reference)
        layers = source.manifest().get("layers")
        if not isinstance(layers, list) or len(layers) != 1:
            raise RegistryFault("damaged", f"{reference} is no document of ours: it has not exactly one part")
        return source.blob(layers[0], most)

    def tags(self, repository: str) -> tuple[str, ...]:
        """All tags of a repository below the prefix. Raises RegistryFault."""
        return self._remote(f"{self.prefix}/{repository}").tags()

    def remove(self, repository: str, digest: str) -> None:
        """Remove a manifest with all its tags; one that is gone is well. Raises RegistryFault."""
        self._remote(f"{self.prefix}/{repository}").remove(digest)

    def _marking(self, repository: str) -> Callable[[str], str] | None:
        return self._mark if repository in self._marked else None

    def exists(self, reference: str) -> bool:
        """Whether the registry has what a reference names. Raises RegistryFault."""
        return self._remote(reference).exists()

    def resolve(self, reference: str) -> str:
        """The same by digest. Raises RegistryFault."""
        remote = self._remote(reference)
        return f"{remote.name}@{digest_of(remote.raw_manifest())}"

    def below(self, repository: str, tag: str | None = None) -> str:
        """The name of a repository below the prefix, and of a tag in it."""
        return f"{self.prefix}/{repository}" + (f":{tag}" if tag else "")

    def _remote(self, reference: str) -> Remote:
        """The remote for a name; clients are kept by thread and repository, since a token is good for one."""
        try:
            container = Container(reference)
        except ValueError as error:
            raise RegistryFault("refused", f"{reference!r} is no name of an image") from error
        clients: dict[str, Client] = self._own.__dict__.setdefault("clients", {})
        name = f"{container.registry}/{container.api_prefix}"
        if name not in clients:
            host = str(container.registry)
            insecure = self._insecure and host == self.prefix.partition("/")[0]
            clients[name] = Client(host, insecure=insecure, auth=self._auth, authorities=self._authorities)
        return Remote(clients[name], container, name)


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
                    while piece := source.read(PIECE):
                        plain.update(piece)
                        out.write(piece)
        size = file.tell()
        file.seek(0)
        while piece := file.read(PIECE):
            packed.update(piece)
        yield file, f"sha256:{plain.hexdigest()}", f"sha256:{packed.hexdigest()}", size


def _with_layer(config: Mapping[str, Any], diff_id: str) -> dict[str, Any]:
    root = config.get("rootfs") or {}
    history = [*(config.get("history") or ()), {"created": _EPOCH, "created_by": "change2task"}]
    layers = {"type": "layers", "diff_ids": [*(root.get("diff_ids") or ()), diff_id]}
    return {**config, "rootfs": layers, "history": history}
