"""The container engine that a build drives, as its container reaches it: beside it, or outside by TLS.

What an engine outside lacks or refuses is told apart from one that is not there yet.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import structlog

from change2task.checks.passes import InfrastructureFault
from change2task.cluster.engines import BUILD_FOLDER, ENGINE_SECRET
from change2task.pods.faults import CredentialsFault
from change2task.pods.places import Places
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.errors import SandboxError

_SECONDS = 120.0
_AGAIN_SECONDS = 0.5
_FILES = {"ca.pem": "ca.crt", "cert.pem": "tls.crt", "key.pem": "tls.key"}
_REFUSED = re.compile(r"certificate|tlsv1|SSL|TLS|bad handshake", re.I)
log = structlog.get_logger(__name__)


def connected(environ: Mapping[str, str], images: Mapping[str, str], seconds: float = _SECONDS) -> DockerSandbox:
    """The engine, which may still be starting. Raises InfrastructureFault, CredentialsFault."""
    secret = environ.get(ENGINE_SECRET)
    if secret is not None:
        _check(Path(environ["DOCKER_CERT_PATH"]), secret)
    deadline = time.monotonic() + seconds
    while True:
        try:
            return DockerSandbox.connect(environ, sources=images)
        except SandboxError as error:
            if secret is not None and _REFUSED.search(str(error)):
                raise CredentialsFault(
                    f"the container engine at {environ.get('DOCKER_HOST')} and Secret {secret} do not know each other:"
                    f" {error}"
                ) from error
            if time.monotonic() > deadline:
                raise InfrastructureFault(
                    f"the container engine did not answer within {seconds:g} s: {error}"
                ) from error
            log.debug("engine.waited_for", error=str(error))
            time.sleep(_AGAIN_SECONDS)


@contextmanager
def own_folder(places: Places, environ: Mapping[str, str]) -> Iterator[Places]:
    """The places of a build whose folder is shared with others': one below it that goes with the build."""
    told = environ.get(BUILD_FOLDER)
    if told is None:
        yield places
        return
    folder = Path(told)
    # What an earlier attempt of the same build left there is of no use.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield places.replacing(build=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(folder: Path, secret: str) -> None:
    lacking = [key for file, key in _FILES.items() if not (folder / file).is_file()]
    if lacking:
        raise CredentialsFault(
            f"Secret {secret} of the builds' namespace, by which the container engine is reached, is not there or lacks"
            f" {', '.join(lacking)}"
        )
