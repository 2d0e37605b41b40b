"""What a base's status says of the mining of its history: where every change went, and which candidates were made.

The counts are the funnel's of ``history.mining`` with a last stage for what became of its candidates on the cluster.
Names are kept by their endings, since that a candidate was made must be known when it is long deleted.
"""

from __future__ import annotations

from pydantic import Field

from change2task.api.model import Model
from change2task.api.progress import Progress


class MinedStage(Model):
    """One stage: ``entered`` is what it left out and what passed."""

    name: str = Field(description="raw, evidence, selection; creation: what became of the candidates found.")
    entered: int = Field(ge=0, description="Changes that came to it.")
    left: dict[str, int] = Field(default_factory=dict, description="Reason to how many changes it left out.")
    passed: int = Field(ge=0, description="Changes that it passed on; of creation: candidates made.")


class MiningStatus(Model):
    """How far mining is, and what came of the last that ended. Counts add up from stage to stage."""

    key: str = Field(default="", description="What was mined last: base, rules and the annotation's word, as a hash.")
    commits: int = Field(default=0, ge=0, description="Commits under the base.")
    within: int = Field(default=0, ge=0, description="Of them, those that came in with another one's change.")
    stages: tuple[MinedStage, ...] = Field(default=(), max_length=8, description="From all changes to candidates.")
    made: tuple[str, ...] = Field(
        default=(),
        max_length=500,
        description="Endings of the names of all candidates that mining ever made of this base, deleted ones included.",
    )
    progress: Progress | None = Field(default=None, description="How far the mining under way is.")
