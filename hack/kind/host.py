"""What a cluster changes on the whole machine: kernel settings and firewall rules; kept, and put back.

The fence keeps nodes and pods on their own network: each new connection that leaves its bridge is refused, the outside
and the host itself alike. It has to stand before the first node, because a service address that no rule knows yet
leaves by the default route.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from hack.kind.commands import run, succeeds
from hack.kind.settings import Settings

CHANGED = (
    "fs/inotify/max_user_instances",
    "kernel/keys/root_maxbytes",
    "kernel/keys/root_maxkeys",
    "kernel/panic",
    "kernel/panic_on_oops",
    "net/ipv4/ip_forward",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
)
"""Kernel settings that Docker, the kubelet or ``prepare`` change for the whole machine."""

INSTANCES = 1024
"""Watches a user may have: 128, a usual number, is too few for a node."""


def remember(settings: Settings) -> None:
    """Write down what is about to change, if it is not written down already."""
    kept = _kept(settings)
    if kept.is_file():
        return
    values = {name: path.read_text().strip() for name, path in _settings_there()}
    policy = next(line for line in run("iptables", "-w", "-S", "FORWARD").splitlines() if line.startswith("-P"))
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"kernel": values, "forward": policy.split()[-1]}, indent=1))


def prepare() -> None:
    """Settings a node needs."""
    instances = Path("/proc/sys") / CHANGED[0]
    if int(instances.read_text()) < INSTANCES:
        instances.write_text(str(INSTANCES))


def restore(settings: Settings) -> None:
    """Put back what ``remember`` wrote down."""
    kept = _kept(settings)
    if not kept.is_file():
        return
    told = json.loads(kept.read_text())
    values: Mapping[str, str] = told["kernel"]
    for name, path in _settings_there():
        if name in values and path.read_text().strip() != values[name]:
            path.write_text(values[name])
    run("iptables", "-w", "-P", "FORWARD", told["forward"])
    kept.unlink()


def raise_fence(settings: Settings) -> None:
    """Refuse what would leave the cluster's bridge; raised twice it still stands once."""
    for chain, rule in _fence(settings):
        if not succeeds("iptables", "-w", "-C", chain, *rule):
            run("iptables", "-w", "-I", chain, *rule)


def lower_fence(settings: Settings) -> None:
    """Take the fence down, however often it stands."""
    for chain, rule in _fence(settings):
        while succeeds("iptables", "-w", "-C", chain, *rule):
            run("iptables", "-w", "-D", chain, *rule)


def _fence(settings: Settings) -> Iterator[tuple[str, tuple[str, ...]]]:
    new = ("-m", "conntrack", "--ctstate", "NEW", "-j", "REJECT")
    yield "DOCKER-USER", ("-i", settings.bridge, "!", "-o", settings.bridge, *new)
    yield "INPUT", ("-i", settings.bridge, *new)


def _settings_there() -> Iterator[tuple[str, Path]]:
    for name in CHANGED:
        path = Path("/proc/sys") / name
        if path.is_file():
            yield name, path


def _kept(settings: Settings) -> Path:
    return settings.cache / "host.json"
