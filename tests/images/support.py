"""A ground whose Python is the one that runs the tests."""

from __future__ import annotations

import sys

from hack.images.grounds import CLEAN, Ground, Package

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def a_ground(**other: str) -> Ground:
    return Ground(
        base="debian:bookworm",
        distribution="debian-12",
        layers=(),
        enter=("env",),
        outside={**CLEAN, **other},
        architecture="amd64",
        packages=(Package("git", "1:2.39.5-0+deb12u3", "amd64"), Package("ca-certificates", "20230311", "all")),
        python=VERSION,
        interpreter=sys.executable,
        environment={"PATH": "/usr/bin"},
    )
