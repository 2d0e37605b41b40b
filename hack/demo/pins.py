"""The demo's packages and the exact archives its histories are made of, as pinned in archives.toml.

Hash and date stand there so that a history has the same commits on every machine, whatever its index tells or omits.
``python -m hack.demo.pins NAME [COUNT]`` prints the entry of a package anew, for whoever extends the demo.
"""

from __future__ import annotations

import sys
import tomllib
from datetime import datetime
from pathlib import Path

from packaging.version import Version
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

PINS = Path(__file__).with_name("archives.toml")


class Pin(BaseModel):
    """One source archive: file name on the index, SHA-256, and when its release was published."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str = Field(pattern=r"^[0-9][0-9A-Za-z.+]*$")
    published: AwareDatetime
    file: str = Field(pattern=r"^[A-Za-z0-9_.+-]+\.tar\.gz$")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Package(BaseModel):
    """A package, the address its repository has in the world, and its releases, oldest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    release: tuple[Pin, ...] = Field(min_length=2)


def load_pins(path: Path = PINS) -> dict[str, Package]:
    """The pinned packages by name. Raises pydantic's ValidationError where the file is not as it must be."""
    with path.open("rb") as stream:
        return TypeAdapter(dict[str, Package]).validate_python(tomllib.load(stream))


def main(arguments: list[str]) -> int:
    """Print one package's newest releases as they are pinned."""
    from hack.demo.fetch import source_archives  # noqa: PLC0415 - the index's client, needed here alone

    name, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else 20
    chosen = sorted(source_archives(name).items(), key=lambda item: Version(item[0]))[-count:]
    print(f"[{name}]\nurl = ")
    for version, (package, published) in chosen:
        print(
            f"\n[[{name}.release]]\nversion = {version!r}\npublished = {_toml(published)}\n"
            f"file = {package.filename!r}\nsha256 = {package.digests['sha256']!r}".replace("'", '"')
        )
    return 0


def _toml(moment: datetime) -> str:
    return moment.replace(microsecond=0).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
