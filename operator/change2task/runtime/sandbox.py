"""What every sandbox offers, so that callers depend on no particular one.

It exists as the seam between planning a command and isolating it. Which sandbox this machine can offer is
`choose`'s to find out.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

from change2task.runtime.models import Command, Isolation, Layout, Outcome

if TYPE_CHECKING:
    from change2task.runtime.docker.sandbox import DockerSandbox


class Sandbox(Protocol):
    """A place where commands run. Safe to use from several threads at once."""

    @property
    def name(self) -> str:
        """`bubblewrap`, `plain` or `docker`."""

    @property
    def isolation(self) -> Isolation:
        """What is enforced here, and what is not."""

    @property
    def layout(self) -> Layout:
        """The paths under which commands find their folders."""

    @property
    def containers(self) -> DockerSandbox | None:
        """The sandbox of containers that this is, or is a wrapper of; None where commands need no image."""

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """Run a command to its end; nothing it started is left when this returns.

        Setting `cancel` from another thread ends it within half a second. Faults of the machine are told in
        the outcome's `infrastructure`; a command the sandbox can never run raises SandboxError.
        """
