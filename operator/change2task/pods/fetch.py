"""Fetches a base's repository and pushes it as a layer: the one pod that has git's credentials.

What comes of it is the history image, in which everything else about this base is done without them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import structlog

from change2task.api.conditions import ConditionType
from change2task.api.reasons import Reason
from change2task.base.faults import BaseFault
from change2task.base.models import NoBase
from change2task.checks.passes import InfrastructureFault
from change2task.cluster.layers import write_layer
from change2task.pipeline.basewise import outcome
from change2task.pipeline.wire import FetchInput, FetchResult
from change2task.pods import authorities
from change2task.pods.credentials import git_variables, refused
from change2task.pods.faults import CredentialsFault
from change2task.pods.places import Places
from change2task.pods.pushing import asked_of, pushed, registry_of
from change2task.vcs.errors import EmptyRepository, MirrorUnreachable, NotARepository, PathNotFound, VcsError, masked
from change2task.vcs.mirror import ensure_mirror, mirror_path

HISTORY = "/c2t/history"
log = structlog.get_logger(__name__)


def fetch(places: Places, environ: Mapping[str, str] = os.environ) -> FetchResult:
    """Fetch, and push the history image. Raises InfrastructureFault."""
    asked = asked_of(FetchInput, places)
    base, url = asked.base, asked.base.spec.repository.url
    folder, known = places.desk / "mirrors", authorities.given(places, environ)
    with tempfile.TemporaryDirectory(prefix="credentials-", dir=_made(places.desk)) as desk:
        secret = base.spec.repository.credentials_secret_ref
        name = None if secret is None else secret.name
        variables = git_variables(places.credentials, asked.source, Path(desk), name, known)
        try:
            mirror = _mirror(asked, folder, variables)
        except (EmptyRepository, NotARepository, PathNotFound) as error:
            reason = Reason.EMPTY_REPOSITORY if isinstance(error, EmptyRepository) else Reason.REPOSITORY_UNREACHABLE
            fault = BaseFault(reason=reason, message=str(error), condition=ConditionType.RESOLVED)
            return FetchResult(base=outcome(base, NoBase(fault=fault), images={}, ground="", now=datetime.now(UTC)))
    log.info("fetched", url=masked(url), folder=mirror.name)
    registry = registry_of(asked.registry, places)
    with tempfile.NamedTemporaryFile(prefix="layer-", suffix=".tar", dir=places.desk) as file:
        with Path(file.name).open("wb") as out:
            write_layer(out, [(mirror, f"{HISTORY}/{mirror.name}")])
        return FetchResult(history=pushed(registry, asked.image, Path(file.name), "histories"))


def _mirror(asked: FetchInput, folder: Path, variables: dict[str, str]) -> Path:
    base, url = asked.base, asked.base.spec.repository.url
    revision = base.spec.revision
    wanted = [named for named in (revision.healthy, revision.target) if named is not None]
    try:
        ensure_mirror(
            url, asked.source, folder, wanted=wanted, depth=base.spec.history.depth, variables=variables
        ).close()
    except MirrorUnreachable as error:
        if not refused(error.detail):
            raise InfrastructureFault(str(error)) from error
        named = base.spec.repository.credentials_secret_ref
        way_out = (
            "name a Secret with its credentials in spec.repository.credentialsSecretRef"
            if named is None
            else f"look at Secret {named.name}"
        )
        raise CredentialsFault(
            f"{masked(url)} is not there or does not let us in; {way_out}: {error.detail}"
        ) from error
    except (EmptyRepository, NotARepository, PathNotFound):
        raise
    except VcsError as error:
        raise InfrastructureFault(str(error)) from error
    return mirror_path(url, folder)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
