"""``python -m change2task.operator``: the operator's one command."""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys
import tempfile
from pathlib import Path

import structlog

from change2task.cluster.kube import Kube, KubeFault
from change2task.cluster.trust import NoCertificate, bundle
from change2task.operator.program import Program
from change2task.operator.settings import OperatorSettings, SettingsFault

_BAD_INPUT = 2
_INFRASTRUCTURE = 3


def main(words: list[str] | None = None) -> int:
    """Run until asked to stop. Exit codes: 0 stopped, 2 bad settings, 3 the cluster cannot be read."""
    parser = argparse.ArgumentParser(prog="change2task.operator", description=__doc__)
    parser.add_argument("--settings", type=Path, required=True, help="a YAML file; see docs/install.md")
    parser.add_argument("--kubeconfig", type=Path, help="else the pod's own account")
    parser.add_argument("--registry-auth", type=Path, help="a file like Docker's config.json")
    parser.add_argument("--authorities", type=Path, help="whom private hosts are known by beside the usual, as PEM")
    parser.add_argument("--port", type=int, default=8080, help="of /healthz and /metrics")
    told = parser.parse_args(words)
    _log_as_json()
    try:
        with tempfile.TemporaryDirectory(prefix="change2task-") as desk:
            program = Program(
                OperatorSettings.read(told.settings),
                Kube.connect(told.kubeconfig),
                told.registry_auth,
                socket.gethostname(),
                told.port,
                authorities=_authorities(told.authorities, Path(desk)),
            )
            asyncio.run(program.run())
    except SettingsFault as fault:
        return _end(str(fault), _BAD_INPUT)
    except KubeFault as fault:
        return _end(str(fault), _INFRASTRUCTURE)
    return 0


def _authorities(given: Path | None, desk: Path) -> Path | None:
    """All that are trusted, in one file. Raises SettingsFault."""
    try:
        return None if given is None else bundle(desk / "authorities.pem", [given])
    except (OSError, NoCertificate) as error:
        raise SettingsFault(f"--authorities: {error}") from error


def _log_as_json() -> None:
    """One JSON object a line on standard error; kopf's own words with ours, from warnings on."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _end(message: str, code: int) -> int:
    print(f"error: {message}", file=sys.stderr)  # noqa: T201 - the last words
    return code


if __name__ == "__main__":
    sys.exit(main())
