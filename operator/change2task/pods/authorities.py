"""Whom private hosts are known by: a company's authorities, from a ConfigMap, beside those of the image.

They hold for git, the registry and the package index alike. What is named and not there is told, rather than left to a
handshake's words.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from change2task.cluster.base_jobs import AUTHORITIES
from change2task.cluster.trust import KEY, NoCertificate, bundle
from change2task.pods.faults import CredentialsFault
from change2task.pods.places import Places

_VARIABLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip
"""By which the tools that setup runs are told of authorities."""


def given(places: Places, environ: Mapping[str, str]) -> Path | None:
    """The authorities of private hosts; None where there are none to be. Raises CredentialsFault."""
    name, path = environ.get(AUTHORITIES), places.authorities / KEY
    if name is None:
        return None
    if not path.is_file():
        raise CredentialsFault(f"ConfigMap {name} is not in this namespace, or lacks the key {KEY}; make it there")
    return path


def of_registry(places: Places) -> Path | None:
    """A file with the registry's authorities beside all others; None where the image's own are enough."""
    files = [path for folder in (places.registry, places.authorities) if (path := folder / KEY).is_file()]
    return together(places.desk / "registry.pem", files) if files else None


def index_variables(places: Places, environ: Mapping[str, str]) -> dict[str, str]:
    """What tells the tools of setup; the file lies where a container engine sees it. Raises CredentialsFault."""
    path = given(places, environ)
    if path is None:
        return {}
    file = together(places.build / "authorities.pem", [path])
    return dict.fromkeys(_VARIABLES, str(file))


def together(target: Path, files: list[Path]) -> Path:
    """The image's authorities and these, in one file. Raises CredentialsFault."""
    try:
        return bundle(target, files)
    except NoCertificate as fault:
        raise CredentialsFault(f"the authorities of private hosts: {fault}") from fault
