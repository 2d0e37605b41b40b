"""What of the host must be visible for a program to run inside a sandbox, and no more.

It exists because interpreters are often installed below a home folder (pyenv, uv, nvm), of which nothing else may be
seen. Programs below /usr need nothing: every sandbox shows that.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Mount

_ASK_SECONDS = 30
_SYSTEM = ("usr", "bin", "sbin", "lib", "lib64")
_ASK_PYTHON = "import sys; print(sys.base_prefix)"


def toolchain_mounts(executables: Iterable[Path]) -> tuple[Mount, ...]:
    """Read-only mounts, each at its own path, under which all the given programs work.

    A Python interpreter (also a virtual environment's) is asked for its installation, Go for its root; of other
    programs the installation is the folder above their `bin`, or the file alone. Folders through which a link
    leads there are mounted too, under the link's name. Raises SandboxError for a program that is missing, cannot
    be asked, or is installed right in a home folder.
    """
    mounts: dict[str, Mount] = {}
    for executable in executables:
        if not executable.exists():
            raise SandboxError(f"{executable} does not exist")
        installation = _installation(executable)
        for path in _names(executable, installation):
            if not path.is_relative_to("/usr"):
                mounts[str(path)] = Mount(source=installation, target=str(path))
    return tuple(mounts[target] for target in sorted(mounts))


def _installation(executable: Path) -> Path:
    real = executable.resolve()
    if real.parts[1] in _SYSTEM:
        return Path("/usr")
    if real.name.startswith(("python", "pypy")):
        found = Path(_ask(executable, "-I", "-S", "-c", _ASK_PYTHON)).resolve()
    elif real.name == "go":
        found = Path(_ask(executable, "env", "GOROOT")).resolve()
    elif real.parent.name == "bin":
        found = real.parent.parent
    else:
        return real
    homes = (Path("/root"), Path.home().resolve())
    if found.parent == Path("/home") or any(home.is_relative_to(found) for home in homes):
        raise SandboxError(f"{executable} is installed right in {found}; install it in a folder of its own")
    return found


def _names(executable: Path, installation: Path) -> list[Path]:
    """The installation itself, and every folder on the way of links to the program that is another name of it."""
    names = [installation]
    hop = executable.absolute()
    while True:
        names += [folder for folder in hop.parents if folder != installation and folder.resolve() == installation]
        if not hop.is_symlink():
            return list(dict.fromkeys(names))
        hop = Path(os.path.normpath(hop.parent.resolve() / hop.readlink()))


def _ask(executable: Path, *words: str) -> str:
    try:
        answer = subprocess.run(
            [executable, *words],
            capture_output=True,
            text=True,
            check=True,
            timeout=_ASK_SECONDS,
            env={"HOME": "/nonexistent"},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"{executable} does not say where it is installed: {error}") from error
    return answer.stdout.strip()
