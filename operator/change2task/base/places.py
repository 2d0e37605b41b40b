"""What a command of a base sees and where: mounts and variables for setup and for every state after it.

It exists so that build and states agree to the letter; a virtual environment only works at the path it was made at.
"""

from __future__ import annotations

from pathlib import Path

from change2task.api.model import Model
from change2task.base.compilers import Compiler
from change2task.base.faults import ToolchainMissing
from change2task.base.toolchains import Interpreter
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Layout, Mount
from change2task.runtime.sandbox import Sandbox
from change2task.runtime.toolchain import toolchain_mounts


class StartImage(Model):
    """The image that an environment starts from: how it was asked for, its id, and what it sets.

    ``path`` are the folders of its PATH, ``variables`` the others that it sets. Its states run as ``user`` (uid:gid).
    """

    reference: str
    id: str
    path: tuple[str, ...]
    variables: dict[str, str]
    user: str


class BaseImage(Model):
    """The image that holds an environment: its name on the engine, its id, the bytes it adds to its start image.

    ``modules`` are the top-level Python modules installed in it.
    """

    name: str
    id: str
    bytes: int
    modules: tuple[str, ...] = ()


class Tools(Model):
    """What an environment rests on: an interpreter, a Go installation or a compiler, of this machine or in
    ``image``.
    """

    interpreter: Interpreter | None = None
    go_root: Path | None = None
    go_version: str | None = None
    compiler: Compiler | None = None
    image: StartImage | None = None

    def described(self) -> str | None:
        """The interpreter or compiler with its version; None where there is neither."""
        if self.interpreter is not None:
            return f"CPython {self.interpreter.version}"
        if self.compiler is not None:
            return self.compiler.described()
        return None if self.go_version is None else f"Go {self.go_version}"

    def mounts(self) -> tuple[Mount, ...]:
        """The tools at their own paths. Raises ToolchainMissing where one is gone, or cannot be shown alone."""
        if self.image is not None:
            return ()
        programs = [self.go_root / "bin/go"] if self.go_root is not None else []
        programs += [self.compiler.program] if self.compiler is not None else []
        programs += [self.interpreter.executable] if self.interpreter is not None else []
        try:
            return toolchain_mounts(programs)
        except SandboxError as error:
            raise ToolchainMissing(str(error)) from error


def mount(sandbox: Sandbox, source: Path, name: str, *, writable: bool = False) -> Mount:
    """``source`` at a fixed path of our own named ``name``, or where it is if the sandbox cannot move it."""
    source = source.absolute()
    target = f"/c2t/{name}" if sandbox.isolation.fixed_paths else str(source)
    return Mount(source=source, target=target, writable=writable)


def path_folders(layout: Layout, tools: Tools) -> tuple[str, ...]:
    """Folders that come before the system's own in PATH, as seen inside."""
    python = (f"{layout.env}/bin",) if tools.interpreter is not None else ()
    go = (f"{tools.go_root}/bin",) if tools.go_root is not None else ()
    compiler = (str(tools.compiler.folder),) if tools.compiler is not None else ()
    return (*python, *go, *compiler, *(tools.image.path if tools.image is not None else ()))


def state_variables(layout: Layout, tools: Tools) -> dict[str, str]:
    """What a state's commands get besides places, locale and the recipe's own: toolchains held off the network."""
    given = tools.image.variables if tools.image is not None else {}
    variables = {**given, "USER": "c2t", "LOGNAME": "c2t", "TERM": "dumb", "XDG_CACHE_HOME": f"{layout.tmp}/cache"}
    if tools.interpreter is not None:
        variables |= {"VIRTUAL_ENV": layout.env, "PYTHONDONTWRITEBYTECODE": "1", "UV_OFFLINE": "1",
                      "UV_PYTHON_DOWNLOADS": "never"}  # fmt: skip
    if tools.go_root is not None:
        variables |= {"GOMODCACHE": f"{layout.env}/gomod", "GOPATH": f"{layout.tmp}/go", "GOPROXY": "off",
                      "GOCACHE": f"{layout.tmp}/go-build", "GOTOOLCHAIN": "local", "GOENV": "off"}  # fmt: skip
    return variables | (tools.compiler.variables(layout) if tools.compiler is not None else {})
