"""Mines a base's history: reads the mirror of its image, and says which changes are worth a candidate.

Nothing of the repository is run, nothing is fetched, and no forge is asked: the pod has neither a token nor a network.
Which of them are made is the operator's to decide.
"""

from __future__ import annotations

import structlog

from change2task.checks.passes import InfrastructureFault
from change2task.history.models import ChangeUnusable
from change2task.pipeline import mining
from change2task.pipeline.mining_rules import wish_of
from change2task.pipeline.wire import MineInput, MineResult
from change2task.pods.bases import repository
from change2task.pods.places import Places
from change2task.pods.pushing import asked_of
from change2task.vcs.errors import VcsError

log = structlog.get_logger(__name__)


def mine(places: Places) -> MineResult:
    """The candidates, best first, and the funnel. Raises InfrastructureFault."""
    asked = asked_of(MineInput, places)
    wish, span = wish_of(asked.rules)
    try:
        mined = mining.mine(repository(asked.base.spec.repository.url, places), asked.base, asked.commit, wish, span)
    except (ChangeUnusable, VcsError) as error:
        raise InfrastructureFault(f"the history under {asked.commit[:12]} cannot be mined: {error}") from error
    log.info("mined", commits=mined.funnel.commits, candidates=len(mined.candidates))
    return MineResult(candidates=mined.candidates, funnel=mined.funnel)
