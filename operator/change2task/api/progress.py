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


class BuiltEnvironmentImage(Model):
    """An environment that was built for a base, and the image that holds it."""

    key: str = Field(description="The environment's key.")
    image: str = Field(description="Its base image, by digest.")


class BaseProgress(Model):
    """How far a base is: what was fetched and built, and the results of the steps that ran its checks."""

    key: str = Field(description="What the work is identified by; under another key it begins anew.")
    step: int = Field(default=0, ge=0, description="Jobs whose results are kept, the fetch and builds included.")
    attempts: int = Field(default=0, ge=0, description="Jobs that the next step has used up.")
    retry: str = Field(default="", description="Word of the annotation change2task.dev/retry that it was begun with.")
    history: str | None = Field(default=None, description="Image that holds the repository's history.")
    ground: str | None = Field(default=None, description="The same image with what is known of the environments.")
    built: tuple[BuiltEnvironmentImage, ...] = Field(
        default=(), max_length=64, description="Environments that were built."
    )
    builds: bool = Field(default=False, description="Another environment is to be built next.")
    needs: int = Field(default=0, ge=0, description="Passes that the next step is known to need; 0: not known.")
    results: tuple[str, ...] = Field(
        default=(), max_length=64, description="Where results of steps lie in the registry, in their order."
    )
    outcome: str | None = Field(default=None, description="Where the outcome of the last step lies, by digest.")
