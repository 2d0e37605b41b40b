"""From a base's history to candidates: the survey, the closer look at those that promise most, and the manifests made.

The closer look is the evidence stage of a run, with the same functions, so that what it refuses a run would refuse and
what it says of a family a run would say. Nothing is built or executed; where candidates are written is left to others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from change2task.api import mining as names
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, Revision, Scope
from change2task.api.taskcandidate import Change, Family, Intent, TaskCandidate, TaskCandidateSpec
from change2task.base.resolution import BRANCHES
from change2task.families.choose import choose_family
from change2task.history.evidence import GatheredEvidence, gather_evidence
from change2task.history.files import roles_of
from change2task.history.forge import ForgeRecord
from change2task.history.incomplete import damage_is_a_verdict
from change2task.history.mining.comments import changes_code
from change2task.history.mining.files import role_of
from change2task.history.mining.funnel import Funnel, funnel_of
from change2task.history.mining.issues import intent_of
from change2task.history.mining.leaving import Left, left_by
from change2task.history.mining.score import expected
from change2task.history.mining.selection import Chosen, Seen, Unseen, Wish, choose, enough, in_order
from change2task.history.mining.survey import Found, Span, Survey, survey
from change2task.history.mining.targets import TestsOnBase
from change2task.history.models import ChangeUnusable, MergedChange
from change2task.history.references import resolve_change
from change2task.history.wording import plain
from change2task.patch.unified import parse_patch
from change2task.vcs.errors import EmptyRepository, VcsError
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

_LONGEST_NOTE = 1000


@dataclass(frozen=True)
class Known:
    """What a forge says of the requests of a repository, by number."""

    records: Mapping[int, ForgeRecord] = field(default_factory=dict)
    issues: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Look:
    """What the closer look found beside score and family."""

    reference: Change
    change: MergedChange
    family_reason: str
    intent: Intent | None
    title: str


@dataclass(frozen=True)
class Mined:
    """The candidates, best first, with what was found of each; and the fate of everything else."""

    survey: Survey
    chosen: Chosen[Look]
    candidates: tuple[TaskCandidate, ...]
    fates: Mapping[str, Left | None]
    details: Mapping[str, str]
    funnel: Funnel


def head_of(repository: Repository, revision: Revision) -> tuple[str, tuple[str, ...]]:
    """The commit on which a base of this revision would stand, as far as names tell, and what was said of earlier ones.

    Raises EmptyRepository, and VcsError where nothing is named.
    """
    if not repository.refs():
        raise EmptyRepository(str(repository.path))
    branch = repository.default_branch()
    declared = [name for name in (revision.healthy, revision.target) if name is not None]
    others = [f"refs/heads/{name}" for name in ([branch] if branch is not None else BRANCHES)]
    told: list[str] = []
    for name in declared[:1] if revision.strict and declared else [*declared, *others]:
        if (commit := repository.resolve(name)) is not None:
            return commit, tuple(told)
        told.append(f"{name} {repository.unresolved(name)}")
    raise VcsError(f"no revision to mine under: {'; '.join(told)}; say one in spec.revision.healthy")


def _nothing_known(_found: Sequence[Found], _closely: int) -> Known:
    return Known()


def mine(
    repository: Repository,
    base: ModernBase,
    head: str,
    wish: Wish,
    span: Span,
    known: Callable[[Sequence[Found], int], Known] = _nothing_known,
) -> Mined:
    """The candidates of a base's history under ``head``.

    ``known`` is asked, once, for what a forge says of the changes that a survey leaves, in the order in which they are
    looked at, and of how many of them that is certain. Raises ChangeUnusable where the whole history is unreadable.
    """
    scope = base.spec.scope
    surveyed = survey(repository, head, scope, span)
    told = known(tuple(in_order(surveyed.found, wish)), enough(wish))
    looking = _Looking(repository, head, scope, wish.families, told)
    chosen = choose(surveyed.found, looking.look, wish)
    taken: dict[str, Left | None] = {seen.found.unit.commit: None for seen in chosen.taken}
    fates: dict[str, Left | None] = {**surveyed.fates, **chosen.fates, **taken}
    everything = [unit.commit for unit in surveyed.units]
    return Mined(
        survey=surveyed,
        chosen=chosen,
        candidates=_manifests(base, chosen.taken, asked=bool(wish.families)),
        fates=fates,
        details={**surveyed.details, **chosen.details},
        funnel=funnel_of(surveyed.commits, surveyed.within, everything, fates),
    )


class _Looking:
    """The closer look at one change after the other."""

    def __init__(
        self, repository: Repository, head: str, scope: Scope, families: frozenset[Family], known: Known
    ) -> None:
        self._repository = repository
        self._head = head
        self._scope = scope
        self._families = families
        self._known = known
        roles = roles_of(repository, repository.tree(head), scope)
        self._tests = TestsOnBase(repository, head, role_of(roles))
        self._landed = {oid: number for number, one in sorted(known.records.items()) for oid in one.landed}

    def look(self, found: Found) -> Seen[Look] | Unseen:
        try:
            with damage_is_a_verdict(found.unit.commit[:12]):
                return self._seen(found)
        except ChangeUnusable as unusable:
            return Unseen(left_by(unusable.reason), f"{unusable.reason.value}: {unusable.message}")

    def _seen(self, found: Found) -> Seen[Look] | Unseen:
        unit = found.unit
        number = unit.number if unit.number is not None else self._landed.get(unit.commit)
        record = self._known.records.get(number or 0)
        reference, change = self._resolved(number, unit.commit, record)
        gathered = gather_evidence(self._repository, change, self._head, self._scope, None, record)
        evidence = gathered.evidence
        intent = intent_of(self._known.issues.get(number or 0, ()), _added_lines(gathered))
        spec = TaskCandidateSpec(base_ref=Reference(name="base"), change=reference)
        family, why = choose_family(evidence, spec)
        if self._families and family not in self._families and Family.TEST_GENERATION in self._families:
            family, why = Family.TEST_GENERATION, f"asked for; else {family.value}: {why}"
        by_behaviour = family is not Family.API_MIGRATION
        if evidence.silent and intent is None and by_behaviour:
            return Unseen(Left.UNTOLD, "")
        if not changes_code(gathered.source_patch, self._reader(change.parent), self._reader(change.commit)):
            return Unseen(Left.COMMENTS_ONLY, "")
        alive, all_names = self._tests.alive(evidence.touched_tests)
        if by_behaviour and not found.touched.tests and not all_names:
            return Unseen(Left.NO_TESTS, "")
        if by_behaviour and not alive:
            what = f"none of {all_names} names" if all_names else "it adds and alters no test function that has a name"
            return Unseen(Left.NO_TARGET, what)
        title = record.title if record is not None else evidence.statement.title
        undone = [file for file in evidence.files if file.undone]
        score = expected(
            found.days,
            evidence.profile.lines,
            (sum(evidence.modern_paths.get(file.path) is not None for file in undone), len(undone)),
            (alive, all_names) if all_names else None,
            title,
        )
        return Seen(found, score, family, Look(reference, change, why, intent, title))

    def _reader(self, commit: str | None) -> Callable[[bytes], bytes | None]:
        def read(path: bytes) -> bytes | None:
            entry = self._repository.entry(commit, path) if commit is not None else None
            plain = entry is not None and entry.mode in {FILE, EXECUTABLE}
            return self._repository.blob(entry.oid) if entry is not None and plain else None

        return read

    def _resolved(self, number: int | None, commit: str, record: ForgeRecord | None) -> tuple[Change, MergedChange]:
        """The change by its request's number where that leads to this very commit, else by the commit."""
        if number is not None:
            by_number = Change(pull_request=number)
            try:
                change = resolve_change(self._repository, by_number, self._head, record)
            except ChangeUnusable:
                # Two commits may name one number; each is still a change by itself.
                change = None
            if change is not None and change.commit == commit:
                return by_number, change
        by_commit = Change(commit=commit)
        return by_commit, resolve_change(self._repository, by_commit, self._head)


