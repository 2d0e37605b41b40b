"""Faults that no document has by itself: a name given twice, a reference to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from change2task.api.problems import Problem, bounded, listed
from change2task.api.resources import Origin, Resource
from change2task.api.shapes import nearest
from change2task.api.taskcandidate import TaskCandidate


def cross_check(
    resources: Iterable[Resource], origins: Iterable[Origin] = (), *, known_bases: Iterable[str] = ()
) -> tuple[Problem, ...]:
    """Faults between resources: one name given twice, a candidate whose base is not there.

    ``origins`` goes along with ``resources``; ``known_bases`` are names of bases that exist elsewhere, e.g. in
    a store. References stay within a namespace.
    """
    every = tuple(resources)
    placed = (*origins, *(Origin("", 0, 0) for _ in every))
    keys = [(r.kind, r.metadata.namespace or "", r.metadata.name) for r in every]
    first: dict[tuple[str, str, str], Origin] = {}
    bases = Counter((namespace, name) for kind, namespace, name in keys if kind == "ModernBase")
    elsewhere = frozenset(known_bases)
    problems: list[Problem] = []
    for resource, key, origin in zip(every, keys, placed, strict=False):
        common: dict[str, Any] = {
            "source": origin.source, "document_index": origin.document, "line": origin.line,
            "kind": resource.kind, "name": resource.metadata.name,
        }  # fmt: skip
        if key in first:
            other = first[key]
            where = f" in {other.source}:{other.line}" if other.source else ""
            message = f"this {resource.kind} is given twice, first{where}; rename or remove one"
            problems.append(Problem(**common, field="metadata.name", value=bounded(key[2]), message=message))
        first.setdefault(key, origin)
        if isinstance(resource, TaskCandidate):
            wanted = resource.spec.base_ref.name
            if bases[key[1], wanted] or wanted in elsewhere:
                continue
            names = {name for namespace, name in bases if namespace == key[1]} | elsewhere
            problems.append(
                Problem(
                    **common,
                    field="spec.baseRef.name",
                    value=bounded(wanted),
                    message=f"no ModernBase of this name{_in_namespace(key[1])}; {_base_hint(wanted, names)}",
                )
            )
    return tuple(problems)


def _in_namespace(namespace: str) -> str:
    return f" in namespace {namespace}" if namespace else ""


def _base_hint(wanted: str, names: set[str]) -> str:
    if not names:
        return "add its manifest to the same run"
    near = nearest(wanted, names)
    return f"did you mean {near}?" if near else f"there are {listed(names)}"
