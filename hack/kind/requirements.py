"""What must be on the host before anything is built or started; as root on Debian it is installed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from functools import cache

from hack.kind.commands import ClusterError, run, say

DEBIAN_PACKAGE: Mapping[str, str] = {
    "docker": "docker.io",
    "iptables": "iptables",
    "git": "git",
}
"""Programs that starting a cluster takes, and the Debian package that holds each."""

DEBIAN_PACKAGE_TO_BUILD: Mapping[str, str] = {
    "debootstrap": "debootstrap",
    "gcc": "gcc libc6-dev",
}
"""Programs that building a node image takes besides."""


def ensure_programs(needed: Mapping[str, str]) -> None:
    """Install what is missing, or raise ClusterError with the command that would."""
    if os.geteuid() != 0:
        raise ClusterError(
            "the test cluster changes firewall rules and control groups: run it as root, or give tests another cluster"
            " with --kubeconfig"
        )
    missing = [program for program in needed if shutil.which(program) is None]
    if not missing:
        return
    packages = " ".join(needed[program] for program in missing).split()
    if shutil.which("apt-get") is None:
        raise ClusterError(f"not installed: {', '.join(missing)}. Debian's packages with them are {' '.join(packages)}")
    say(f"  installing {' '.join(packages)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run("apt-get", "update", "-qq", env=quiet, seconds=600)
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages, env=quiet, seconds=900)


@cache
def ensure_go(oldest: str) -> str:
    """The version of the Go that is there; ClusterError when it is absent or older than ``oldest``."""
    way_out = f"Go {oldest} or newer builds the cluster's programs; install it from its own archive and put it on PATH"
    if shutil.which("go") is None:
        raise ClusterError(f"go is not installed. {way_out}")
    version = run("go", "env", "GOVERSION").strip()
    found = re.match(r"go(\d+(?:\.\d+)*)", version)
    if found is None or _numbers(found[1]) < _numbers(oldest):
        raise ClusterError(f"this is {version}. {way_out}")
    return version


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))
