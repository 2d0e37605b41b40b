"""The application's layer: the package, its run-time dependencies and uv, as a virtual environment at a fixed place.

The same inputs give the same bytes. What installers leave that differs from run to run, or that no one needs at run
time (tests of dependencies, their programs), is left out, and the records of what is installed say so.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from hack.images import wheels
from hack.images.grounds import CODE, HOME, Ground
from hack.images.wheels import Wheel
from hack.kind.commands import run
from hack.kind.images import cached_layer
from hack.kind.settings import Settings, key
from hack.layers import Layer, LayerBuilder

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ROOT / "images"
LOCK = ROOT / "requirements" / "runtime.lock"
PROGRAMS = ("uv",)
_LEFT_OUT = re.compile(
    r"(?:[^/]+/)+tests?/.*|.*__pycache__/.*|bin/(?!uv$).*|\.lock"
    r"|[^/]+\.dist-info/(?:direct_url\.json|uv_cache\.json|uv_build\.json|REQUESTED)"
)


def version() -> str:
    """The project's."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def dependencies(settings: Settings, ground: Ground) -> tuple[Wheel, ...]:
    """The wheels of the lock for this ground; asked of the package index once."""
    stamp = key(LOCK, Path(wheels.__file__), ground.python, ground.architecture)
    kept = settings.cache / "images" / f"wheels-{stamp[:16]}.txt"
    if not kept.is_file():
        found = wheels.chosen(LOCK, ground.python, ground.architecture)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("".join(f"{one.name} {one.version} {one.file} {one.sha256}\n" for one in found))
    return tuple(Wheel(*line.split()) for line in kept.read_text().splitlines())


def application(settings: Settings, ground: Ground) -> Layer:
    """The layer for this ground, written when something it is made of changed."""
    needed = dependencies(settings, ground)
    code = (*CODE, Path(__file__), Path(wheels.__file__))
    stamp = key(sources(), needed, ground.python, ground.interpreter, ground.architecture, *code)
    return cached_layer(settings, f"image-application-{ground.python}", stamp, lambda: build(ground, needed))


def sources() -> list[tuple[str, bytes]]:
    """All files that the layer is made of, by their path in the checkout."""
    folders = (ROOT / "operator", FILES)
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and _counts(path)]
    paths += [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE")]
    return [(str(path.relative_to(ROOT)), path.read_bytes()) for path in sorted(paths)]


def _counts(path: Path) -> bool:
    return "__pycache__" not in path.parts and path.suffix != ".pyc"


def build(ground: Ground, needed: tuple[Wheel, ...]) -> LayerBuilder:
    """All of it, for an image with this ground's Python."""
    with tempfile.TemporaryDirectory(prefix="c2t-application-") as folder:
        target = Path(folder) / "site"
        wheels.install(needed, target, ground.python, ground.architecture)
        _install_ourselves(Path(folder), target)
        return laid_out(_files(target), ground)


def laid_out(found: Mapping[str, tuple[bytes, int]], ground: Ground) -> LayerBuilder:
    """The environment out of what installers made: path below their target, bytes and mode."""
    layer, site = LayerBuilder(), f"{HOME}/lib/python{ground.python}/site-packages"
    modules = {}
    for path, (content, mode) in found.items():
        if path.startswith("bin/"):
            layer.file(f"{HOME}/{path}", content, 0o755)
        else:
            layer.file(f"{site}/{path}", _record(content) if path.endswith(".dist-info/RECORD") else content, mode)
        if path.endswith(".py"):
            modules[f"{site}/{path}"] = content
    for path, content in ground.compiled(modules).items():
        layer.file(path, content)
    home = ground.interpreter.rpartition("/")[0]
    layer.file(
        f"{HOME}/pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = false\nversion = {ground.python}\n"
    )
    layer.link(f"{HOME}/bin/python", ground.interpreter)
    layer.link(f"{HOME}/bin/python3", "python")
    layer.file(f"{HOME}/bin/change2task", FILES / "change2task", 0o755)
    return layer


def _install_ourselves(folder: Path, target: Path) -> None:
    """Through a wheel, so that only what a user would install is there."""
    copy = folder / "checkout"
    for path, content in sources():
        file = copy / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    uv = Path(sys.executable).with_name("uv")
    built = ("--wheel", "--no-build-isolation", f"--python={sys.executable}", "--out-dir", folder / "dist")
    run(uv, "build", "--quiet", *built, copy, seconds=300)
    wheel = next((folder / "dist").glob("*.whl"))
    run(uv, "pip", "install", "--quiet", "--no-deps", "--target", target, wheel)
    shutil.rmtree(copy)


def _files(target: Path) -> dict[str, tuple[bytes, int]]:
    found = {}
    for path in sorted(target.rglob("*")):
        name = str(path.relative_to(target))
        if path.is_file() and not _LEFT_OUT.fullmatch(name):
            found[name] = (path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
    return found


def _record(content: bytes) -> bytes:
    """A record of installed files that names what is there, where it is."""
    lines = []
    for row in csv.reader(io.StringIO(content.decode())):
        if not _LEFT_OUT.fullmatch(row[0]):
            name = f"../../../{row[0]}" if row[0].startswith("bin/") else row[0]
            lines.append((name, *row[1:]))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(sorted(lines))
    return text.getvalue().encode()
