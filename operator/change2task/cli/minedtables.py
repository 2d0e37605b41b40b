"""What was mined, for people and programs: the funnel with every reason, and the candidates with their scores."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from change2task.api.reasons import Reason
from change2task.cli.mining import Ground
from change2task.history.mining.funnel import RUN, Funnel
from change2task.history.mining.leaving import Left
from change2task.pipeline.mining import Mined

_GAP = 2
_SENTENCES = {left.value: left.sentence for left in Left} | {reason.value: reason.sentence for reason in Reason}


def funnel_table(funnel: Funnel) -> Table:
    """The stages with what they left out and why; zero counts are not shown."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for title, justify in (("STAGE", "left"), ("CHANGES", "right"), ("REASON", "left"), ("WHY", "left")):
        table.add_column(title, justify="right" if justify == "right" else "left", overflow="fold")
    table.add_row("commits", str(funnel.commits), "", "under the base")
    table.add_row("", str(-funnel.within), "withinAnother", "They came in with another one's change.")
    for stage in funnel.stages:
        table.add_row(Text(stage.name, "bold"), str(stage.entered), "", "")
        for name, count in stage.left.items():
            table.add_row("", str(-count), name, _SENTENCES.get(name, ""))
    run = funnel.stages[-1:] and funnel.stages[-1].name in RUN
    if run and funnel.waiting:
        table.add_row("", str(-funnel.waiting), "", "candidates without a verdict")
    table.add_row(Text("tasks" if run else "candidates", "bold"), str(funnel.candidates), "", "")
    return table


def candidate_table(found: Mined) -> Table:
    """The candidates, best first."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for title in ("CANDIDATE", "SCORE", "FAMILY", "COMMIT", "TITLE"):
        table.add_column(title, overflow="fold")
    for seen, candidate in zip(found.chosen.taken, found.candidates, strict=True):
        table.add_row(
            candidate.metadata.name,
            f"{seen.score.value:.3f}",
            seen.family.value,
            seen.value.change.commit[:12],
            Text(" ".join(seen.value.title.split())[:100]),
        )
    return table


def document(found: Mined, ground: Ground) -> dict[str, Any]:
    """Everything, for programs: the funnel, the resources, each candidate's sum, and each other change's reason."""
    infos = {unit.commit: unit for unit in found.survey.units}
    return {
        "head": ground.head,
        "funnel": found.funnel.document(),
        "base": None if ground.written else _resource(ground.base),
        "candidates": [
            {
                "resource": _resource(candidate),
                "commit": seen.value.change.commit,
                "pullRequest": seen.found.unit.number,
                "title": seen.value.title,
                "family": seen.family.value,
                "familyReason": seen.value.family_reason,
                "score": seen.score.document(),
            }
            for seen, candidate in zip(found.chosen.taken, found.candidates, strict=True)
        ],
        "left": [
            {
                "commit": commit,
                "pullRequest": infos[commit].number,
                "stage": left.stage,
                "reason": left.value,
                "detail": found.details.get(commit, ""),
            }
            for commit in infos
            if (left := found.fates[commit]) is not None
        ],
    }


def _resource(resource: Any) -> dict[str, Any]:
    values: dict[str, Any] = resource.model_dump(mode="json", exclude_defaults=True)
    return {"apiVersion": resource.api_version, "kind": resource.kind, **values}
