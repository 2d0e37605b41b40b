"""An accepted candidate as a ``TaskVariant``: all that an agent, a grader or an exporter needs.

Nothing of time is in it, and nothing of the candidate's name: the same change on the same base is the same task.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version

from change2task.api.metadata import ObjectMeta
from change2task.api.patches import Patch
from change2task.api.taskcandidate import CheckCounts, CheckSpec, Script
from change2task.api.taskvariant import (
    Check,
    CheckRole,
    Checks,
    SourceChange,
    TaskVariant,
    TaskVariantSpec,
    Trees,
    VariantBase,
    VariantScript,
    variant_name,
)
from change2task.construct.models import Proposal
from change2task.families.contract import FamilyContract
from change2task.history.models import Evidence
from change2task.patch.paths import unquote
from change2task.pipeline.ports import BaseOnHand
from change2task.validate.case import Case
from change2task.validate.labels import labels_of
from change2task.validate.qualification import Qualification

MOST_INLINE = 8 << 10
"""Bytes up to which a script's file travels inside the variant; beyond, it lies in the store by its digest."""


def tool_version() -> str:
    """Version of this program."""
    return version("change2task")


def variant_of(
    base: BaseOnHand,
    evidence: Evidence,
    contract: FamilyContract,
    case: Case,
    proposal: Proposal,
    qualification: Qualification,
    regression_digest: str,
    source_patch: str,
) -> TaskVariant:
    """The variant of an accepted proposal, named by the hash of its spec."""
    patches, fidelity = qualification.patches, qualification.fidelity
    statement = qualification.statement
    if patches is None or fidelity is None or statement is None or not qualification.accepted:
        raise ValueError("only an accepted qualification becomes a variant")
    beside = {check.id: check for check in case.beside}
    regression = tuple(_beside(check, "regression") for check in case.beside if check.role == "regression")

    def check(identity: str, role: CheckRole) -> Check:
        own = beside.get(identity)
        return Check(id=identity, role=role, hidden=True) if own is None else _beside(own, role)

    spec = TaskVariantSpec(
        base=VariantBase(
            name=base.name,
            key=base.key,
            repository=base.url,
            commit=base.commit,
            tree=base.tree,
            environment_key=base.environment_key,
        ),
        source_change=SourceChange(
            commit=evidence.change.commit,
            parent=evidence.change.parent,
            pull_request=evidence.change.pull_request,
            title=evidence.change.title,
            patch_digest=source_patch,
            advisories=evidence.advisories,
        ),
        family=contract.family,
        statement=statement,
        goal=contract.goal,
        output=contract.output,
        task_patch=Patch.of(patches.task),
        hiding_patch=Patch.of(patches.hiding),
        restoration_patch=Patch.of(patches.restoration),
        trees=Trees(healthy=patches.healthy_tree, task=patches.task_tree, agent=patches.agent_tree),
        checks=Checks(
            targets=tuple(check(identity, "target") for identity in qualification.targets),
            observers=tuple(check(identity, "observer") for identity in qualification.observers),
            regression=regression,
            regression_digest=regression_digest,
            regression_count=len(qualification.regression) + len(qualification.hidden_regression) + len(regression),
            hidden_files=_hidden_blobs(base, patches.task_tree, qualification),
            hidden_regression=tuple(
                check
                for check in qualification.hidden_regression
                if case.naming.name(check).place in qualification.own_hidden
            ),
        ),
        traces=qualification.traces,
        traces_left=qualification.stays,
        labels=labels_of(base.repository, case, qualification),
        shared=qualification.shared,
        oracle=qualification.oracle,
        level=proposal.level,
        strategy=proposal.strategy,
        fidelity=fidelity,
        tool_version=tool_version(),
    )
    return TaskVariant(metadata=ObjectMeta(name=variant_name(spec)), spec=spec)


def counts_of(variant: TaskVariant) -> CheckCounts:
    """How many checks of each role a variant has."""
    checks = variant.spec.checks
    return CheckCounts(target=len(checks.targets), regression=checks.regression_count, observer=len(checks.observers))


def published_files(case: Case) -> Iterator[bytes]:
    """The files of scripts that do not travel inside the variant."""
    for check in case.beside:
        if check.script is not None:
            yield from (content for text in check.script.files.values() if _large(content := text.encode()))


def _beside(own: CheckSpec, role: CheckRole) -> Check:
    """A check that is no test, as published. What is read is told to the agent by the goal; scripts are not."""
    return Check(
        id=own.id,
        kind=own.kind,
        role=role,
        hidden=own.kind == "script",
        static=own.static,
        script=None if own.script is None else _script(own.script),
    )


def _script(script: Script) -> VariantScript:
    contents = {path: text.encode() for path, text in script.files.items()}
    return VariantScript(
        command=script.command,
        files={path: script.files[path] for path, content in contents.items() if not _large(content)},
        artifacts={path: hashlib.sha256(c).hexdigest() for path, c in contents.items() if _large(c)},
    )


def _large(content: bytes) -> bool:
    return len(content) > MOST_INLINE


def published_patches(variant: TaskVariant, qualification: Qualification) -> Iterator[tuple[Patch, bytes]]:
    """Each patch of the variant with its bytes, for those that do not travel inside it."""
    patches = qualification.patches
    if patches is not None:
        yield variant.spec.task_patch, patches.task
        yield variant.spec.hiding_patch, patches.hiding
        yield variant.spec.restoration_patch, patches.restoration


def _hidden_blobs(base: BaseOnHand, task_tree: str, qualification: Qualification) -> dict[str, str]:
    blobs = {}
    for path in sorted(qualification.hidden_files):
        entry = base.repository.entry(task_tree, unquote(path))
        if entry is not None:
            blobs[path] = entry.oid
    return blobs
