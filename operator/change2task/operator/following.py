"""What a build is at while it runs, out of the last lines of its own log: so many words as a status holds.

A build takes minutes to hours, in which its status would else say only that it runs. What setup itself prints is not
repeated: it is repository code's, and is kept with the outcome.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import structlog

from change2task.cluster.kube import Json, Kube, KubeFault
from change2task.operator import jobs

log = structlog.get_logger(__name__)

_LINES = 100
_MOST = 64 << 10
_LONGEST = 200
_TOLD: Final[Mapping[str, tuple[str, str]]] = {
    "image.pull": ("pulls image", "image"),
    "setup": ("setup", "step"),
    "setup is tried in a poorer way": ("setup is tried in a poorer way", ""),
    "the package index keeps no upload dates": ("the package index keeps no upload dates; setup begins again", ""),
    "environment.found": ("the environment is in the registry already", ""),
    "environment.kept": ("the base image is pushed", ""),
}
"""Events of a build's log that people are told, with the field that says what."""


def build_says(kube: Kube, job: Json) -> str:
    """What a running build said last; empty where that is not known. A log that cannot be read stops nothing."""
    try:
        pod = jobs.last_pod(kube, job)
        if pod is None:
            return ""
        meta = pod["metadata"]
        text = kube.log(meta["namespace"], meta["name"], jobs.main_container(job), _MOST, _LINES)
    except KubeFault as fault:
        log.debug("build.log_unread", detail=str(fault))
        return ""
    return last_words(text.decode(errors="replace"))


def last_words(text: str) -> str:
    """The last of a log's lines that people are told, as words of one line."""
    for line in reversed(text.splitlines()):
        told = _event(line)
        name = told.get("event")
        if isinstance(name, str) and name in _TOLD:
            words, field = _TOLD[name]
            what = " ".join(str(told.get(field, "")).split())
            said = f"{words}: {what}" if what else words
            return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
    return ""


def _event(line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
