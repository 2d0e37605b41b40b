"""An OCI image layout with one artefact a task, so that a registry can hold tasks beside their images.

Each artefact has two layers: the task's row, and its Harbor directory as an archive. Nothing is compressed, since
compression gives other bytes on other machines.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from typing import Any, Final

from change2task.corpus.exports.task import File, Files

ARTIFACT: Final = "application/vnd.change2task.task.v1"
ROW: Final = "application/vnd.change2task.row.v1+json"
FOLDER: Final = "application/vnd.change2task.harbor.v1.tar"
_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
_INDEX: Final = "application/vnd.oci.image.index.v1+json"
_EMPTY: Final = "application/vnd.oci.empty.v1+json"


def artefact(name: str, row: bytes, folder: Files) -> tuple[Files, dict[str, Any]]:
    """The blobs of a task's artefact, and its line in the layout's index."""
    files: Files = {}
    document = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "artifactType": ARTIFACT,
        "config": _blob(files, _EMPTY, b"{}"),
        "layers": [
            {**_blob(files, ROW, row), "annotations": {"org.opencontainers.image.title": f"{name}.json"}},
            {
                **_blob(files, FOLDER, archive(name, folder)),
                "annotations": {"org.opencontainers.image.title": f"{name}.tar"},
            },
        ],
        "annotations": {"org.opencontainers.image.title": name},
    }
    line = {
        **_blob(files, _MANIFEST, _json(document)),
        "artifactType": ARTIFACT,
        "annotations": {"org.opencontainers.image.ref.name": name},
    }
    return files, line


def layout(lines: Sequence[dict[str, Any]]) -> Files:
    """What makes blobs a layout: its version, and the index of all artefacts."""
    index = {"schemaVersion": 2, "mediaType": _INDEX, "manifests": list(lines)}
    return {"oci-layout": File(_json({"imageLayoutVersion": "1.0.0"})), "index.json": File(_json(index))}


def archive(name: str, folder: Files) -> bytes:
    """A folder as a tar without times, owners or compression."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as packed:
        for path in sorted(folder):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(folder[path].content)
            member.mode = 0o755 if folder[path].executable else 0o644
            packed.addfile(member, io.BytesIO(folder[path].content))
    return buffer.getvalue()


def _blob(files: Files, kind: str, content: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    files[f"blobs/sha256/{digest}"] = File(content)
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def _json(document: object) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
