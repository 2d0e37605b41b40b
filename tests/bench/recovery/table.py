"""The bench's table: by strategy, baseline, repository, family, language, age and size, and what was lost for what."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Row = dict[str, Any]

_AGES = (("< 1 year", 365), ("1–3 years", 1096), ("3–5 years", 1827), ("older", 10**9))
_SIZES = (("1–9 lines", 9), ("10–29", 29), ("30–99", 99), ("100 and more", 10**9))
_KINDS = {
    "RegressionBroke": "breaks an older test",
    "TaskStateDoesNotLoad": "does not load",
    "TargetDidNotFail": "no effect that its tests see",
    "ScopeCollapse": "footprint",
    "ScopeInflation": "footprint",
    "FidelityTooLow": "footprint",
    "RegressionSurfaceTooSmall": "footprint",
    "NameUndefined": "names missing",
    "DanglingNames": "names missing",
    "ConstructionExhausted": "no candidate",
}


def wilson(part: int, whole: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); nothing is known of none."""
    if not whole:
        return 0.0, 1.0
    share = part / whole
    middle = share + z * z / (2 * whole)
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    below = 1 + z * z / whole
    return max(0.0, (middle - half) / below), min(1.0, (middle + half) / below)


def lost_kind(row: Row) -> str:
    """Why the ladder lost a change, as one of few kinds; the reason itself where no kind is known."""
    reason = row["by"]["ladder"]["reason"]
    return _KINDS.get(reason, reason)


def without_effect(row: Row) -> bool:
    """Whether every tree that came as far as a run left the change's tests passing: most likely no task at all."""
    ran = [a["reason"] for a in row["by"]["ladder"]["attempts"] if a["outcome"] in {"accepted", "rejected"}]
    told = [reason for reason in ran if _KINDS.get(reason) not in {"footprint", "names missing"}]
    return bool(told) and set(told) == {"TargetDidNotFail"}


def markdown(rows: Sequence[Row], names: Sequence[str], missing: Sequence[str]) -> str:
    """The whole page."""
    decided = [row for row in rows if row["by"]["ladder"]["accepted"] is not None]
    if not decided:
        return "Nothing was decided.\n"
    blocks = (
        _whole(decided, len(rows)),
        _strategies(decided),
        _baselines(decided, names, missing),
        _groups("repository", decided, lambda row: row["repo"], None),
        _groups("family", decided, lambda row: row["by"]["ladder"].get("family") or "none", None),
        _groups("language", decided, lambda row: row["language"], None),
        _groups("age", decided, lambda row: _class(_AGES, row["days"]), [name for name, _ in _AGES]),
        _groups("size", decided, lambda row: _class(_SIZES, row["lines"]), [name for name, _ in _SIZES]),
        _lost(decided),
    )
    return "\n".join("\n".join((*block, "")) for block in blocks)


def _whole(rows: Sequence[Row], drawn: int) -> Iterator[str]:
    won = _won(rows)
    seeing = [row for row in rows if not without_effect(row)]
    yield f"{len(rows)} changes decided of {drawn} drawn; the others were late, or the machine failed."
    yield f"Verified: {_told(won, len(rows))};"
    yield f"of the {len(seeing)} with an effect that their tests see: {_told(won, len(seeing))}."
    seconds = sorted(row["by"]["ladder"].get("seconds", {}).get("construction", 0.0) for row in rows)
    yield f"Construction: median {_at(seconds, 0.5):.2f} s, p90 {_at(seconds, 0.9):.2f} s, most {seconds[-1]:.2f} s."


def _strategies(rows: Sequence[Row]) -> Iterator[str]:
    proposed: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for row in rows:
        for attempt in row["by"]["ladder"]["attempts"]:
            if attempt["outcome"] in {"accepted", "rejected"}:
                proposed[_plain(attempt["strategy"])] += 1
        if row["by"]["ladder"]["accepted"]:
            first[_plain(row["by"]["ladder"]["strategy"])] += 1
    yield "| strategy | trees judged | first to pass | together | 95 % |"
    yield "|---|---:|---:|---:|---|"
    together = 0
    for name in max((_order(row) for row in rows), key=len):
        together += first[name]
        yield f"| {name} | {proposed[name]} | {first[name]} | {_cells(together, len(rows))} |"


def _order(row: Row) -> list[str]:
    return list(dict.fromkeys(_plain(attempt["strategy"]) for attempt in row["by"]["ladder"]["attempts"]))


def _plain(strategy: str) -> str:
    """The strategy that a proposal counts under: a repaired one under its own, a narrowed one under the search."""
    return "narrowed" if strategy.endswith("+narrowed") else strategy.removesuffix("+repair")


def _baselines(rows: Sequence[Row], names: Sequence[str], missing: Sequence[str]) -> Iterator[str]:
    yield "| under the same gates | verified | 95 % | not by the ladder |"
    yield "|---|---:|---|---:|"
    for name in names:
        judged = [row for row in rows if name in row["by"] and row["by"][name]["accepted"] is not None]
        won = _won(judged, name)
        alone = sum(bool(row["by"][name]["accepted"]) and not row["by"]["ladder"]["accepted"] for row in judged)
        yield f"| {name} | {_cells(won, len(judged))} | {alone} |"
    won = _won(rows)
    yield f"| **ladder** | {_cells(won, len(rows))} | |"
    for name in missing:
        yield f"| {name} | NOT MEASURED, its program is absent | | |"


def _groups(title: str, rows: Sequence[Row], key: Callable[[Row], str], order: Sequence[str] | None) -> Iterator[str]:
    yield f"| {title} | changes | verified | 95 % |"
    yield "|---|---:|---:|---|"
    for name in order or sorted({key(row) for row in rows}):
        group = [row for row in rows if key(row) == name]
        won = _won(group)
        yield f"| {name} | {len(group)} | {_cells(won, len(group))} |"


def _lost(rows: Sequence[Row]) -> Iterator[str]:
    lost = [row for row in rows if not row["by"]["ladder"]["accepted"]]
    yield "| lost for | changes | of them |"
    yield "|---|---:|---|"
    for kind, count in Counter(map(lost_kind, lost)).most_common():
        shown = ", ".join(
            f"{row['repo'].partition('/')[2]} {row['commit'][:8]}" for row in lost if lost_kind(row) == kind
        )
        yield f"| {kind} | {count} | {shown} |"


def _won(rows: Sequence[Row], ladder: str = "ladder") -> int:
    return sum(bool(row["by"][ladder]["accepted"]) for row in rows)


def _class(classes: Sequence[tuple[str, int]], value: int) -> str:
    return next(name for name, most in classes if value <= most)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _interval(part: int, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{100 * low:.0f}–{100 * high:.0f} %"


def _cells(part: int, whole: int) -> str:
    return f"{part} of {whole} ({_share(part, whole)}) | {_interval(part, whole)}"


def _told(part: int, whole: int) -> str:
    return f"{part} ({_share(part, whole)}, 95 %: {_interval(part, whole)})"


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
