"""A certificate that nothing an agent can read holds a task's answer, and that the search which says so is not blind.

Searched are the agent's tree and the environment as they lie here, and folders that are named: an export, an image
that was unpacked. Each search first plants leaks of every kind; one that misses any certifies nothing. What a network
would give is no part of it: a project whose releases an index serves is its own answer (docs/leaks.md).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from change2task.api.model import Model
from change2task.api.taskvariant import TaskVariant
from change2task.base.copies import installed
from change2task.corpus.leaks.needles import needles_of
from change2task.corpus.leaks.planting import missed
from change2task.corpus.leaks.scanning import Finding, Scan
from change2task.corpus.store import Store
from change2task.pipeline.grading import lay_trees, same_base
from change2task.pipeline.ports import BaseOnHand
from change2task.vcs.materialise import materialise

TOLD = 100
"""Findings, and places that were not looked into, that a certificate names."""
_WORK = "/c2t/work"


class LeakCertificate(Model):
    """What was looked for, where, and what was found.

    ``looked_for`` counts whole files, lines and names of the answer that the agent's tree lacks; ``planted`` are the
    kinds of leaks that the search was tried on, ``missed`` those it did not find. ``unread`` could not be looked into.
    """

    variant: str
    sound: bool
    message: str
    looked_for: dict[str, int]
    planted: tuple[str, ...]
    missed: tuple[str, ...]
    files: int
    bytes: int
    findings: tuple[Finding, ...]
    unread: tuple[str, ...]


def certify(store: Store, base: BaseOnHand, variant: TaskVariant, folders: Sequence[Path] = ()) -> LeakCertificate:
    """Search the agent's tree, the environment and ``folders``; raises InfrastructureFault and StoreDamaged."""
    same_base(base, variant)
    lay_trees(store, base.repository, variant)
    needles = needles_of(base.repository, variant)
    scan = Scan(needles)
    with tempfile.TemporaryDirectory(prefix="c2t-leaks-") as scratch:
        planted, blind = missed(needles, Path(scratch) / "planted")
        tree = Path(scratch) / "tree"
        materialise(base.repository, base.repository.tree(variant.spec.trees.agent), tree)
        scan.folder(tree, "tree")
    environment = store.cache / "environments" / variant.spec.base.environment_key
    parts = {part: environment / part for part in ("env", "leftovers") if (environment / part).is_dir()}
    foreign = {part: installed(folder, _WORK).foreign for part, folder in parts.items()}
    for part, folder in parts.items():
        scan.known_to(folder, foreign[part])
    for part, folder in parts.items():
        scan.folder(folder, part, foreign[part])
    for folder in folders:
        scan.folder(folder, str(folder))
    if "env" not in parts:
        scan.unread.append("the environment is an image; save it, unpack it and name the folder with --path")
    heavy = [one for one in scan.findings if one.weight != "document"]
    return LeakCertificate(
        variant=variant.metadata.name,
        sound=bool(planted) and not blind and not heavy,
        message=_message(planted, blind, heavy, scan),
        looked_for={"files": len(needles.files), "lines": len(needles.lines), "names": len(needles.names)},
        planted=planted,
        missed=blind,
        files=scan.files,
        bytes=scan.size,
        findings=tuple(scan.findings[:TOLD]),
        unread=tuple(scan.unread[:TOLD]),
    )


def _message(planted: tuple[str, ...], blind: tuple[str, ...], heavy: Sequence[Finding], scan: Scan) -> str:
    if not planted:
        return "the answer only takes away or is too small to be recognised, so nothing can be certified"
    if blind:
        return f"the search is blind for {', '.join(blind)}, so it certifies nothing"
    looked = f"{scan.files} files of {scan.size >> 20} MiB"
    if heavy:
        first = heavy[0]
        return f"{len(heavy)} places of {looked} give the answer away, first {first.place}: {first.detail}"
    documents = len(scan.findings)
    beside = f"; {documents} documents hold some of it" if documents else ""
    unread = f"; {len(scan.unread)} places could not be looked into" if scan.unread else ""
    return f"no code and no history in {looked} holds the answer{beside}{unread}"
