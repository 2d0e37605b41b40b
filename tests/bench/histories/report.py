"""The comparison as Markdown: funnels, what each ladder accepts, and every verdict with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.bench.histories.funnel import STAGES

_SHOWN = 220


def markdown(reports: Sequence[dict[str, Any]]) -> str:
    """The whole page."""
    return "\n".join([*_funnels(reports), "", *_verdicts(reports), ""])


def _funnels(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    names = list(reports[0]["funnels"])
    yield "Accepted by ladder and gates, all repositories:\n"
    yield "| ladder | gates of `paper` | gates of `full` |"
    yield "|---|---:|---:|"
    for ladder in dict.fromkeys(name.partition(".")[0] for name in names):
        accepted = (sum(r["funnels"][f"{ladder}.{gates}"]["accepted"] for r in reports) for gates in ("paper", "full"))
        yield f"| {ladder} | {' | '.join(map(str, accepted))} |"
    yield ""
    for name in names:
        ladder, _, gates = name.partition(".")
        yield f"### Ladder {ladder}, gates of `{gates}`\n"
        yield f"| repository | {' | '.join(STAGES)} |"
        yield f"|---|{'---:|' * len(STAGES)}"
        total: Counter[str] = Counter()
        for report in reports:
            counts = report["funnels"][name]
            total.update(counts)
            yield f"| {report['repo']} | {' | '.join(str(counts[stage]) for stage in STAGES)} |"
        yield f"| all | {' | '.join(str(total[stage]) for stage in STAGES)} |\n"


def _verdicts(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    for report in reports:
        yield f"### {report['repo']}\n"
        yield "| candidate | change | family (listed) | paper | full | why (full) |"
        yield "|---|---|---|---|---|---|"
        for case in report["cases"]:
            paper, full = case["verdicts"]["paper.paper"], case["verdicts"]["full.full"]
            family = f"{full['family']} ({case['listedFamily']})"
            yield (
                f"| {case['name']} | {_cell(case['title'], 70)} | {family} | {_verdict(paper)} | {_verdict(full)} |"
                f" {_cell(full['message'], _SHOWN)} |"
            )
        yield ""


def _verdict(row: dict[str, Any]) -> str:
    return f"**{row['strategy']}**" if row["accepted"] else str(row["reason"])


def _cell(text: str, longest: int) -> str:
    one_line = " ".join(text.split()).replace("|", "\\|")
    return one_line if len(one_line) <= longest else f"{one_line[: longest - 1]}…"
