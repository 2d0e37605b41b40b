"""What users may say of the pods that work for a base: amounts, places, priorities; never what runs in them.

It is a small part of Kubernetes' own template, with Kubernetes' own rules, so that what the API server would refuse of
a pod is refused where it is written.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from change2task.api.metadata import ObjectName, Reference
from change2task.api.model import Model
from change2task.api.quantities import amount
from change2task.api.rules import ruled
from change2task.api.texts import Key, LabelValue, Quantity


class ResourceAmounts(Model):
    """Kubernetes resource requests and limits."""

    model_config = ConfigDict(
        json_schema_extra=ruled(
            (
                "!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) ||"
                " quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)",
                "a request is above its limit; what is set aside must be at most what may be used",
            )
        )
    )

    requests: dict[Key, Quantity] = Field(
        default_factory=dict, max_length=16, description="Amounts set aside, e.g. cpu: 500m."
    )
    limits: dict[Key, Quantity] = Field(default_factory=dict, max_length=16, description="Amounts never exceeded.")

    @model_validator(mode="after")
    def _requests_are_within_limits(self) -> Self:
        for name, asked in self.requests.items():
            if name in self.limits and amount(asked) > amount(self.limits[name]):
                raise ValueError(
                    f"a request is above its limit ({name}: {asked} above {self.limits[name]}); what is set aside must"
                    " be at most what may be used"
                )
        return self


class Toleration(Model):
    """A taint that pods tolerate (Kubernetes core/v1 Toleration)."""

    model_config = ConfigDict(
        json_schema_extra=ruled(
            (
                "!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''",
                "with operator Exists there is no value; leave it out",
            ),
            (
                "has(self.key) || (has(self.operator) && self.operator == 'Exists')",
                "without a key the operator must be Exists, which tolerates every taint",
            ),
            (
                "!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
                "tolerationSeconds means something with effect NoExecute only; leave it out",
            ),
        )
    )

    key: Key | None = Field(default=None, description="Taint key; absent: every key.")
    operator: Literal["Exists", "Equal"] | None = Field(default=None, description="How value is compared.")
    value: LabelValue | None = Field(default=None, description="Taint value, for Equal.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        default=None, description="Taint effect; absent: every effect."
    )
    toleration_seconds: int | None = Field(default=None, description="How long NoExecute is tolerated.")

    @model_validator(mode="after")
    def _is_one_of_kubernetes(self) -> Self:
        if self.operator == "Exists" and self.value:
            raise ValueError("with operator Exists there is no value; leave it out")
        if self.key is None and self.operator != "Exists":
            raise ValueError("without a key the operator must be Exists, which tolerates every taint")
        if self.toleration_seconds is not None and self.effect != "NoExecute":
            raise ValueError("tolerationSeconds means something with effect NoExecute only; leave it out")
        return self


class PodTemplate(Model):
    """The small part of a pod that users may set (cluster only)."""

    resources: ResourceAmounts = Field(default=ResourceAmounts(), description="Of each container that runs checks.")
    node_selector: dict[Key, LabelValue] = Field(
        default_factory=dict, max_length=64, description="Labels that a node must have."
    )
    tolerations: tuple[Toleration, ...] = Field(default=(), max_length=64, description="Taints tolerated.")
    priority_class_name: ObjectName | None = Field(default=None, description="Priority of the pods.")
    service_account_name: ObjectName | None = Field(
        default=None, description="Account whose pull secrets are used; its token is never mounted."
    )
    image_pull_secrets: tuple[Reference, ...] = Field(
        default=(), max_length=16, description="Secrets to pull images with."
    )
    labels: dict[Key, LabelValue] = Field(
        default_factory=dict, max_length=64, description="Labels put on every pod and Job, e.g. a Kueue queue."
    )
