"""Faults of a pod that are no infrastructure's: what a person must mend before trying again helps."""

from __future__ import annotations

from change2task.checks.passes import InfrastructureFault


class CredentialsFault(InfrastructureFault):
    """Credentials are missing, of the wrong kind or refused: a person must mend them, trying again does not help."""
