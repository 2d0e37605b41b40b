"""The Helm that installs: one on PATH that is new enough, else one built here of pinned Go modules.

Only Helm 3 is taken: Helm 4 applies otherwise, and nothing here was tried with it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from hack.kind.commands import CommandFailed, run
from hack.kind.programs import build_beside, is_built_beside
from hack.kind.settings import Program, Settings

VERSION: Final = "3.21.4"
KUBERNETES: Final = ("1", "36")
"""What a chart is rendered for where no cluster is asked; that of its client library in programs/helm/go.mod."""
OLDEST: Final = (3, 17)
"""The first that can take over objects which it did not make."""

_LIBRARY: Final = "helm.sh/helm/v3"
PROGRAM: Final = Program(
    packages=(f"{_LIBRARY}/cmd/helm",),
    variables={
        f"{_LIBRARY}/internal/version.version": f"v{VERSION}",
        **{
            f"{_LIBRARY}/pkg/{package}.k8sVersion{part}": value
            for package in ("chartutil", "lint/rules")
            for part, value in zip(("Major", "Minor"), KUBERNETES, strict=True)
        },
    },
)


def find_helm(settings: Settings) -> Path | None:
    """The one that would be used without building any; None when one must be built first."""
    installed = shutil.which("helm")
    if installed and _is_new_enough(installed):
        return Path(installed)
    return settings.bin / "helm" if is_built_beside(settings, "helm", PROGRAM) else None


def ensure_helm(settings: Settings) -> Path:
    """One that can be used; building takes minutes, once. Raises ClusterError where Go is missing."""
    found = find_helm(settings)
    if found is not None:
        return found
    build_beside(settings, "helm", PROGRAM)
    return settings.bin / "helm"


def _is_new_enough(program: str) -> bool:
    try:
        told = run(program, "version", "--template", "{{.Version}}", seconds=30)
    except CommandFailed:
        return False
    found = re.match(r"v(\d+)\.(\d+)\.", told)
    return found is not None and int(found[1]) == OLDEST[0] and int(found[2]) >= OLDEST[1]
