"""What an image has below the application: a Debian made here, or one that an engine built on the user's own base.

Both answer the same questions: which layers, which Python, which packages; and both run a program inside. All that is
laid on top is the same for either.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hack.images import bytecode
from hack.kind import debian
from hack.kind.commands import ClusterError, run
from hack.kind.images import cached_layer, not_in_images
from hack.kind.settings import HERE, Settings, TreeName, key
from hack.layers import Layer, LayerBuilder

HOME = "opt/change2task"
USER = 1000
SEARCHED = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ASK = "import os, sys; print('%d.%d' % sys.version_info[:2], os.path.realpath(sys.executable))"
LIST = ("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}\\n")
SECONDS = 600.0
CODE = (Path(__file__), Path(bytecode.__file__), HERE / "images.py", HERE.parent / "layers.py")
CLEAN = {"PATH": SEARCHED, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
"""For programs in a tree, which would take all of ours."""
_PYTHON_FOLDERS = ("usr/lib/python3/", "usr/lib/python3.11/", "usr/share/python3/")
_NOT_THE_SAME_TWICE = re.compile(
    r"etc/(passwd|group|shadow|gshadow|subuid|subgid)-|etc/\.pwd\.lock|var/lib/dpkg/(available|lock.*|.*-old)"
    r"|var/cache/debconf/(.*-old|passwords\.dat)|usr/(lib|share)/python3.*/__pycache__|usr/lib/python3.*/EXTERNALLY-MANAGED"
)


@dataclass(frozen=True)
class Package:
    """A package of the distribution."""

    name: str
    version: str
    architecture: str


@dataclass(frozen=True)
class Ground:
    """Layers with an operating system, and how to start a program in it."""

    base: str
    """As its maker calls it."""
    distribution: str
    """Such as debian-12."""
    layers: tuple[Layer, ...]
    enter: tuple[str | Path, ...]
    """The words before a program's own; its streams are shared."""
    outside: Mapping[str, str]
    """The environment of those words."""
    architecture: str
    packages: tuple[Package, ...]
    python: str
    """Such as 3.11."""
    interpreter: str
    environment: Mapping[str, str]

    def compiled(self, sources: Mapping[str, bytes]) -> dict[str, bytes]:
        """Byte-code of Python files by its own path; both paths are the image's, without the leading slash."""
        return byte_code((*self.enter, self.interpreter), sources, self.outside)


