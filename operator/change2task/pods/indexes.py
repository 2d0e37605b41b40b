"""A package index's credentials, from the files of a mounted Secret: what setup's tools are told.

They are files, not the pod's variables, so that nothing that lists a pod's environment shows them. Keys of a Secret
are told by name, never by what they hold; their values are masked in all that a pod says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit, urlunsplit

from change2task.base.index import is_passed
from change2task.cluster.base_jobs import INDEX_SECRET
from change2task.patch.paths import quote as quoted
from change2task.pods.faults import CredentialsFault
from change2task.pods.places import Places

_URL = "UV_DEFAULT_INDEX"
_USER, _PASSWORD, _TOKEN = "username", "password", "token"
_ANYONE = "__token__"
"""The user beside a token where none is given, as PyPI and those that do as it does want it."""
_KINDS = f"{_USER} and {_PASSWORD}, or {_TOKEN}, or variables such as UV_INDEX_NAME_PASSWORD, PIP_INDEX_URL or GOPROXY"


def found(places: Places) -> dict[str, str]:
    """What the Secret holds, by key; nothing where there is none."""
    if not places.index.is_dir():
        return {}
    files = (path for path in sorted(places.index.iterdir()) if not path.name.startswith(".."))
    return {path.name: path.read_text(errors="replace").strip() for path in files if path.is_file()}


def index_credentials(places: Places, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that the tools of setup get beside those that are no secret. Raises CredentialsFault."""
    name = environ.get(INDEX_SECRET)
    if name is None:
        return {}
    held = found(places)
    if not held:
        raise CredentialsFault(f"Secret {name} is empty, or not in the builds' namespace; it may have {_KINDS}")
    try:
        return _variables(held, environ.get(_URL))
    except CredentialsFault as fault:
        raise CredentialsFault(f"Secret {name}: {fault}") from None


def _variables(held: Mapping[str, str], url: str | None) -> dict[str, str]:
    account = {_USER, _PASSWORD, _TOKEN}
    strangers = sorted(quoted(key.encode()) for key in held.keys() - account if not is_passed(key))
    if strangers:
        raise CredentialsFault(f"keys that mean nothing here ({', '.join(strangers)}); it may have {_KINDS}")
    odd = sorted(key for key, value in held.items() if not value or re.search(r"[\r\n\0]", value))
    if odd:
        raise CredentialsFault(f"{', '.join(odd)} is empty or has several lines")
    variables = {key: value for key, value in held.items() if key not in account}
    if held.keys() & account:
        variables[_URL] = _with_account(held, variables.get(_URL) or url)
    return variables


def _with_account(held: Mapping[str, str], url: str | None) -> str:
    if _TOKEN in held and _PASSWORD in held:
        raise CredentialsFault(f"it has both {_TOKEN} and {_PASSWORD}; leave one of them out")
    if _TOKEN not in held and not {_USER, _PASSWORD} <= held.keys():
        raise CredentialsFault(f"it lacks {_PASSWORD if _USER in held else _USER}")
    if not url:
        raise CredentialsFault("it says who reads the package index, and no index is said; set index.url of the chart")
    parts = urlsplit(url)
    user, word = held.get(_USER, _ANYONE), held.get(_TOKEN) or held[_PASSWORD]
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}:{quote(word, safe='')}@{place}"))
