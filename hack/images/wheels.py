"""The run-time dependencies, one wheel each: chosen from the lock for an image's Python, installed by their hashes.

The lock is for every platform, so it says of each version all the files it may come as. Which of them an image gets is
decided here and not left to the installer, so that a bill of materials names the very file.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

from hack.kind.commands import ClusterError, run

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
GLIBC = 28
"""Minor version of the oldest C library (2.28) that images may have, so that a host's own has no say."""
MUSL = 2
"""Minor version of the newest musl (1.2) that a static program may be made with."""
STATIC = ("uv",)
"""Programs that are also lent to images with another C library, or none; musl's wheels hold them linked statically."""
SECONDS = 600.0


@dataclass(frozen=True, order=True)
class Wheel:
    """A file of the package index."""

    name: str
    version: str
    file: str
    sha256: str


def chosen(lock: Path, python: str, architecture: str) -> tuple[Wheel, ...]:
    """The best wheel of each package that the lock names for this Python. Raises ClusterError where there is none."""
    permitted = set(re.findall(r"sha256:([0-9a-f]{64})", lock.read_text(encoding="utf-8")))
    listed = [*_listed(lock, python, architecture, musl=False), *_listed(lock, python, architecture, musl=True)]
    found = []
    for package in listed:
        wheels = [
            Wheel(package["name"], package["version"], _file(wheel), wheel["hashes"]["sha256"])
            for wheel in package.get("wheels", ())
            if wheel["hashes"]["sha256"] in permitted
        ]
        fitting = best(wheels, python, architecture)
        if fitting is None:
            what = f"{package['name']} {package['version']} for Python {python} on {architecture}"
            raise ClusterError(
                f"the package index has no wheel of {what} with a hash of {lock.name}; make lock renews it"
            )
        found.append(fitting)
    return tuple(sorted(found))


def _listed(lock: Path, python: str, architecture: str, *, musl: bool) -> list[dict[str, Any]]:
    """What the index has of the lock's packages, those of STATIC for musl and the others for glibc."""
    told = _uv("compile", "--quiet", "--no-deps", "--format=pylock.toml", *_target(python, architecture, musl), lock)
    packages: list[dict[str, Any]] = tomllib.loads(told)["packages"]
    return [package for package in packages if (package["name"] in STATIC) == musl]


def best(wheels: Iterable[Wheel], python: str, architecture: str) -> Wheel | None:
    """The one that installers would take; None where none fits."""
    ranked = []
    for wheel in wheels:
        rank = {tag: place for place, tag in enumerate(_tags(wheel.name, python, MACHINES[architecture]))}
        if fitting := [rank[tag] for tag in parse_wheel_filename(wheel.file)[3] if tag in rank]:
            ranked.append((min(fitting), wheel))
    return min(ranked)[1] if ranked else None


def install(wheels: Iterable[Wheel], target: Path, python: str, architecture: str) -> None:
    """Unpack them into a folder, as ``pip install --target`` does; ClusterError where a file is not the wheel's.

    Not out of uv's cache: its unpacked files are linked into every environment of this machine, and what changes one
    of those (some companies' machines add their authority to certifi's) changes them all.
    """
    wheels = tuple(wheels)
    for musl in (False, True):
        pinned = target.with_suffix(".txt")
        part = [one for one in wheels if (one.name in STATIC) == musl]
        pinned.write_text("".join(f"{one.name}=={one.version} --hash=sha256:{one.sha256}\n" for one in part))
        words = (
            "--quiet",
            "--no-cache",
            "--no-deps",
            "--no-build",
            "--require-hashes",
            "--target",
            target,
            "-r",
            pinned,
        )
        _uv("install", *_target(python, architecture, musl), *words)
    if changed := not_as_recorded(target):
        raise ClusterError(
            f"not as their wheels hold them: {', '.join(changed)}; something changes installed packages here"
        )


def not_as_recorded(target: Path) -> list[str]:
    """Installed files whose bytes are not those that the records of their packages name."""
    changed = []
    for record in sorted(target.glob("*.dist-info/RECORD")):
        for path, told, _ in csv.reader(io.StringIO(record.read_text(encoding="utf-8"))):
            if told and told != recorded_hash((target / path).read_bytes()):
                changed.append(path)
    return changed


def recorded_hash(content: bytes) -> str:
    """As records of installed packages write it."""
    return f"sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()}"


def _target(python: str, architecture: str, musl: bool) -> tuple[str, ...]:
    library = "unknown-linux-musl" if musl else f"manylinux_2_{GLIBC}"
    return (f"--python-version={python}", f"--python-platform={MACHINES[architecture]}-{library}")


def _uv(command: str, *words: str | Path) -> str:
    return run(Path(sys.executable).with_name("uv"), "pip", command, *words, seconds=SECONDS)


def _tags(name: str, python: str, machine: str) -> Iterator[Tag]:
    """Best first, as installers rank them."""
    version = tuple(int(part) for part in python.split("."))
    platforms = [*(_musl(machine) if name in STATIC else _glibc(machine)), f"linux_{machine}"]
    yield from cpython_tags(version, platforms=platforms)
    yield from compatible_tags(version, f"cp{version[0]}{version[1]}", platforms)


def _musl(machine: str) -> Iterator[str]:
    return (f"musllinux_1_{minor}_{machine}" for minor in range(MUSL, -1, -1))


def _glibc(machine: str) -> Iterator[str]:
    older = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
    for minor in range(GLIBC, 4, -1):
        yield f"manylinux_2_{minor}_{machine}"
        if minor in older:
            yield f"{older[minor]}_{machine}"


def _file(wheel: dict[str, str]) -> str:
    return wheel.get("name") or urlsplit(wheel["url"]).path.rsplit("/", 1)[-1].replace("%2B", "+")
