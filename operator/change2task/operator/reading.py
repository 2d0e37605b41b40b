"""An object of the API as a resource of ours; what cannot be one is told so that a person can mend it.

The API server keeps to the definitions, and these cannot say all that the models ask for, or are older. Then the object
is there, and nothing can be done with it.
"""

from __future__ import annotations

import json
from typing import TypeVar

import structlog
from pydantic import ValidationError

from change2task.api.conditions import ConditionType
from change2task.api.manifests import parse_manifests
from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.cluster.kube import Json

log = structlog.get_logger(__name__)

Kind = TypeVar("Kind", bound=Model)
_MOST = 4000


class SpecInvalid(Exception):
    """A spec that the API server took and nobody can work on; the message names fields, values and the way out."""


def read(kind: type[Kind], raw: Json) -> Kind:
    """A resource with its status; a status that cannot be read is as none. Raises SpecInvalid."""
    plain = _plain(raw)
    try:
        return kind.model_validate(plain)
    except ValidationError as error:
        of_status = [one["loc"] for one in error.errors(include_url=False) if one["loc"][:1] == ("status",)]
    if of_status:
        meta = raw["metadata"]
        log.warning("status.unreadable", kind=kind.__name__, name=meta["name"], fields=[str(one) for one in of_status])
    try:
        return kind.model_validate({**plain, "status": {}})
    except ValidationError as error:
        raise SpecInvalid(f"{_faults(kind, raw, error)}; make a new {kind.__name__} in which that is mended") from error


def _plain(raw: Json) -> Json:
    """An object without conditions of others, which mean nothing here and would be no values of ours."""
    told = raw.get("status") or {}
    kinds, reasons = {str(one) for one in ConditionType}, {str(one) for one in Reason}
    kept = [one for one in told.get("conditions") or () if one.get("type") in kinds and one.get("reason") in reasons]
    return {**raw, "status": {**told, "conditions": kept}}


def _faults(kind: type[Kind], raw: Json, error: ValidationError) -> str:
    """The faults in the words in which ``change2task validate`` tells them."""
    written = {
        "apiVersion": raw.get("apiVersion"),
        "kind": kind.__name__,
        "metadata": {"name": raw["metadata"]["name"]},
    }
    text = json.dumps({**written, "spec": raw.get("spec") or {}}).encode()
    told = [
        f"{problem.field}: {problem.message}" + (f" (got {problem.value})" if problem.value is not None else "")
        for problem in parse_manifests(text, "").problems
    ]
    return ("; ".join(told) or f"{error.error_count()} faults: {error.errors(include_url=False)[0]['msg']}")[:_MOST]
