"""What a pod has been given to keep to itself: nothing that leaves it as words holds any of it.

It exists because the last words of a fault are read by everybody who may look at pods and statuses, and programs repeat
what they were given. Results are made of masked logs already.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping

from change2task.base.index import IndexSettings
from change2task.pods import indexes
from change2task.pods.places import Places

_WORDS = ("token", "password")


def masks(places: Places, environ: Mapping[str, str]) -> IndexSettings:
    """What masks the secrets of this pod's files and environment."""
    found = {f"{number}_SECRET": word for number, word in enumerate((*_of_git(places), *_of_registry(places)))}
    return IndexSettings(variables={}).knowing({**environ, **found, **indexes.found(places)})


def _of_git(places: Places) -> Iterator[str]:
    for name in _WORDS:
        try:
            yield (places.credentials / name).read_text().strip()
        except (OSError, UnicodeDecodeError):
            continue


def _of_registry(places: Places) -> Iterator[str]:
    try:
        known = json.loads((places.registry / "config.json").read_bytes()).get("auths")
    except (OSError, ValueError, AttributeError):
        return
    for one in known.values() if isinstance(known, dict) else ():
        told = one if isinstance(one, dict) else {}
        yield from (told[name] for name in ("auth", "password") if isinstance(told.get(name), str))
        try:
            yield base64.b64decode(str(told.get("auth", ""))).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            continue