def byte_code(
    python: Iterable[str | Path], sources: Mapping[str, bytes], environment: Mapping[str, str]
) -> dict[str, bytes]:
    """What this Python makes of the sources; ``python`` are the words that start it, in this environment."""
    sent = io.BytesIO()
    with tarfile.open(fileobj=sent, mode="w") as archive:
        for path in sorted(sources):
            info = tarfile.TarInfo(path)
            info.size = len(sources[path])
            archive.addfile(info, io.BytesIO(sources[path]))
    script = Path(bytecode.__file__).read_text(encoding="utf-8")
    words = [*map(str, python), "-S", "-c", script]
    done = subprocess.run(
        words, input=sent.getvalue(), env=environment, capture_output=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        raise ClusterError(f"{words[0]} does not compile: {done.stderr.decode(errors='replace').strip()[-1000:]}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        files = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: file.read() for name, file in files if file}


def debian_grounds(settings: Settings) -> dict[str, Ground]:
    """``runner``, ``builder`` (the same and a container engine) and ``python``, bootstrapped here.

    The builder's ground lies on the runner's layer, so that the two share it.
    """
    trees: dict[TreeName, Path] = {name: debian.tree(settings, name) for name in ("runner", "builder", "python")}
    stamps = {name: key(debian.packages(settings, name), *CODE) for name in trees}
    built: dict[TreeName, LayerBuilder] = {}

    def root(name: TreeName) -> LayerBuilder:
        if name not in built:
            built[name] = _root(trees[name], ours=name != "python")
        return built[name]

    runner = cached_layer(settings, "image-runner", stamps["runner"], lambda: root("runner"))
    python = cached_layer(settings, "image-python", stamps["python"], lambda: root("python"))
    both = key(stamps["runner"], stamps["builder"])
    engine = cached_layer(settings, "image-engine", both, lambda: root("builder").beyond(root("runner")))
    suite = f"debian:{settings.versions.debian.suite}"
    return {
        "runner": _ground(suite, (runner,), ("chroot", trees["runner"])),
        "builder": _ground(suite, (runner, engine), ("chroot", trees["builder"])),
        "python": _ground(suite, (python,), ("chroot", trees["python"])),
    }


def _ground(base: str, layers: tuple[Layer, ...], enter: tuple[str | Path, ...]) -> Ground:
    architecture = run(*enter, "dpkg", "--print-architecture", env=CLEAN).strip()
    return asked(base, layers, enter, CLEAN, architecture, {"PATH": SEARCHED, "LANG": "C.UTF-8"})


def asked(
    base: str,
    layers: tuple[Layer, ...],
    enter: tuple[str | Path, ...],
    outside: Mapping[str, str],
    architecture: str,
    environment: Mapping[str, str],
) -> Ground:
    """A ground of which the rest is asked inside."""
    release, listed = (run(*enter, *words, env=outside) for words in (("cat", "/etc/os-release"), LIST))
    version, interpreter = run(*enter, "python3", "-S", "-c", ASK, env=outside).split()
    return Ground(
        base=base,
        distribution=distribution(release),
        layers=layers,
        enter=enter,
        outside=outside,
        architecture=architecture,
        packages=packages(listed),
        python=version,
        interpreter=interpreter,
        environment=environment,
    )


def distribution(release: str) -> str:
    """Name and version out of /etc/os-release."""
    told = dict(re.findall(r'(?m)^(ID|VERSION_ID)="?([^"\n]*)"?$', release))
    return f"{told['ID']}-{told['VERSION_ID']}" if "VERSION_ID" in told else told["ID"]


def packages(listed: str) -> tuple[Package, ...]:
    """What dpkg-query printed, a package a line."""
    return tuple(Package(*line.split()) for line in sorted(listed.splitlines()))


def _root(tree: Path, *, ours: bool) -> LayerBuilder:
    """A tree as it is the next time too: no times, and byte-code that does not ask for them."""
    root = LayerBuilder()
    root.tree(tree, without=lambda path: not_in_images(path) or _NOT_THE_SAME_TWICE.fullmatch(path) is not None)
    sources = {
        str(path.relative_to(tree)): path.read_bytes()
        for folder in _PYTHON_FOLDERS
        for path in sorted((tree / folder).rglob("*.py"))
        if path.is_file()
    }
    for path, content in byte_code(("chroot", tree, "/usr/bin/python3"), sources, CLEAN).items():
        root.file(path, content)
    for name in ("shadow", "gshadow"):
        # The third field is the day of the last change, which is the day of the bootstrap.
        dated = (tree / "etc" / name).read_text()
        root.file(f"etc/{name}", re.sub(r"(?m)^(\w[^:]*:[^:]*):\d+:", r"\1:20454:", dated), 0o640)
    # The mirror may be a company's own, and its address may hold a password.
    root.file("etc/apt/sources.list", "deb http://deb.debian.org/debian bookworm main\n")
    if ours:
        root.drop_privileges()
        _add_user(root, tree)
        root.file("etc/gitconfig", "[safe]\n\tdirectory = *\n")
        root.file(f"{HOME}/bin/busybox", tree / "usr/bin/busybox", 0o755)
    return root


def _add_user(root: LayerBuilder, tree: Path) -> None:
    """Ssh asks for an entry of who it runs as."""
    passwd, group = ((tree / "etc" / name).read_text() for name in ("passwd", "group"))
    root.file("etc/passwd", f"{passwd}change2task:x:{USER}:{USER}::/tmp:/bin/sh\n")
    root.file("etc/group", f"{group}change2task:x:{USER}:\n")
