"""The construction table: per strategy how many changes it makes a tree of, alone, first and together, and how fast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_AGES = (("< 1 year", 0, 365), ("1–3 years", 365, 1096), ("3–5 years", 1096, 1827), ("older", 1827, 99999))
Rows = Sequence[dict[str, Any]]


def markdown(rows: Mapping[str, Rows]) -> str:
    """The whole page, of rows by repository."""
    return "\n".join([*_strategies(rows), "", *_ages(rows), ""])


def _strategies(rows: Mapping[str, Rows]) -> Iterator[str]:
    everything = [row for some in rows.values() for row in some]
    names = [one["strategy"] for one in everything[0]["tried"]] if everything else []
    sizes = ", ".join(f"{repo} {len(some)}" for repo, some in rows.items())
    yield f"Trees made of {len(everything)} changes ({sizes}):\n"
    columns = (
        "strategy",
        "makes a tree",
        "share",
        "first",
        "together",
        "does not parse",
        "median s",
        "p95 s",
        "most s",
    )
    yield f"| {' | '.join((*columns, *rows))} |"
    yield f"|---|{'---:|' * (8 + len(rows))}"
    together: set[int] = set()
    for place, name in enumerate(names):
        tried = [row["tried"][place] for row in everything]
        made = {number for number, one in enumerate(tried) if one["made"]}
        first = made - together
        together |= made
        seconds = sorted(one["seconds"] for one in tried)
        each = (sum(row["tried"][place]["made"] for row in some) for some in rows.values())
        yield (
            f"| {name} | {len(made)} | {_share(len(made), len(tried))} | {len(first)} | {len(together)}"
            f" ({_share(len(together), len(tried))}) | {sum(bool(one['broken']) for one in tried)}"
            f" | {_spread(seconds)} | {' | '.join(map(str, each))} |"
        )
    totals = sorted(sum(one["seconds"] for one in row["tried"]) for row in everything)
    if totals:
        spread = _spread(totals)
        yield f"\nAll strategies on one change, seconds of processor time at the median, at 95 % and at most: {spread}."


def _ages(rows: Mapping[str, Rows]) -> Iterator[str]:
    everything = [row for some in rows.values() for row in some]
    yield "| age | changes | some tree |"
    yield "|---|---:|---:|"
    for name, low, high in (
        ("< 1 year", 0, 365),
        ("1–3 years", 365, 1096),
        ("3–5 years", 1096, 1827),
        ("older", 1827, 99999),
    ):
        group = [row for row in everything if low <= row["days"] < high]
        made = sum(any(one["made"] for one in row["tried"]) for row in group)
        yield f"| {name} | {len(group)} | {made} ({_share(made, len(group))}) |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _at(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def _spread(ordered: Sequence[float]) -> str:
    return f"{_at(ordered, 0.5):.2f} | {_at(ordered, 0.95):.2f} | {ordered[-1]:.2f}"
