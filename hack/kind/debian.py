"""Plain Debian trees, made by debootstrap from the mirror that this machine's apt is set up for.

debootstrap believes packages by the archive's signature. Which versions came is recorded beside the tree and in every
image made of it, and compared with the record in packages/: a Debian mirror holds no old versions, so they cannot be
pinned, but a difference is told.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from hack.kind.commands import ClusterError, run, say, step
from hack.kind.settings import HERE, Settings, TreeName, key

RECORDS = HERE / "packages"
SECONDS = 1800.0
SUPERFLUOUS = (
    "var/cache/apt",
    "var/lib/apt/lists",
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "usr/share/info",
)


def tree(settings: Settings, name: TreeName) -> Path:
    """The folder of a whole tree; made when it is not there or its list of packages changed."""
    folder = settings.cache / "debian" / name
    stamp, record = folder.with_suffix(".key"), folder.with_suffix(".packages")
    debian = settings.versions.debian
    wanted = key(debian.suite, debian.trees[name])
    if stamp.is_file() and stamp.read_text() == wanted and folder.is_dir():
        return folder
    stamp.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    downloads = settings.cache / "debian" / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    with step(f"debootstrap: {name}"):
        run(
            *(
                "debootstrap",
                "--variant=minbase",
                f"--cache-dir={downloads}",
                f"--include={','.join(debian.trees[name])}",
            ),
            *(debian.suite, folder, settings.debian_mirror or _mirror()),
            log=settings.logs / f"debootstrap-{name}.log",
            seconds=SECONDS,
        )
    for superfluous in SUPERFLUOUS:
        shutil.rmtree(folder / superfluous, ignore_errors=True)
    listed = run("chroot", folder, "dpkg-query", "-W", "-f", "${Package}=${Version}\\n")
    record.write_text(listed)
    _tell_differences(name, listed)
    stamp.write_text(wanted)
    return folder


def packages(settings: Settings, name: TreeName) -> str:
    """The versions in a tree, one ``name=version`` a line."""
    return (settings.cache / "debian" / f"{name}.packages").read_text()


def _tell_differences(name: TreeName, listed: str) -> None:
    recorded = RECORDS / f"{name}.txt"
    expected = set(recorded.read_text().split()) if recorded.is_file() else set()
    found = set(listed.split())
    if found != expected:
        say(f"  {name}: {len(found - expected)} packages are not as {RECORDS.name}/{recorded.name} records them")


def _mirror() -> str:
    for prepare in (None, ("apt-get", "update", "-qq")):  # apt knows origins only of indexes it has read
        if prepare:
            run(*prepare, seconds=SECONDS)
        listed = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(ORIGIN)", "Created-By: Packages")
        for line in listed.splitlines():
            address, codename, origin = (*line.split(" ", 2), "", "")[:3]
            if origin == "Debian" and "-" not in codename:
                return address
    raise ClusterError("apt names no mirror of Debian; say DEBIAN_MIRROR=http://…/debian")
