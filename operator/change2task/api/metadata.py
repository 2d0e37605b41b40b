"""What every resource has besides its spec: names, labels, generation; the subset that both worlds use."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from change2task.api.model import Model

GROUP: Final = "change2task.dev"
VERSION: Final = "v1alpha1"
API_VERSION: Final = "change2task.dev/v1alpha1"
NAME_PATTERN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
NAMESPACE_PATTERN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"

ObjectName = Annotated[str, Field(min_length=1, max_length=253, pattern=NAME_PATTERN)]
"""The name of an object of Kubernetes."""


class ObjectMeta(Model):
    """Kubernetes object metadata; fields we do not use are kept as they are."""

    model_config = ConfigDict(
        frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )

    name: str = Field(
        min_length=1,
        max_length=253,
        pattern=NAME_PATTERN,
        description="Name, unique for its kind in a namespace: lower case letters, digits, hyphens and full stops.",
    )
    namespace: str | None = Field(
        default=None,
        min_length=1,
        max_length=63,
        pattern=NAMESPACE_PATTERN,
        description="Namespace; references stay within it.",
    )
    labels: dict[str, str] = Field(default_factory=dict, description="Labels to select by.")
    annotations: dict[str, str] = Field(default_factory=dict, description="Notes of tools.")
    generation: int = Field(default=1, ge=0, description="Counts changes of spec; set by the API server.")


class Reference(Model):
    """A reference to an object in the same namespace."""

    name: ObjectName = Field(description="The object's name.")
