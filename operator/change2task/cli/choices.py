"""What a user chooses on the command line and manifests are judged against before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from change2task.api.taskcandidate import Profile


class Runtime(StrEnum):
    """Where commands run."""

    PROCESS = "process"
    DOCKER = "docker"


@dataclass(frozen=True)
class Choices:
    """How manifests are to be run; a candidate's own profile goes before the run's."""

    runtime: Runtime = Runtime.PROCESS
    profile: Profile = Profile.FULL
