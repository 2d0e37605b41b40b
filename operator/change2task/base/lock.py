"""A lock as text: pins with hashes, one requirement a line, as ``change2task lock`` writes it into a manifest.

It exists so that a lock can be judged and handed to installers without running any. Making one is left to ``freeze``.
"""

from __future__ import annotations

import re

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)")


def is_pin(line: str) -> bool:
    """Whether a line is NAME==VERSION and nothing else."""
    return _PIN.fullmatch(line) is not None


def names(lock: str) -> frozenset[str]:
    """Canonical names of the packages a lock pins."""
    return frozenset(pins(lock))


def pins(lock: str) -> dict[str, str]:
    """Versions by canonical name of the packages a lock pins."""
    found = (m for line in lock.splitlines() if (m := _PIN.match(line.strip())))
    return {canonicalize_name(m[1]): m[2] for m in found}


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
