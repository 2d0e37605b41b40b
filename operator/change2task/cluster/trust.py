"""Whom a program of ours trusts: the authorities of its system, and those that it was given beside them.

It exists because a file of authorities that is given to a TLS library stands instead of the system's, and a company's
own hosts are read beside the world's.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from requests.utils import DEFAULT_CA_BUNDLE_PATH

KEY = "ca.crt"
_SYSTEM = Path("/etc/ssl/certs/ca-certificates.crt")
MARK = "BEGIN CERTIFICATE"


class NoCertificate(ValueError):
    """What is named as a file of authorities holds none in PEM form."""


def bundle(target: Path, given: Iterable[Path], *, system: Path = _SYSTEM) -> Path:
    """Write the system's authorities and those of the files ``given`` to ``target``.

    Raises NoCertificate for a file that holds none, OSError for one that cannot be read.
    """
    usual = (system if system.is_file() else Path(DEFAULT_CA_BUNDLE_PATH)).read_text()
    texts = [usual, *(_certificates(path) for path in given)]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(text.strip() for text in texts) + "\n")
    return target


def _certificates(path: Path) -> str:
    text = path.read_text(errors="replace")
    if MARK not in text:
        raise NoCertificate(f"{path.name} holds no certificate in PEM form")
    return text
