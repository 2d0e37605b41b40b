"""Freezes what an environment holds into a lock: requirements text with hashes.

It exists because a date holds a resolution only as long as an index keeps its promises; hashes hold it for good.
No address of an index is ever written into it. Packages that builds use only while building are not part of it.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import NamedTuple

from change2task.base.lock import is_pin
from change2task.base.steps import Bench
from change2task.runtime.models import Mount


class Frozen(NamedTuple):
    """The lock's text; packages it cannot hold (from a URL or a path), as sentences; what else to know."""

    text: str
    unlocked: tuple[str, ...]
    notes: tuple[str, ...]


def freeze(bench: Bench, scratch: Mount) -> Frozen:
    """Freeze the environment that setup made. ``scratch`` is an empty folder of ours, not mounted while setup ran."""
    bench = replace(bench, mounts=(*bench.mounts, scratch))
    inside = shlex.quote(scratch.target)
    listing = f"{bench.uv} pip freeze --exclude-editable > {inside}/frozen.txt"
    listed = bench.run(("sh", "-c", listing), log=bench.logs / "freeze.log", network=False)
    if not listed.succeeded:
        return Frozen("", (), ("what was installed could not be listed: " + bench.tail("freeze.log"),))
    lines = [line.strip() for line in (scratch.source / "frozen.txt").read_text().splitlines() if line.strip()]
    pins = [line for line in lines if is_pin(line)]
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
