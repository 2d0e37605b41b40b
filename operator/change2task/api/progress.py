"""How far work on a cluster is: what the operator must find again after it was killed, and nothing else.

It stands in status because that is the one place that outlives Jobs, pods and the operator itself.
"""

from __future__ import annotations

from pydantic import Field

from change2task.api.model import Model


class Progress(Model):
    """How many steps' results are kept, where they lie, and what was tried of the next."""

    key: str = Field(description="What the work is identified by; under another key it begins anew.")
    step: int = Field(default=0, ge=0, description="Steps whose results are kept.")
    image: str | None = Field(default=None, description="Image that the next step's trusted containers start from.")
    needs: int = Field(default=0, ge=0, description="Passes that the next step is known to need; 0: not known.")
    attempts: int = Field(default=0, ge=0, description="Jobs that the next step has used up.")
    outcome: str | None = Field(default=None, description="Where the outcome of the last step lies, by digest.")
