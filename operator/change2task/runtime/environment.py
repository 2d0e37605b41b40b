"""A built environment, as something commands can be run in.

It exists so that whoever builds an environment and whoever runs in it agree on where it lies and what it sets. How
it is built and what it holds is left to the builder.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from pydantic import Field

from change2task.api.model import Model
from change2task.runtime.models import Layout, Mount

_SYSTEM_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


class Environment(Model):
    """Tools and dependencies of a base.

    `folder` is seen at `layout.env`, read-only in every state; None where `image`, which states start from, holds it
    there. `leftovers` is a folder whose content building has
    left beside the sources (a pointer of an editable install, node_modules); it is laid into each fresh work folder.
    `toolchain` are further host folders that must be visible (see toolchain_mounts). `path` are folders, as seen
    inside, that come first in PATH. `variables` are set on top of the usual ones.
    """

    folder: Path | None
    image: str | None = None
    leftovers: Path | None = None
    toolchain: tuple[Mount, ...] = ()
    path: tuple[str, ...] = ()
    variables: dict[str, str] = Field(default_factory=dict)

    def mounts(self, layout: Layout, *, writable: bool = False) -> tuple[Mount, ...]:
        """What a command must have mounted; `writable` only while the environment is being built."""
        content = () if self.folder is None else (Mount(source=self.folder, target=layout.env, writable=writable),)
        return (*self.toolchain, *content)

    def command_env(self, layout: Layout) -> dict[str, str]:
        """The whole environment of a command: places, a neutral locale and time zone, then `variables`."""
        return {
            "PATH": ":".join((*self.path, *_SYSTEM_PATH)),
            "HOME": layout.home,
            "TMPDIR": layout.tmp,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            **self.variables,
        }

    def lay_leftovers(self, work: Path) -> None:
        """Copy the leftovers into the host folder `work`; what is there already stays as it is."""
        if self.leftovers is not None:
            _copy_missing(self.leftovers, work)


def _copy_missing(source: Path, target: Path) -> None:
    for entry in source.iterdir():
        place = target / entry.name
        if entry.is_dir() and not entry.is_symlink():
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                continue
            if place.exists():
                _copy_missing(entry, place)
            else:
                shutil.copytree(entry, place, symlinks=True)
        elif not place.exists() and not place.is_symlink():
            shutil.copy2(entry, place, follow_symlinks=False)
