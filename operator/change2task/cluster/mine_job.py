"""The Job that mines a base's history: one trusted container on the base's own image, closed like a step's pod. Pure.

It runs no repository code, reads what only git reads, and has neither a token nor a network.
"""

from __future__ import annotations

from typing import Any, Final

from change2task.api.model import Model
from change2task.api.podtemplate import PodTemplate
from change2task.cluster import names
from change2task.cluster.parts import (
    Subject,
    job,
    labels_of,
    named_by,
    placed_by,
    pod,
    restricted,
    scratch,
    trusted,
)

MINE: Final = "mine"


class MineJob(Model):
    """Everything that mining depends on. ``image`` is an image with the base's history and what is asked for in it."""

    subject: Subject
    key: str
    attempt: int
    image: str
    seconds: int = 3600
    template: PodTemplate = PodTemplate()

    @property
    def name(self) -> str:
        """The same attempt of the same work has the same name, whoever asks."""
        return names.job_name(self.subject.kind, self.subject.name, self.subject.uid, self.key, MINE, self.attempt)

    def manifest(self) -> dict[str, Any]:
        """The Job."""
        labels = labels_of(self.subject, self.subject.uid, 0, self.attempt, "none", self.template.labels)
        made = pod(
            security=restricted(),
            init=[],
            main=trusted(MINE, self.image, [MINE], []),
            volumes=[scratch("desk", "1Gi"), scratch("temporary", "1Gi")],
        )
        told = {**made, **placed_by(self.template), **named_by(self.template)}
        return job(self.name, self.subject.namespace, self.subject, self.key, labels, self.seconds, told)
