"""Git's credentials, from the files of a mounted Secret: what git is told so that it uses them, and only where it may.

It exists so that no secret is ever in a command line, an environment, a URL or a message: git asks a script of ours, or
ssh reads a file. Keys of a Secret are told by name, never by what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from change2task.cluster.trust import NoCertificate, bundle
from change2task.patch.paths import quote
from change2task.pods.faults import CredentialsFault

BASIC, TOKEN, SSH, AUTHORITIES = ("username", "password"), "token", ("ssh-privatekey", "known_hosts"), "ca.crt"
_KNOWN = {*BASIC, TOKEN, *SSH, AUTHORITIES}
_ANYONE = "x-access-token"
"""The user beside a token where none is given; forges look at the token alone."""
_REFUSED = re.compile(
    r"authentication failed|could not read (?:username|password)|permission denied|host key verification failed|"
    r"invalid (?:username|credentials)|access denied|error: 40[13]\b|load key|no such identity",
    re.I,
)


def git_variables(
    folder: Path, source: str, desk: Path, name: str | None = None, authorities: Path | None = None
) -> dict[str, str]:
    """What git's environment holds beside the usual, so that it uses the credentials in ``folder`` for ``source``.

    ``desk`` gets files that only this program reads; ``name`` is the Secret's, for messages; ``authorities`` are of all
    private hosts. No folder: no credentials. Raises CredentialsFault.
    """
    known = [] if authorities is None else [authorities]
    try:
        if (folder / AUTHORITIES).is_file():
            known.append(folder / AUTHORITIES)
        trusted = {"GIT_SSL_CAINFO": str(_authorities(known, desk))} if known else {}
        return {**trusted, **_variables(folder, source, desk)}
    except CredentialsFault as fault:
        raise CredentialsFault(str(fault) if name is None else f"Secret {name}: {fault}") from fault


def _variables(folder: Path, source: str, desk: Path) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    found = {path.name: path for path in folder.iterdir() if not path.name.startswith("..")}
    strangers = sorted(quote(name.encode()) for name in found.keys() - _KNOWN)
    if strangers:
        raise CredentialsFault(
            f"the Secret with git's credentials has keys that mean nothing here ({', '.join(strangers)}); it may have"
            f" {_kinds()}"
        )
    keys = found.keys() - {AUTHORITIES}
    if keys:
        return _ssh(found, source, desk) if keys & set(SSH) else _asked(found, source, desk)
    if not found:
        raise CredentialsFault(
            f"the Secret with git's credentials is empty, or not in this namespace; it may have {_kinds()}"
        )
    return {}


def refused(detail: str) -> bool:
    """Whether git's words say that credentials were missing or not taken."""
    return _REFUSED.search(detail) is not None


def _asked(found: Mapping[str, Path], source: str, desk: Path) -> dict[str, str]:
    parts = urlsplit(source)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise CredentialsFault(
            f"the Secret has {_names(found)}, which git over {parts.scheme or 'ssh'} does not use; it must have"
            f" {' and '.join(SSH)}"
        )
    if TOKEN in found and "password" in found:
        raise CredentialsFault("the Secret has both token and password; leave one of them out")
    word = TOKEN if TOKEN in found else "password"
    missing = {word, *(() if word == TOKEN else BASIC)} - found.keys()
    if missing:
        raise CredentialsFault(f"the Secret has {_names(found)} and lacks {', '.join(sorted(missing))}")
    user = found["username"].read_text().strip() if "username" in found else _ANYONE
    answers = {"user": user, "word": found[word].read_text().strip()}
    for name, answer in answers.items():
        if not answer or "\n" in answer:
            raise CredentialsFault(
                f"{word if name == 'word' else 'username'} of the Secret is empty or has several lines"
            )
        _write(desk / name, answer, 0o600)
    # Whoever the server sends git on to is not told.
    host = re.sub(r"[^A-Za-z0-9.:_-]", "?", parts.netloc.rpartition("@")[2])
    script = (
        "#!/bin/sh\n"
        f"case \"$1\" in *//{host}\\'*|*@{host}\\'*) ;; *) exit 1 ;; esac\n"
        f'case "$1" in Username*) cat {desk}/user ;; *) cat {desk}/word ;; esac\n'
    )
    return {"GIT_ASKPASS": str(_write(desk / "ask", script, 0o700))}


def _ssh(found: Mapping[str, Path], source: str, desk: Path) -> dict[str, str]:
    if urlsplit(source).scheme in {"http", "https"}:
        raise CredentialsFault(
            f"the Secret has {_names(found)}, which git over {urlsplit(source).scheme} does not use; it must have"
            f" {TOKEN}, or {' and '.join(BASIC)}"
        )
    missing = set(SSH) - found.keys()
    if missing:
        raise CredentialsFault(
            f"the Secret lacks {', '.join(sorted(missing))}; without known_hosts nobody knows whom the key is shown to"
        )
    key = found["ssh-privatekey"].read_text().strip()
    if "PRIVATE KEY" not in key.partition("\n")[0]:
        raise CredentialsFault("ssh-privatekey of the Secret is no private key in PEM or OpenSSH form")
    hosts = _write(desk / "known_hosts", found["known_hosts"].read_text(), 0o600)
    identity = _write(desk / "identity", f"{key}\n", 0o600)
    options = f"-oUserKnownHostsFile={hosts} -oGlobalKnownHostsFile=/dev/null -oStrictHostKeyChecking=yes"
    command = f"ssh -F /dev/null -oBatchMode=yes -oConnectTimeout=30 -oIdentitiesOnly=yes {options} -i {identity}"
    return {"GIT_SSH_COMMAND": command}


def _authorities(given: list[Path], desk: Path) -> Path:
    try:
        return bundle(desk / "authorities.pem", given)
    except NoCertificate as fault:
        raise CredentialsFault(f"of the Secret or of the private hosts' authorities, {fault}") from fault


def _write(path: Path, content: str, mode: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.touch(mode=mode)
    path.write_text(content)
    return path


def _names(found: Mapping[str, Path]) -> str:
    return ", ".join(sorted(found.keys() - {AUTHORITIES}))


def _kinds() -> str:
    return f"{' and '.join(BASIC)}, or {TOKEN}, or {' and '.join(SSH)}, and {AUTHORITIES} beside any of them"
