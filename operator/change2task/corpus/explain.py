"""Why a verdict is what it is, from the stored resource and its evidence alone; nothing is run and nothing guessed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from change2task.api.conditions import ConditionType, condition
from change2task.api.modernbase import Inventory, ModernBase
from change2task.api.taskcandidate import Attempt, TaskCandidate
from change2task.corpus.labelled import labels, warnings
from change2task.corpus.store import Store

_SHOWN = 10


def explain(store: Store, candidate: TaskCandidate) -> Iterator[str]:
    """Lines of plain text; raises StoreDamaged when evidence is missing."""
    status = candidate.status
    yield f"{candidate.metadata.name}: {candidate.spec.change.label()} on base {candidate.spec.base_ref.name}"
    if status.accepted is None:
        ready = condition(status.conditions, ConditionType.READY)
        yield f"no verdict yet{f': {ready.reason.sentence}' if ready else ''}"
        return
    if status.change is not None:
        change = status.change
        yield f"change      {change.commit[:12]} ({change.kind}) {change.title}"
    if status.family is not None:
        yield f"family      {status.family.value}: {status.family_reason}"
    reason = status.reason
    verdict = "accepted" if status.accepted else f"rejected, {status.rejection.value if status.rejection else ''}"
    yield f"verdict     {verdict}"
    if reason is not None:
        yield f"reason      {reason.value}: {reason.sentence}"
    if status.message:
        yield from _indented("because     ", status.message)
    yield from _labels(store, candidate)
    yield from _alignment(store, status.evidence.get("alignment"))
    for number, attempt in enumerate(status.attempts, 1):
        yield from _attempt(store, number, attempt)


def explain_base(store: Store, base: ModernBase) -> Iterator[str]:
    """Lines of plain text; raises StoreDamaged when evidence is missing."""
    status = base.status
    yield f"{base.metadata.name}: base of {base.spec.repository.url}"
    ready = condition(status.conditions, ConditionType.READY)
    if ready is None:
        yield "nothing has been done yet; run it"
        return
    yield f"state       {'ready' if ready.status == 'True' else 'not ready'}"
    yield f"reason      {ready.reason.value}: {ready.reason.sentence}"
    if ready.message:
        yield from _indented("because     ", ready.message)
    for tried in status.resolution:
        mark = "taken" if tried.eligible else "refused"
        yield from _indented("revision    ", f"{tried.source} {tried.revision}: {mark}: {tried.detail}")
    if status.environment is not None:
        environment = status.environment
        dated = condition(status.conditions, ConditionType.DATED)
        yield f"environment {environment.interpreter or ''} as of {environment.as_of}, {environment.bytes >> 20} MiB"
        yield from (f"            {step}" for step in environment.setup)
        if dated is not None:
            yield f"dated       {dated.status}: {dated.message}"
    if status.inventory is not None:
        yield from _inventory(store, status.inventory)


def _inventory(store: Store, counts: Inventory) -> Iterator[str]:
    yield (
        f"checks      {counts.healthy} healthy; excluded: {counts.failing} failing, {counts.unstable} unstable,"
        f" {counts.not_run} not run"
    )
    other = json.loads(store.evidence(counts.digest))["other"]
    for check, told in list(other.items())[:_SHOWN]:
        yield f"            {told['state']} {check}: {told['reason']}"
    if len(other) > _SHOWN:
        yield f"            … {len(other) - _SHOWN} more in evidence/{counts.digest}"


def _labels(store: Store, candidate: TaskCandidate) -> Iterator[str]:
    reference = candidate.status.variant_ref
    variant = None if reference is None else store.variant(reference.name)
    if variant is None:
        return
    for sentence in warnings(variant.spec):
        yield f"warning     {sentence}"
    if borne := labels(variant.spec):
        yield f"labels      {', '.join(borne)}"


def _indented(title: str, text: str) -> Iterator[str]:
    first, *rest = text.splitlines() or [""]
    yield title + first
    yield from (" " * len(title) + line for line in rest)


def _alignment(store: Store, digest: str | None) -> Iterator[str]:
    if digest is None:
        return
    document = json.loads(store.evidence(digest))
    tests = document["tests"]
    mapped, lost_tests = tests["mapped"], tests["lost"]
    yield f"targets     {len(mapped)} test functions of the change found on the base, {len(lost_tests)} lost"
    for found in tests["mapped"][:_SHOWN]:
        yield f"            {found['scope']}::{found['function']} ({found['how']}, {len(found['ids'])} cases)"
    for lost in tests["lost"][:_SHOWN]:
        yield f"            lost: {lost['historical']['path']}::{lost['historical']['function']}: {lost['why']}"
    for check in document.get("beside", ())[:_SHOWN]:
        yield f"            {check['id']} ({check['kind']}, {check['role']})"


def _attempt(store: Store, number: int, attempt: Attempt) -> Iterator[str]:
    yield f"attempt {number}   level {attempt.level} {attempt.strategy}: {attempt.outcome}"
    digest = attempt.evidence.get("gates")
    if digest is None:
        yield from _indented(" " * 12, attempt.message)
        return
    document = json.loads(store.evidence(digest))
    for gate in document["gates"]:
        mark = "pass" if gate["passed"] else "REFUSED"
        yield f"            {gate['gate']:<11} {mark:<8} {gate['message']}"
    for role in document["roles"][:_SHOWN]:
        yield f"            {role['id']}: {role['role']} ({role['why']})"
    yield from _traces(document)
    if document["runs"]:
        yield from _runs(document["runs"])
    if attempt.fidelity is not None:
        f = attempt.fidelity
        yield (
            f"            fidelity {f.score:.3f}: files {f.files:.2f} hunks {f.hunks:.2f} lines {f.lines:.2f}"
            f" symbols {f.symbols:.2f} target checks {f.target_checks:.2f} regression checks {f.regression_checks:.2f}"
        )


def _traces(document: dict[str, Any]) -> Iterator[str]:
    """What else of the change went from the agent's tree, and what stayed; earlier evidence tells nothing of it."""
    traces = document.get("traces", {"removed": {}, "left": {}})
    for title, files in (("taken from the agent's tree", traces["removed"]), ("left there", traces["left"])):
        for path, why in list(files.items())[:_SHOWN]:
            yield f"            {title}: {path}: {why}"


def _runs(runs: dict[str, Any]) -> Iterator[str]:
    for run in runs["runs"]:
        failing = run["notPassed"]
        yield f"            {run['state']:<9} repeat {run['repeat']}: {run['passed']} pass, {len(failing)} do not"
        if run["state"] == "task" and run["repeat"] == 0:
            for check, told in list(failing.items())[:_SHOWN]:
                signature = f": {told['signature']}" if told["signature"] else ""
                yield f"              {told['outcome']} {check}{signature}"
