"""Packages of an image's own distribution, put on it once for all bases that ask for the same.

It exists because setup's date does not hold for them: a distribution serves what it serves today, so what was
installed once is kept. No project code is in sight while it happens.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from filelock import FileLock

from change2task.api.reasons import Reason
from change2task.base.faults import built_fault
from change2task.base.index import IndexSettings
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.docker import images
from change2task.runtime.docker.growing import GrowingImage
from change2task.runtime.docker.images import Image
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.models import Command, Limits, Mount

NAME = "change2task-packages"
_NO_MANAGER = 64
_UNREACHABLE = 75
_TAIL = 1500
_INSTALL = f"""
if command -v apt-get >/dev/null; then
    apt-get -q -o APT::Update::Error-Mode=any update || exit {_UNREACHABLE}
    apt-get -q install -y --no-install-recommends "$@" || exit 1
    rm -rf /var/lib/apt/lists/*
elif command -v apk >/dev/null; then
    apk update || exit {_UNREACHABLE}
    apk add "$@" || exit 1
    rm -rf /var/cache/apk/*
elif command -v dnf >/dev/null; then
    dnf -q makecache || exit {_UNREACHABLE}
    dnf -y --setopt=install_weak_deps=False install "$@" || exit 1
    dnf -q clean all
elif command -v microdnf >/dev/null; then
    microdnf -y --setopt=install_weak_deps=0 install "$@" || exit 1
    microdnf clean all
else
    echo "no apt-get, apk, dnf or microdnf here"
    exit {_NO_MANAGER}
fi
"""

_log = structlog.get_logger(__name__)


def installed(
    sandbox: DockerSandbox,
    start: Image,
    packages: tuple[str, ...],
    *,
    cache: Path,
    index: IndexSettings,
    files: tuple[Mount, ...],
    limits: Limits,
    cancel: threading.Event | None,
) -> str:
    """The id of ``start`` with the packages on it, from the engine where it stands there, else made now.

    ``index`` and ``files`` are what setup gets, for its proxies and certificates. Raises Faulted, InfrastructureFault,
    Cancelled.
    """
    digest = hashlib.sha256(json.dumps([start.id, *sorted(packages)]).encode()).hexdigest()
    name = f"{NAME}:{digest[:12]}"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f".packages-{digest[:12]}.lock"):
        if images.stands(sandbox.engine, name):
            return images.find(sandbox.engine, name).id
        _log.info("system packages", image=start.reference, packages=packages)
        with TemporaryDirectory(prefix=".packages-", dir=cache) as folder:
            log = cache / f"packages-{digest[:12]}.log"
            command = Command(
                argv=("sh", "-c", _INSTALL, "install", *packages),
                env={"HOME": "/root", **start.variables, **index.variables, "DEBIAN_FRONTEND": "noninteractive"},
                cwd="/",
                mounts=files,
                network=True,
                limits=limits,
                log=log,
            )
            with GrowingImage(sandbox, start.id, Path(folder)) as growing:
                outcome = growing.run(command, cancel=cancel)
                log.write_bytes(index.masked(log.read_bytes()))
                tail = log.read_text(errors="replace")[-_TAIL:].strip()
                what = f"spec.environment.systemPackages ({', '.join(packages)}) on {start.reference}"
                if outcome.stopped_by == "cancelled":
                    raise Cancelled("stopped while system packages were installed; that starts afresh at the next run")
                if outcome.infrastructure is not None:
                    raise InfrastructureFault(f"{what}: {outcome.infrastructure}")
                if outcome.exit_code == _UNREACHABLE:
                    raise InfrastructureFault(f"{what}: the image's package sources cannot be reached:\n{tail}")
                if outcome.exit_code == _NO_MANAGER:
                    raise built_fault(Reason.SETUP_FAILED, f"{what}: {tail}; take an image that holds them already")
                if outcome.stopped_by is not None:
                    raise built_fault(Reason.SETUP_STOPPED, f"{what}: stopped by {outcome.stopped_by}:\n{tail}")
                if not outcome.succeeded:
                    raise built_fault(Reason.SETUP_FAILED, f"{what}: exit code {outcome.exit_code}:\n{tail}")
                return images.name(sandbox.engine, growing.image, name)
