"""A base prepared from pass to pass, where passes are run and environments built elsewhere; see ``stepwise``.

The same preparation is replayed from the start with every result there is so far, and stops at what it lacks: an
environment that nobody has built yet, or passes of preflight. Building, running and keeping results are the caller's.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from change2task.api.modernbase import ModernBase
from change2task.base.builds import Builds, NotBuilt
from change2task.base.environment import PlacedEnvironment
from change2task.base.models import NoBase, PreparedBase
from change2task.base.prepare import prepare_base
from change2task.checks.labels import LabelledRunner
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import InfrastructureFault, PassOrder
from change2task.pipeline.base_status import failed_status, ready_status
from change2task.pipeline.stepwise import Answers, Lacking, Replaying
from change2task.pipeline.wire import BaseOutcome, BaseParcel
from change2task.vcs.repository import Repository


@dataclass(frozen=True)
class Lacks:
    """Passes that are needed before anything else is known of a base, and what they are run in.

    The first order is needed in any case. None of them stands in the answers as often as it is asked for.
    """

    orders: tuple[PassOrder, ...]
    environment: PlacedEnvironment
    checks: CheckCommand


@dataclass(frozen=True)
class BaseStep:
    """What came of one replay: what was prepared, or passes needed first, or that an environment is (``builds``)."""

    found: PreparedBase | NoBase | None = None
    lacks: Lacks | None = None
    builds: bool = False


def base_step(base: ModernBase, repository: Repository, builds: Builds, answers: Answers) -> BaseStep:
    """Prepare a base as far as the answers reach. Raises what ``prepare_base`` raises, but NotBuilt."""
    runner = Replaying(answers)
    asked: list[tuple[PlacedEnvironment, CheckCommand]] = []

    def runners(placed: PlacedEnvironment, checks: CheckCommand) -> LabelledRunner:
        asked.append((placed, checks))
        return LabelledRunner(runner, f"bases/{base.metadata.name}")

    try:
        return BaseStep(found=prepare_base(base.spec, repository, builds, runners, time.monotonic))
    except NotBuilt:
        return BaseStep(builds=True)
    except Lacking as lacking:
        return BaseStep(lacks=Lacks(tuple(runner.lacking(lacking.order)), *asked[-1]))


def outcome(
    base: ModernBase, found: PreparedBase | NoBase, *, images: Mapping[str, str], ground: str, now: datetime
) -> BaseOutcome:
    """What was prepared, with its status.

    ``images`` are base images by environment key, ``repository@sha256:…``; ``ground`` is the ground image. Raises
    InfrastructureFault where the environment's image is not among them.
    """
    if isinstance(found, NoBase):
        return BaseOutcome(base=base.replacing(status=failed_status(base, base.status, found, now)))
    key = found.environment.environment.key
    if key not in images:
        raise InfrastructureFault(f"no image is known of environment {key[:12]}")
    kinds = {kind: hashlib.sha256(content).hexdigest() for kind, content in found.evidence().items()}
    contents = {kinds[kind]: content for kind, content in found.evidence().items()}
    image = images[key]
    summary = found.environment.environment.summary().replacing(image=image, digest=image.partition("@")[2])
    status = ready_status(base, base.status, found, kinds, now, environment=summary)
    parcel = BaseParcel(
        name=base.metadata.name,
        url=found.url,
        key=found.key,
        commit=found.commit,
        tree=found.tree,
        environment_key=key,
        image=image,
        ground=ground,
        checks=found.checks,
        inventory=found.inventory,
        scope=base.spec.scope,
    )
    return BaseOutcome(base=base.replacing(status=status), parcel=parcel, evidence=contents)
