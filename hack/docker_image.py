"""A small image of Debian with Python, made of the distribution's own packages, for engines that cannot pull one.

Only tests need it: whoever can pull says ``python:3.12-slim``. apt resolves, fetches and verifies the packages as it
does for any machine; their files go straight into one archive that the engine imports, so neither root nor a chroot is
needed and nothing of a package is run. It also holds a package repository of one package, so that installing system
packages is tried without a network. The archive is kept in a cache folder: one archive, one image.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docker
from docker.errors import ImageNotFound
from filelock import FileLock

NAME = "change2task-test-debian"
HELLO = "c2t-hello"
_PACKAGES = (
    *("base-files", "base-passwd", "usr-is-merged", "libc-bin", "dash", "coreutils", "util-linux", "grep", "sed"),
    *("diffutils", "findutils", "tar", "debconf", "dpkg", "apt", "python3-minimal", "libpython3-stdlib"),
)
_LEFT_OUT = ("usr/share/doc/", "usr/share/man/", "usr/share/locale/", "usr/share/info/", "usr/share/common-licenses/")
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_REPOSITORY = "opt/c2t-packages"
_SECONDS = 600
_TIME = 1_700_000_000


class ImageError(Exception):
    """The image cannot be made here; the message says why."""


def ensure_image(client: docker.DockerClient, cache: Path) -> str:
    """The name of the image, imported into the engine now if it has none. Raises ImageError."""
    name = f"{NAME}:{_recipe()}"
    try:
        client.images.get(name)
    except ImageNotFound:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{NAME}.lock"):
            archive = cache / f"{NAME}-{_recipe()}.tar"
            if not archive.is_file():
                _make(archive)
            with archive.open("rb") as file:
                client.api.import_image_from_data(file, repository=NAME, tag=_recipe())
    return name


def _recipe() -> str:
    """Twelve digits that change with this file and the machine's kind, and so with the image's content."""
    return hashlib.sha256(Path(__file__).read_bytes() + platform.machine().encode()).hexdigest()[:12]


def _make(archive: Path) -> None:
    lacking = [program for program in ("apt-get", "dpkg-deb") if shutil.which(program) is None]
    if lacking:
        raise ImageError(f"the image is made of Debian packages, and {', '.join(lacking)} is not on this machine")
    with tempfile.TemporaryDirectory(prefix="c2t-image-") as folder:
        work = Path(folder)
        packages = _fetch(work)
        part = archive.with_suffix(".part")
        with tarfile.open(part, "w") as tar:
            _Root(tar).write(packages, _hello(work))
        part.replace(archive)


def _fetch(work: Path) -> list[Path]:
    """The packages' archives and all that they depend on, as apt resolves and verifies them."""
    (work / "archives/partial").mkdir(parents=True)
    (work / "lists/partial").mkdir(parents=True)
    (work / "status").touch()
    own_lists = ["-o", f"Dir::State::lists={work}/lists"]
    if not any(Path("/var/lib/apt/lists").glob("*Packages*")):
        _run("apt-get", "-qq", *own_lists, "-o", "APT::Sandbox::User=root", "update")
    else:
        own_lists = []
    options = {"Dir::State::status": f"{work}/status", "Dir::Cache::archives": f"{work}/archives",
               "Debug::NoLocking": "1", "APT::Sandbox::User": "root"}  # fmt: skip
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    _run("apt-get", "-qq", "-y", "--no-install-recommends", "--download-only", *own_lists, *words, "install",
         *_PACKAGES)  # fmt: skip
    return sorted((work / "archives").glob("*.deb"))


def _hello(work: Path) -> tuple[bytes, str]:
    """A package that holds one program, and its entry in an index."""
    root = work / "hello"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "usr/bin").mkdir(parents=True)
    control = f"Package: {HELLO}\nVersion: 1.0\nArchitecture: all\nMaintainer: c2t <c2t@example.org>\nDescription: x\n"
    (root / "DEBIAN/control").write_text(control)
    program = root / "usr/bin" / HELLO
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    target = work / f"{HELLO}.deb"
    _run("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", str(root), str(target))
    data = target.read_bytes()
    entry = f"{control}Filename: ./{target.name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"
    return data, entry


class _Root:
    """The root file system, written member by member."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._folders: set[str] = set()
        self._kept: dict[str, bytes] = {}

    def write(self, packages: list[Path], hello: tuple[bytes, str]) -> None:
        self._folder("usr", 0o755)
        for name in _MERGED:
            self._folder(f"usr/{name}", 0o755)
            self._link(name, f"usr/{name}")
        status = []
        for package in packages:
            names = self._unpack(package)
            control = _run("dpkg-deb", "-f", str(package)).decode()
            status.append(control.replace("\n", "\nStatus: install ok installed\n", 1))
            self._file(f"var/lib/dpkg/info/{_list_name(control)}.list", "".join(f"/{one}\n" for one in names).encode())
        self._file("var/lib/dpkg/status", "\n".join(status).encode())
        for name in ("passwd", "group"):
            self._file(f"etc/{name}", self._kept[f"usr/share/base-passwd/{name}.master"])
        self._file("etc/apt/sources.list", f"deb [trusted=yes] file:/{_REPOSITORY} ./\n".encode())
        self._file(f"{_REPOSITORY}/{HELLO}.deb", hello[0])
        self._file(f"{_REPOSITORY}/Packages", hello[1].encode())

    def _unpack(self, package: Path) -> list[str]:
        names: list[str] = []
        for member, data in _members(package):
            member.name = _merged(member.name)
            if not member.name or member.name.startswith(_LEFT_OUT):
                continue
            if member.islnk():
                member.linkname = _merged(member.linkname)
            names.append(member.name)
            if member.isdir():
                self._folder(member.name, member.mode)
                continue
            if data is not None and member.name.endswith(".master"):
                self._kept[member.name] = data
            member.mtime = _TIME
            self._tar.addfile(member, None if data is None else io.BytesIO(data))
        return names

    def _folder(self, name: str, mode: int) -> None:
        if name in self._folders or name in _MERGED:
            return
        self._folders.add(name)
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.mtime = tarfile.DIRTYPE, mode, _TIME
        self._tar.addfile(info)

    def _link(self, name: str, target: str) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.mtime = tarfile.SYMTYPE, target, _TIME
        self._tar.addfile(info)

    def _file(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mtime = len(data), _TIME
        self._tar.addfile(info, io.BytesIO(data))


def _members(package: Path) -> Iterator[tuple[tarfile.TarInfo, bytes | None]]:
    with (
        subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as tar,
    ):
        for member in tar:
            file = tar.extractfile(member) if member.isreg() else None
            yield member, None if file is None else file.read()
    if process.returncode:
        raise ImageError(f"{package.name} cannot be unpacked")


def _merged(name: str) -> str:
    """The path with /bin and its like where they are since Debian 12."""
    name = os.path.normpath(name).removeprefix("./").removeprefix(".")
    return f"usr/{name}" if name.split("/")[0] in _MERGED else name


def _list_name(control: str) -> str:
    fields = dict(line.split(": ", 1) for line in control.splitlines() if ": " in line and not line.startswith(" "))
    same = fields.get("Multi-Arch") == "same"
    return f"{fields['Package']}:{fields['Architecture']}" if same else fields["Package"]


def _run(*words: str) -> bytes:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    ended = subprocess.run(words, capture_output=True, env=environment, timeout=_SECONDS, check=False)
    if ended.returncode != 0:
        raise ImageError(f"{' '.join(words[:2])} failed: {ended.stderr.decode(errors='replace').strip()[-1000:]}")
    return ended.stdout
