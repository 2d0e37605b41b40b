"""Freezes what an environment holds into requirements text with hashes, and applies such text to a build.

It exists because a date holds a resolution only as long as an index keeps its promises; hashes hold it for good.
No address of an index is ever written into it. Packages that builds use only while building are not part of it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from change2task.base.steps import Bench
from change2task.runtime.models import Mount

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)")


class Frozen(NamedTuple):
    """The lock's text; packages it cannot hold (from a URL or a path), as sentences; what else to know."""

    text: str
    unlocked: tuple[str, ...]
    notes: tuple[str, ...]


def names(lock: str) -> frozenset[str]:
    """Canonical names of the packages a lock pins."""
    return frozenset(canonicalize_name(m[1]) for line in lock.splitlines() if (m := _PIN.match(line.strip())))


def without_hashes(lock: str) -> str:
    """The pins alone: pip would demand a hash of everything, the project included, if one constraint had one."""
    return "".join(f"{m[0]}\n" for line in lock.splitlines() if (m := _PIN.match(line.strip())))


def problems(lock: str) -> tuple[str, ...]:
    """What makes a lock given in a manifest unusable, line by line; empty when nothing does."""
    found: list[str] = []
    for number, raw in enumerate(lock.replace("\\\n", "  ").splitlines(), 1):
        line = raw.split(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        bare = re.sub(r"\s+--hash=\S+", "", line)
        try:
            requirement = Requirement(bare)
        except InvalidRequirement:
            found.append(f"line {number}: {bare[:80]!r} is no requirement; change2task lock writes NAME==VERSION lines")
            continue
        pins = [one for one in requirement.specifier if one.operator == "==" and not one.version.endswith("*")]
        if requirement.url is not None or len(pins) != 1:
            found.append(f"line {number}: {bare[:80]!r} pins no version")
    return tuple(found)


def freeze(bench: Bench, scratch: Mount) -> Frozen:
    """Freeze the environment that setup made. ``scratch`` is an empty folder of ours, not mounted while setup ran."""
    bench = replace(bench, mounts=(*bench.mounts, scratch))
    inside = shlex.quote(scratch.target)
    listing = f"{bench.uv} pip freeze --exclude-editable > {inside}/frozen.txt"
    listed = bench.run(("sh", "-c", listing), log=bench.logs / "freeze.log", network=False)
    if not listed.succeeded:
        return Frozen("", (), ("what was installed could not be listed: " + bench.tail("freeze.log"),))
    lines = [line.strip() for line in (scratch.source / "frozen.txt").read_text().splitlines() if line.strip()]
    pins = [line for line in lines if _PIN.fullmatch(line)]
    others = tuple(bench.index.masked_text(line) for line in lines if line not in pins and "@ file://" not in line)
    text = "".join(f"{pin}\n" for pin in pins)
    if not pins:
        return Frozen(text, others, ())
    (scratch.source / "pins.txt").write_text(text)
    command = (
        f"{bench.uv} pip compile -q --no-deps --generate-hashes --no-header --no-annotate --no-emit-index-url"
        f" --no-emit-find-links -o {inside}/lock.txt {inside}/pins.txt"
    )
    hashed = bench.run(("sh", "-c", command), log=bench.logs / "lock.log", without=frozenset({"UV_CONSTRAINT"}))
    if hashed.succeeded:
        return Frozen((scratch.source / "lock.txt").read_text(), others, ())
    return Frozen(text, others, ("the lock has no hashes, the index did not give them: " + bench.tail("lock.log"),))
