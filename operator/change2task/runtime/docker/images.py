"""Images that containers start from: found or pulled, and made anew out of a folder's content.

It exists so that nobody else needs the engine's requests for images. What belongs into an image is left to whoever
builds one.
"""

from __future__ import annotations

import io
import stat
import tarfile
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import structlog
from docker.errors import APIError, ImageNotFound, NotFound

from change2task.api.model import Model
from change2task.runtime.docker import owner
from change2task.runtime.docker.engine import FAULTS, Engine
from change2task.runtime.errors import Cancelled, SandboxError
from change2task.runtime.models import Layout

_READABLE = 0o444
_SEARCHABLE = 0o555
_LARGEST_FILE = 1 << 20

log = structlog.get_logger(__name__)


class Image(Model):
    """An image on the engine: how it was asked for, its id (sha256:...), the variables that it sets."""

    reference: str
    id: str
    variables: dict[str, str]


def find(engine: Engine, reference: str, cancel: threading.Event | None = None, *, source: str | None = None) -> Image:
    """The image of a name, pulled if the engine has none; ``source`` is where it is really pulled from.

    Raises SandboxError, Cancelled.
    """
    read = source or reference
    try:
        try:
            found = engine.client.inspect_image(read)  # type: ignore[no-untyped-call]
        except ImageNotFound:
            _pull(engine, read, cancel)
            found = engine.client.inspect_image(read)  # type: ignore[no-untyped-call]
    except FAULTS as error:
        raise SandboxError(
            f"image {read} is not on the Docker engine and cannot be pulled: {_explained(error)}; correct the"
            " name, log in (docker login), or bring it there yourself (docker pull, docker load)"
        ) from error
    pairs = (one.partition("=") for one in found["Config"].get("Env") or ())
    return Image(reference=reference, id=found["Id"], variables={name: value for name, _, value in pairs})


def stands(engine: Engine, identity: str) -> bool:
    """Whether the engine has an image. Raises SandboxError where the engine does not say."""
    try:
        engine.client.inspect_image(identity)  # type: ignore[no-untyped-call]
    except ImageNotFound:
        return False
    except FAULTS as error:
        raise SandboxError(f"the Docker engine does not answer: {error}") from error
    return True


def size(engine: Engine, identity: str) -> int:
    """Bytes of an image with all that it stands on. Raises the engine's faults."""
    return int(engine.client.inspect_image(identity)["Size"])  # type: ignore[no-untyped-call]


def discard(engine: Engine, identity: str) -> None:
    """Remove an image that has no name, and nothing that it stands on; one that others stand on stays."""
    try:
        engine.client.remove_image(identity, noprune=True)
    except FAULTS as error:
        log.debug("image.not_removed", image=identity, error=str(error))


def name(engine: Engine, image: str, called: str) -> str:
    """Give a layer of ours a name, and with it a life of its own; returns the new id. Raises the engine's faults."""
    with _bare(engine, image) as container:
        return _commit(engine, container, called)


def put_on(
    engine: Engine,
    image: str,
    content: Path,
    *,
    called: str,
    labels: Mapping[str, str],
    variables: Mapping[str, str],
    user: str,
    layout: Layout,
) -> str:
    """One layer more on an image: ``content`` at ``layout.env``, readable by all and writable by root alone.

    The image is named ``called``, starts a shell as ``user`` (uid:gid, whom it knows as c2t) in ``layout.work`` with
    ``variables``. Returns its id. Raises the engine's faults and OSError.
    """
    environment = [f"{variable}={value}" for variable, value in variables.items()]
    with (
        _bare(engine, image, labels, User=user, WorkingDir=layout.work, Env=environment) as container,
        tempfile.TemporaryFile(dir=content.parent) as file,
    ):
        with tarfile.open(fileobj=file, mode="w") as tar:
            for folder in (layout.env, layout.work, layout.home):
                _parents(tar, folder)
            _add(tar, content, layout.env.lstrip("/"))
            _accounts(tar, engine, container, user, layout.home)
        file.seek(0)
        engine.client.put_archive(container, "/", file)
        return _commit(engine, container, called)