def _added_lines(gathered: GatheredEvidence) -> list[str]:
    return [
        line.text.decode("utf-8", "replace")
        for file in parse_patch(gathered.source_patch).files
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "+"
    ]


def _manifests(base: ModernBase, taken: Sequence[Seen[Look]], *, asked: bool) -> tuple[TaskCandidate, ...]:
    return tuple(_manifest(base, seen, asked=asked) for seen in taken)


def _manifest(base: ModernBase, seen: Seen[Look], *, asked: bool) -> TaskCandidate:
    look, name = seen.value, base.metadata.name
    notes = {
        names.SCORE: seen.score.told(),
        names.FAMILY: f"{seen.family.value}: {look.family_reason}",
        names.TITLE: " ".join(plain(look.title).split()),
        names.COMMIT: look.change.commit,
    }
    return TaskCandidate(
        metadata=ObjectMeta(
            name=names.candidate_name(name, look.reference.pull_request, look.change.commit),
            namespace=base.metadata.namespace,
            labels={names.MINED_FROM: names.mined_from(name)},
            annotations={key: text[:_LONGEST_NOTE] for key, text in notes.items()},
        ),
        spec=TaskCandidateSpec(
            base_ref=Reference(name=name),
            change=look.reference,
            # A guess stays a guess: a run resolves Auto from more than is known here.
            family=seen.family if asked else Family.AUTO,
            intent=look.intent,
        ),
    )
