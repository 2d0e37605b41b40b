"""Every image but the node's: those of Kubernetes' own pods, and the two that hack/ and tests run.

Each is a handful of files out of what was built or bootstrapped here. Their names are the ones Kubernetes asks for, so
that nothing is ever pulled.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from hack.kind import debian
from hack.kind.commands import run, step
from hack.kind.programs import built_with
from hack.kind.settings import FILES, HERE, Settings, key
from hack.kind.trees import bare_root, take
from hack.layers import Image, Layer, LayerBuilder, written_layer

KUBERNETES = "registry.k8s.io"
SYSTEM_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
LOCAL_PATH = "c2t.test/local-path-provisioner:1"
ROUTER = "c2t.test/kube-router:1"
TOOLS = "c2t.test/tools:1"
BUSYBOX = "c2t.test/busybox:1"
_Root = Callable[[Settings, Path, str], LayerBuilder]
CODE = (HERE / "images.py", HERE / "trees.py", HERE.parent / "layers.py")


def architecture() -> str:
    """As image configurations name it."""
    return run("go", "env", "GOARCH").strip()


def pod_images(settings: Settings) -> list[Image]:
    """What the node holds from its first second; kube-proxy and kube-router share a layer."""
    kubernetes, arch, tree = settings.versions.kubernetes, architecture(), debian.tree(settings, "node")
    stamp = key(list(built_with(settings)), debian.packages(settings, "node"), *CODE, FILES / "iptables-restore")

    def image(name: str, build: _Root, names: tuple[str, ...], told: Mapping[str, object]) -> Image:
        layer = cached_layer(settings, f"pod-{name}", stamp, lambda: build(settings, tree, name))
        return Image(names, (layer,), arch, {"Env": [SYSTEM_PATH], **told})

    def program(name: str, tag: str, **told: object) -> Image:
        return image(name.rsplit("/", 1)[-1], _program, (f"{KUBERNETES}/{name}:{tag}",), told)

    return [
        program("kube-apiserver", kubernetes.version),
        program("kube-controller-manager", kubernetes.version),
        program("kube-scheduler", kubernetes.version),
        program("etcd", kubernetes.etcd),
        program("pause", kubernetes.pause, Entrypoint=["/usr/local/bin/pause"]),
        program("coredns/coredns", kubernetes.coredns, Entrypoint=["/usr/local/bin/coredns"], WorkingDir="/"),
        image("kube-proxy", _network, (f"{KUBERNETES}/kube-proxy:{kubernetes.version}", ROUTER), {}),
        image("local-path-provisioner", _storage, (LOCAL_PATH,), {}),
    ]


def tool_images(settings: Settings) -> list[Image]:
    """``tools``: registry, git server, package index and a container engine; ``busybox`` for small pods."""
    arch, tree = architecture(), debian.tree(settings, "tools")
    served = (FILES / "registry.yml", FILES / "lighttpd.conf", HERE / "packages" / "index.lock")
    stamp = key(debian.packages(settings, "tools"), *CODE, *served)
    tools = cached_layer(settings, "tools", stamp, lambda: _tools(settings, tree))
    busybox = cached_layer(settings, "busybox", stamp, lambda: _busybox(tree))
    return [
        Image((TOOLS,), (tools,), arch, {"Env": [SYSTEM_PATH], "Cmd": ["/bin/bash"]}),
        Image((BUSYBOX,), (busybox,), arch, {"Env": ["PATH=/bin"], "Cmd": ["/bin/sh"]}),
    ]


def _program(settings: Settings, _: Path, name: str) -> LayerBuilder:
    root = bare_root()
    root.file(f"usr/local/bin/{name}", settings.bin / name, 0o755)
    return root


def _network(settings: Settings, tree: Path, _: str) -> LayerBuilder:
    """kube-proxy and kube-router with iptables.

    Every extension of iptables must be there, and every library that one of them is linked with: where a single one is
    missing iptables-restore refuses the whole table, and Services silently do nothing.
    """
    root = bare_root()
    for name in ("kube-proxy", "kube-router"):
        root.file(f"usr/local/bin/{name}", settings.bin / name, 0o755)
    extensions = sorted(str(found.relative_to(tree)) for found in tree.glob("usr/lib/*/xtables/*.so"))
    programs = [f"usr/sbin/{name}" for name in ("xtables-nft-multi", "nft", "conntrack", "ipset")]
    programs += [f"usr/bin/{name}" for name in ("kmod", "ip", "sh", "sed", "sort", "tr")]
    take(root, tree, [*programs, *extensions])
    for family in ("iptables", "ip6tables"):
        for suffix in ("", "-save", "-restore"):
            root.link(f"usr/sbin/{family}{suffix}", "xtables-nft-multi")
    root.link("usr/sbin/modprobe", "../bin/kmod")
    root.file("gate/iptables-restore", FILES / "iptables-restore", 0o755)
    return root


def _storage(settings: Settings, tree: Path, name: str) -> LayerBuilder:
    root = _program(settings, tree, name)
    take(root, tree, [f"usr/bin/{program}" for program in ("sh", "mkdir", "rm")])
    return root


def _tools(settings: Settings, tree: Path) -> LayerBuilder:
    root = LayerBuilder()
    root.tree(tree, without=not_in_images)
    root.file("etc/docker/registry/hack.yml", FILES / "registry.yml")
    root.file("etc/lighttpd/git.conf", FILES / "lighttpd.conf")
    root.file("etc/git-users", "reader:only-for-tests\n")
    root.file("etc/gitconfig", "[safe]\n\tdirectory = *\n")
    root.tree(_index(settings), into="opt/index", mode=0o644)
    root.file("usr/share/change2task/packages.txt", debian.packages(settings, "tools"))
    root.folder("srv/git")
    return root


def _busybox(tree: Path) -> LayerBuilder:
    root = bare_root()
    root.file("usr/bin/busybox", tree / "usr/bin/busybox", 0o755)
    for applet in run("chroot", tree, "/usr/bin/busybox", "--list").split():
        if applet != "busybox":
            root.link(f"usr/bin/{applet}", "busybox")
    root.file("etc/passwd", "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n")
    return root


def _index(settings: Settings) -> Path:
    """The index proxy, proxpi, and what it needs, for the tree's Python, by the hashes in packages/index.lock."""
    folder = settings.cache / "index"
    shutil.rmtree(folder, ignore_errors=True)
    with step("package index"):
        run(
            *(
                Path(sys.executable).with_name("uv"),
                "pip",
                "install",
                "--quiet",
                "--target",
                folder,
                "--require-hashes",
            ),
            *("--no-build", "--python-version", "3.11", "-r", HERE / "packages" / "index.lock"),
            log=settings.logs / "index.log",
            seconds=600,
        )
    return folder


def not_in_images(path: str) -> bool:
    """What a Debian tree holds that an engine makes itself, or that differs each time it is bootstrapped."""
    return path.startswith(("dev/", "proc/", "sys/", "run/", "var/log/", "tmp/")) or path in (
        *("etc/machine-id", "etc/hostname", "etc/resolv.conf", "var/cache/ldconfig/aux-cache"),
    )


def cached_layer(settings: Settings, name: str, stamp: str, build: Callable[[], LayerBuilder]) -> Layer:
    """The layer that was written under the same stamp, or a new one."""
    path = settings.cache / "layers" / f"{name}.tar"
    kept = path.with_suffix(".key")
    if path.is_file() and kept.is_file() and kept.read_text() == stamp:
        return written_layer(path)
    kept.unlink(missing_ok=True)
    layer = build().write(path)
    kept.write_text(stamp)
    return layer
