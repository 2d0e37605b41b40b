"""Node, Rust, Java and C toolchains: where they are, on this machine or in an image, and what a state's commands get.

It exists beside ``toolchains`` because these need no choosing: there is one, or there is none. Each is asked by one
line of shell that prints the folder of its programs and its version, so that an image is asked the same as this
machine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from change2task.api.model import Model
from change2task.base.faults import ToolchainMissing
from change2task.runtime.models import Layout


class _Kind(NamedTuple):
    title: str
    wanted: str
    ask: str


_KINDS = {
    "node": _Kind(
        "Node",
        "node and npm",
        'command -v npm >/dev/null && dirname "$(readlink -f "$(command -v node)")" && node -p process.versions.node',
    ),
    "rust": _Kind(
        "Rust",
        "cargo and rustc",
        "command -v cargo >/dev/null && cd / && echo \"$(rustc --print sysroot)/bin\" && rustc -V | cut -d' ' -f2",
    ),
    "java": _Kind(
        "Java",
        "a JDK and Maven",
        'command -v mvn >/dev/null && dirname "$(readlink -f "$(command -v javac)")"'
        ' && javac -version 2>&1 | sed -n "s/^javac //p"',
    ),
    "cmake": _Kind(
        "CMake",
        "cmake, ctest and a C compiler",
        'command -v cc >/dev/null && dirname "$(readlink -f "$(command -v ctest)")"'
        ' && cmake --version | sed -n "1s/.* //p"',
    ),
}


class Compiler(Model):
    """A toolchain that is there: its kind, the folder of its programs, its version."""

    kind: str
    folder: Path
    version: str

    def described(self) -> str:
        """Such as Node 20.20.2."""
        return f"{_KINDS[self.kind].title} {self.version}"

    @property
    def program(self) -> Path:
        """A program of it, by which its installation is found."""
        return self.folder / {"node": "node", "rust": "rustc", "java": "javac", "cmake": "ctest"}[self.kind]

    def variables(self, layout: Layout) -> dict[str, str]:
        """What a state's commands get: dependencies from the environment, and nothing from the network."""
        return {
            "node": {"npm_config_cache": f"{layout.tmp}/npm", "npm_config_offline": "true", "npm_config_audit": "false",
                     "npm_config_fund": "false", "npm_config_update_notifier": "false"},
            "rust": {"CARGO_HOME": f"{layout.env}/cargo", "CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"},
            "java": {"MAVEN_OPTS": f"-Dmaven.repo.local={layout.env}/m2"},
            "cmake": {},
        }[self.kind]  # fmt: skip


OFFLINE = ("CARGO_NET_OFFLINE", "npm_config_offline")
"""Variables of states that setup goes without."""


def known(kind: str) -> bool:
    """Whether a recipe's toolchain is one of these."""
    return kind in _KINDS


def found(kind: str, ask: Callable[[str], str], place: str = "this machine", least: str | None = None) -> Compiler:
    """The toolchain that a place has; ``ask`` runs a line of shell there. Raises ToolchainMissing naming the place."""
    told = ask(_KINDS[kind].ask).split("\n")
    if len(told) < 2 or not told[0].startswith("/"):
        raise ToolchainMissing(
            f"the checks need {_KINDS[kind].wanted}; {place} lacks at least one of them on PATH. Install what is"
            " missing, or take an image that has it"
        )
    here = Compiler(kind=kind, folder=Path(told[0]), version=told[1].strip())
    if least is not None and _older(here.version, least):
        raise ToolchainMissing(
            f"the project asks for {_KINDS[kind].title} {least}; {place} has {here.version}; install a newer one"
        )
    return here


def _older(version: str, least: str) -> bool:
    try:
        return Version(version) < Version(least)
    except InvalidVersion:
        return False
