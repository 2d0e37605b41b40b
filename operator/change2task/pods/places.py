"""Where things lie in a pod's containers: one list for those who write manifests and those who run in them."""

from __future__ import annotations

from pathlib import Path

from change2task.api.model import Model


class Places(Model):
    """Folders of a trusted container; all but the first four are volumes of the pod.

    ``history`` (mirrors), ``environments`` (documents and leftovers by key), ``step`` (input and earlier results) and
    ``ask`` (what is to be fetched or built) are layers of its image. ``desk`` is for trusted containers alone,
    ``slots`` has a folder a slot, ``tools`` is what slots find there, ``told`` the termination message.
    ``credentials`` are git's, ``registry`` is where Docker's config.json lies, ``index`` where a package index's
    credentials do, ``engine`` those for a container engine outside, ``authorities`` whom private hosts are known by.
    ``build`` is shared with a container engine.
    """

    history: Path = Path("/c2t/history")
    environments: Path = Path("/c2t/environments")
    step: Path = Path("/c2t/step")
    ask: Path = Path("/c2t/ask")
    credentials: Path = Path("/c2t/credentials")
    registry: Path = Path("/c2t/registry")
    index: Path = Path("/c2t/index")
    engine: Path = Path("/c2t/engine")
    authorities: Path = Path("/c2t/authorities")
    build: Path = Path("/c2t/build")
    desk: Path = Path("/c2t/desk")
    slots: Path = Path("/c2t/slots")
    tools: Path = Path("/c2t/tools")
    told: Path = Path("/dev/termination-log")
    busybox: Path = Path("/opt/change2task/bin/busybox")

    def slot(self, number: int) -> Path:
        """A slot's folder, with ``work``, ``home``, ``plan``, ``results`` and ``tmp`` below it."""
        return self.slots / str(number)


SLOT_FOLDERS = ("work", "home", "plan", "results", "tmp")
START = "start.sh"
"""What a slot runs, in its plan folder; a slot without it has nothing to do."""
SECONDS = "seconds"
"""How long it may run, in the same folder."""
SLOT = "slot.sh"
"""Process 1 of a slot, among its tools."""
STOPPED = "stopped"
"""The limit at which it was ended, in its results folder; there only then."""
