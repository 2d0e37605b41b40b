"""Poetry's own way of writing requirements, as PEP 508 and PEP 440.

It exists because ``^1.2`` and ``~1.2`` mean nothing to any other installer, and Poetry's groups are the only place
where many projects name what their tests need.
"""

from __future__ import annotations

import re
from typing import Any

_BOUND = re.compile(r"^([~^])\s*(\d+(?:\.\d+)*)(\S*)$")
_PYTHON_MARKER = re.compile(r"^(>=|<=|==|!=|<|>)\s*([\d.]+(?:\.\*)?)$")


def groups(poetry: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Group name to PEP 508 requirements, from a ``tool.poetry`` table; requirements on paths or VCS are left out."""
    tables: dict[str, Any] = {}
    if isinstance(poetry.get("dev-dependencies"), dict):
        tables["dev"] = poetry["dev-dependencies"]
    declared = poetry.get("group")
    for name, group in (declared if isinstance(declared, dict) else {}).items():
        if isinstance(group, dict) and isinstance(group.get("dependencies"), dict):
            tables[name] = group["dependencies"]
    return {
        name: tuple(
            text
            for package, wanted in table.items()
            for one in _alternatives(wanted)
            if (text := requirement(package, one)) is not None
        )
        for name, table in tables.items()
    }


def _alternatives(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def requirement(package: str, wanted: Any) -> str | None:
    """One dependency as PEP 508; None for Python itself and for what no index serves (path, git, url)."""
    if package == "python":
        return None
    table = wanted if isinstance(wanted, dict) else {"version": wanted}
    if not isinstance(table.get("version"), str):
        return None
    extras = table.get("extras") or []
    markers = [part for part in (_python_marker(table.get("python")), table.get("markers")) if isinstance(part, str)]
    text = package + (f"[{','.join(extras)}]" if extras else "") + specifier(table["version"])
    return text + (f"; {' and '.join(f'({part})' for part in markers)}" if markers else "")


def _python_marker(wanted: Any) -> str | None:
    if not isinstance(wanted, str):
        return None
    parts = [_PYTHON_MARKER.match(part.strip()) for part in specifier(wanted).split(",") if part.strip()]
    return " and ".join(f"python_version {m[1]} '{m[2]}'" for m in parts if m) or None


def specifier(text: Any) -> str:
    """A PEP 440 specifier set for Poetry's constraint; of alternatives (``||``) the last is taken."""
    if not isinstance(text, str):
        return ""
    last = text.split("||")[-1]
    return ",".join(filter(None, (_part(part.strip()) for part in re.split(r",|\s+(?=[<>=!~^])", last))))


def _part(part: str) -> str:
    if part in {"", "*"}:
        return ""
    bound = _BOUND.match(part)
    if bound is None:
        if part[0].isdigit():
            return f"=={part}"
        return re.sub(r"^=(?!=)", "==", part).replace(" ", "")
    kind, release, rest = bound[1], [int(number) for number in bound[2].split(".")], bound[3]
    if kind == "~" and rest.startswith("="):
        return part
    fixed = (
        next((i for i, number in enumerate(release) if number), len(release) - 1)
        if kind == "^"
        else min(1, len(release) - 1)
    )
    upper = [*release[:fixed], release[fixed] + 1]
    return f">={bound[2]}{rest},<{'.'.join(map(str, upper))}"
