"""The overhead as Markdown: the ratios, then where the time goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

TARGET = 1.25


def markdown(reports: Sequence[dict[str, Any]]) -> str:
    """The whole page."""
    return "\n".join([*_ratios(reports), "", *_parts(reports), ""])


def _ratios(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"Target: at most {TARGET}. Medians over rounds; wall seconds, ratio of processor seconds in brackets.\n"
    yield (
        "| repository | candidates (accepted) | passes | whole run ÷ bare checks | candidates, base standing ÷ bare |"
        " base alone ÷ bare preflight | pass ÷ bare, one after the other | load |"
    )
    yield "|---|---|---:|---|---|---|---:|---:|"
    for report in reports:
        pairs = report["pairs"]
        ratio = sum(pair["ours"] for pair in pairs) / sum(pair["bare"] for pair in pairs)
        yield (
            f"| {report['repo']} | {report['candidates']} ({report['accepted']}) | {report['passes']} |"
            f" {_ratio(report, 'whole', 'bare preflight', 'bare candidates')} |"
            f" {_ratio(report, 'candidates', 'bare candidates')} | {_ratio(report, 'base', 'bare preflight')} |"
            f" {ratio:.2f} | {report['load'][1]:.1f} |"
        )


def _ratio(report: dict[str, Any], ours: str, *bare: str) -> str:
    texts = []
    for kind in ("wall", "cpu"):
        above = median(round_[ours][kind] for round_ in report["direct"])
        below = median(sum(round_[name][kind] for name in bare) for round_ in report["direct"])
        texts.append((above, below, above / below))
    (above, below, wall), (_, _, cpu) = texts
    return f"{above:.1f} s ÷ {below:.1f} s = **{wall:.2f}** ({cpu:.2f})"


def _parts(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "Where the time of a pass goes, in seconds a pass, one candidate at a time:\n"
    names = ("bare command", "sandbox and harness", "materialise", "leftovers", "plan", "reader", "folders and rest")
    yield f"| repository | {' | '.join(names)} | whole pass |"
    yield f"|---|{'---:|' * (len(names) + 1)}"
    for report in reports:
        count, parts = report["passes"], report["parts"]
        bare = sum(pair["bare"] for pair in report["pairs"]) / sum(pair["ours"] for pair in report["pairs"])
        whole = parts["pass"] / count
        inner = {name: parts.get(name, 0.0) / count for name in ("materialise", "leftovers", "plan", "reader")}
        sandbox = parts["sandbox"] / count
        rest = whole - sandbox - sum(inner.values())
        told = [whole * bare, sandbox - whole * bare, *inner.values(), rest, whole]
        yield f"| {report['repo']} | {' | '.join(f'{value:.3f}' for value in told)} |"
    yield "\nThe whole watched run, in seconds:\n"
    yield "| repository | whole | in passes | in git | by stage |"
    yield "|---|---:|---:|---:|---|"
    for report in reports:
        stages = ", ".join(f"{name} {value:.1f}" for name, value in sorted(report["stages"].items()))
        parts = report["parts"]
        yield f"| {report['repo']} | {report['watched']:.1f} | {parts['pass']:.1f} | {parts['git']:.1f} | {stages} |"
