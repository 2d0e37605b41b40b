"""The node image: a Debian tree, kind's own files out of its Go module, Kubernetes, and its pods' images ready to run.

Three layers, so that a change of one leaves the others: the tree, what makes it a node, and containerd's store.
kind's files are used as they are but for two lines of containerd's configuration.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from hack.kind import debian
from hack.kind.commands import ClusterError, run, step, succeeds, wait_until
from hack.kind.images import LOCAL_PATH, ROUTER, architecture, cached_layer, not_in_images, pod_images
from hack.kind.programs import built_with, module_folder
from hack.kind.settings import FILES, HERE, Settings, key
from hack.layers import Image, LayerBuilder, write_archive

NAME = "c2t.test/node"
UNITS = ("containerd", "kubelet", "undo-mount-hacks")
RUN_PODS = (
    "io.containerd.cri.v1.images",
    "io.containerd.cri.v1.runtime",
    "io.containerd.grpc.v1.cri",
    "io.containerd.internal.v1.opt",
    "io.containerd.nri.v1.nri",
)
"""The parts of containerd that only a node needs."""

STORE = "var/lib/containerd"


def node_image(settings: Settings) -> Image:
    """The node image, its layers written; nothing to do when they are."""
    pods = pod_images(settings)
    tree = debian.tree(settings, "node")
    system = key(debian.packages(settings, "node"), HERE / "node.py", HERE.parent / "layers.py")
    node = key(list(built_with(settings)), FILES, HERE / "node.py", settings.versions)
    stored = key([image.identity for image in pods], [image.names for image in pods], HERE / "node.py")
    layers = (
        cached_layer(settings, "node-system", system, lambda: _system(settings, tree)),
        cached_layer(settings, "node-kubernetes", node, lambda: _kubernetes(settings)),
        cached_layer(settings, "node-images", stored, lambda: _store(settings, pods)),
    )
    rmtree(settings.cache / "store", ignore_errors=True)
    return Image(
        names=(f"{NAME}:{key(system, node, stored)[:12]}",),
        layers=layers,
        architecture=architecture(),
        settings={
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "container=docker"],
            "Entrypoint": ["/usr/local/bin/entrypoint", "/sbin/init"],
            "StopSignal": "SIGRTMIN+3",  # systemd takes another for "start anew", and never ends
        },
    )


def _system(settings: Settings, tree: Path) -> LayerBuilder:
    root = LayerBuilder()
    root.tree(tree, without=lambda path: not_in_images(path) or _starts_by_itself(path))
    root.file("usr/share/change2task/packages.txt", debian.packages(settings, "node"))
    return root


def _starts_by_itself(path: str) -> bool:
    """Debian's units that a node does without, as kind's own image does."""
    folder, _, name = path.rpartition("/")
    if folder.startswith("etc/systemd/system/") and folder.endswith(".wants"):
        return True
    wants = folder.removeprefix("usr/lib/systemd/system/").removesuffix(".target.wants")
    if folder != f"usr/lib/systemd/system/{wants}.target.wants":
        return False
    return (
        wants in ("basic", "local-fs", "multi-user")
        or (wants == "sockets" and ("udev" in name or "initctl" in name))
        or (wants == "sysinit" and name == "systemd-tmpfiles-setup.service")
    )


def _kubernetes(settings: Settings) -> LayerBuilder:
    root = LayerBuilder()
    kind = module_folder(settings, "kind", "sigs.k8s.io/kind") / "images" / "base" / "files"
    root.tree(kind / "etc", into="etc", mode=0o644)
    root.tree(kind / "kind", into="kind", mode=0o755)
    root.file("usr/local/bin/entrypoint", kind / "usr/local/bin/entrypoint", 0o755)
    for program in ("containerd", "ctr", "containerd-shim-runc-v2", "crictl"):
        root.file(f"usr/local/bin/{program}", settings.bin / program, 0o755)
    for program in ("kubeadm", "kubelet", "kubectl"):
        root.file(f"usr/bin/{program}", settings.bin / program, 0o755)
    root.file("kind/version", settings.versions.kubernetes.version)
    root.folder("etc/kubernetes/manifests")
    _add_runtime(settings, root, kind)
    _add_network(root)
    root.file("kind/manifests/default-cni.yaml", _manifest("network.yaml"))
    root.file("kind/manifests/default-storage.yaml", _manifest("storage.yaml"))
    for unit in UNITS:
        root.link(f"etc/systemd/system/multi-user.target.wants/{unit}.service", f"/etc/systemd/system/{unit}.service")
    root.link("etc/systemd/system/systemd-binfmt.service", "/dev/null")  # what it registers, it registers machine-wide
    root.file("etc/systemd/journald.conf.d/node.conf", "[Journal]\nReadKMsg=no\n")
    return root


def _add_runtime(settings: Settings, root: LayerBuilder, kind: Path) -> None:
    pause = settings.versions.kubernetes.pause
    configuration = (kind / "etc/containerd/config.toml").read_text()
    for old, new in (
        ('sandbox_image = "registry.k8s.io/pause:3.10"', f'sandbox_image = "registry.k8s.io/pause:{pause}"'),
        ("restrict_oom_score_adj = false", "restrict_oom_score_adj = true"),  # lowering it takes CAP_SYS_RESOURCE
    ):
        if old not in configuration:
            raise ClusterError(f"kind's containerd configuration no longer says {old}; see hack/kind/node.py")
        configuration = configuration.replace(old, new)
    root.file("etc/containerd/config.toml", configuration + (FILES / "containerd-nonet.toml").read_text())
    specification = json.loads(run(settings.bin / "ctr", "oci", "spec"))
    specification.setdefault("hooks", {})["createContainer"] = [{"path": "/kind/bin/mount-product-files.sh"}]
    specification["process"].pop("rlimits", None)
    root.file("etc/containerd/cri-base.json", json.dumps(specification))


def _add_network(root: LayerBuilder) -> None:
    root.link("opt/cni/bin", "/usr/lib/cni")
    root.file("etc/cni/net.d/10-pods.conflist", FILES / "10-pods.conflist")
    root.file("etc/cni/nonet.d/10-nonet.conflist", FILES / "10-nonet.conflist")
    root.file("kind/pod-gate.nft", FILES / "pod-gate.nft")
    root.file("kind/bin/before-kubelet.sh", FILES / "before-kubelet.sh", 0o755)
    root.file("etc/systemd/system/kubelet.service.d/12-before-kubelet.conf", FILES / "before-kubelet.conf")


def _manifest(name: str) -> str:
    return (FILES / name).read_text().replace("@ROUTER@", ROUTER).replace("@LOCAL_PATH@", LOCAL_PATH)


def _store(settings: Settings, pods: list[Image]) -> LayerBuilder:
    """The store of containerd as it is once the pods' images were imported: what a node starts without pulling."""
    folder = settings.cache / "store"
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with step("pod images"), _containerd(settings, folder) as address:
        archive = folder / "pods.tar"
        with archive.open("wb") as stream:
            write_archive(stream, pods)
        run(
            *(settings.bin / "ctr", "--address", address, "--namespace", "k8s.io", "images", "import"),
            *("--label=io.cri-containerd.pinned=pinned", "--all-platforms", "--no-unpack", archive),
            log=settings.logs / "pod-images.log",
        )
        archive.unlink()
    root = LayerBuilder()
    root.tree(folder / "root", into=STORE, without=lambda path: path.endswith("introspection/uuid"))
    return root


@contextmanager
def _containerd(settings: Settings, folder: Path) -> Iterator[Path]:
    """A containerd of our own that runs nothing; it only keeps what it is given."""
    address, configuration = folder / "socket", folder / "config.toml"
    configuration.write_text(
        f'version = 3\nroot = "{folder}/root"\nstate = "{folder}/state"\n'
        f'disabled_plugins = {json.dumps(RUN_PODS)}\n[grpc]\naddress = "{address}"\n'
    )
    log = settings.logs / "containerd.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as stream:
        words = [str(settings.bin / "containerd"), "--config", str(configuration)]
        server = subprocess.Popen(words, stdout=stream, stderr=stream, env={**os.environ, "PATH": "/usr/sbin:/usr/bin"})
    try:
        ctr = (settings.bin / "ctr", "--address", address, "version")
        wait_until("containerd answers", lambda: succeeds(*ctr), seconds=30, way_out=f"its log: {log}")
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
