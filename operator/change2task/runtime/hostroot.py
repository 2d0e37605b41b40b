"""Which parts of this machine's system a sandboxed command may see: its programs and libraries, little else.

It exists so that the choice is one readable list. How the parts are mounted is left to the sandbox.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from change2task.api.model import Model

_TOP_LEVEL = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Public and needed by programs below /usr: loader cache, names of ports and protocols, links to chosen programs.
_ETC = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/protocols",
    "/etc/services",
)
# Where Debian's Java and Maven keep their configuration.
_ETC_PATTERNS = ("java-*-openjdk", "maven")
_ETC_NETWORK = (
    "/etc/resolv.conf",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
)


class HostRoot(Model):
    """The visible system: `folders` as they are, `links` (path to target), files of /etc (path inside to source)."""

    folders: tuple[str, ...]
    links: dict[str, str]
    always: dict[str, str]
    networked: dict[str, str]

    @classmethod
    def of_this_machine(cls) -> Self:
        """Look at this machine once."""
        top = [Path("/") / name for name in _TOP_LEVEL]
        etc = [Path(path) for path in _ETC]
        for pattern in _ETC_PATTERNS:
            etc += sorted(Path("/etc").glob(pattern))
        return cls(
            folders=("/usr", *(str(path) for path in top if path.is_dir() and not path.is_symlink())),
            links={str(path): str(path.readlink()) for path in top if path.is_symlink()},
            always=_sources(etc),
            networked=_sources([Path(path) for path in _ETC_NETWORK]),
        )

    def etc(self, *, network: bool) -> dict[str, str]:
        """Path inside to host path, of what is visible below /etc."""
        return {**self.always, **self.networked} if network else self.always


def etc_files(home: str, hostname: str, uid: int, gid: int) -> dict[str, bytes]:
    """The files of /etc that are written for the sandbox, by path: its users, its own name, where names come from."""
    passwd = (
        "root:x:0:0:root:/root:/bin/sh\n"
        f"c2t:x:{uid}:{gid}:c2t:{home}:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/:/bin/false\n"
    )
    group = f"root:x:0:\nc2t:x:{gid}:\nnogroup:x:65534:\n"
    hosts = f"127.0.0.1 localhost {hostname}\n::1 localhost {hostname}\n"
    nsswitch = "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"
    texts = {"passwd": passwd, "group": group, "hosts": hosts, "nsswitch.conf": nsswitch}
    return {f"/etc/{name}": text.encode() for name, text in texts.items()}


def _sources(paths: list[Path]) -> dict[str, str]:
    return {str(path): str(path.resolve()) for path in paths if path.exists()}