def push(engine: Engine, image: str, called: str) -> str:
    """Give an image a name of a registry and push it there; its reference by digest. Raises SandboxError."""
    repository, _, tag = called.rpartition(":")
    digest = None
    try:
        engine.client.tag(image, repository, tag)
        for message in engine.client.push(repository, tag=tag, stream=True, decode=True):
            if "error" in message:
                raise SandboxError(f"{called} cannot be pushed: {message['error']}")
            digest = message.get("aux", {}).get("Digest", digest)
    except FAULTS as error:
        raise SandboxError(f"{called} cannot be pushed: {_explained(error)}") from error
    if digest is None:
        raise SandboxError(f"{called} was pushed and the engine does not say under which digest")
    return f"{repository}@{digest}"


@contextmanager
def _bare(engine: Engine, image: str, labels: Mapping[str, str] | None = None, **settings: object) -> Iterator[str]:
    """A container that is never started, to make an image of; it starts a shell, whatever its image would."""
    document = {
        "Image": image,
        "Entrypoint": [""],
        "Cmd": ["/bin/sh"],
        "Labels": {**(labels or {}), owner.LABEL: owner.this_program()},
        "HostConfig": {"NetworkMode": "none"},
        **settings,
    }
    made = engine.client.create_container_from_config(document)  # type: ignore[no-untyped-call]
    try:
        yield made["Id"]
    finally:
        engine.client.remove_container(made["Id"], force=True, v=True)


def _commit(engine: Engine, container: str, called: str) -> str:
    """Commit a container under a name; nobody owns the image, so that no sweep takes its containers for ours."""
    repository, _, tag = called.partition(":")
    nobody = f'LABEL "{owner.LABEL}"=""'
    return str(engine.client.commit(container, repository=repository, tag=tag, changes=[nobody])["Id"])


def _pull(engine: Engine, reference: str, cancel: threading.Event | None) -> None:
    log.info("image.pull", image=reference)
    for message in engine.client.pull(reference, stream=True, decode=True):
        if cancel is not None and cancel.is_set():
            raise Cancelled(f"cancelled while {reference} was pulled")
        if "error" in message:
            raise SandboxError(f"image {reference} cannot be pulled: {message['error']}")


def _parents(tar: tarfile.TarFile, folder: str) -> None:
    parts = folder.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        info = tarfile.TarInfo("/".join(parts[:depth]))
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(info)


def _add(tar: tarfile.TarFile, root: Path, target: str) -> None:
    """All folders, files and links below ``root``, as root's; what else lies there is left out."""
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        info = tarfile.TarInfo(f"{target}/{path.relative_to(root)}")
        info.mtime = int(status.st_mtime)
        mode = stat.S_IMODE(status.st_mode) & 0o777
        if stat.S_ISDIR(status.st_mode):
            info.type, info.mode = tarfile.DIRTYPE, mode | _SEARCHABLE
            tar.addfile(info)
        elif stat.S_ISLNK(status.st_mode):
            info.type, info.linkname = tarfile.SYMTYPE, str(path.readlink())
            tar.addfile(info)
        elif stat.S_ISREG(status.st_mode):
            info.mode = mode | (_SEARCHABLE if mode & stat.S_IXUSR else _READABLE)
            info.size = status.st_size
            with path.open("rb") as file:
                tar.addfile(info, file)


def _accounts(tar: tarfile.TarFile, engine: Engine, container: str, user: str, home: str) -> None:
    """The user's name for programs that ask for it; an account that the image has stays as it is."""
    uid, _, gid = user.partition(":")
    for path, line in (("etc/passwd", f"c2t:x:{uid}:{gid}:c2t:{home}:/bin/sh"), ("etc/group", f"c2t:x:{gid}:")):
        text = _text(engine, container, f"/{path}")
        number = uid if path == "etc/passwd" else gid
        if any(fields[2:3] == [number] for fields in (known.split(":") for known in text.splitlines())):
            continue
        data = f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n".encode()
        info = tarfile.TarInfo(path)
        info.size, info.mode = len(data), 0o644
        tar.addfile(info, io.BytesIO(data))


def _text(engine: Engine, container: str, path: str) -> str:
    """A file of a container, empty where there is none or something else."""
    try:
        pieces, _ = engine.client.get_archive(container, path)
        with tarfile.open(fileobj=io.BytesIO(b"".join(pieces))) as tar:
            member = tar.next()
            file = tar.extractfile(member) if member is not None and member.isreg() else None
            return "" if file is None else file.read(_LARGEST_FILE).decode(errors="surrogateescape")
    except NotFound:
        return ""


def _explained(error: BaseException) -> str:
    return str(error.explanation if isinstance(error, APIError) and error.explanation else error)
