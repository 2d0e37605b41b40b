"""A pull or merge request's number to the commits by which it landed in a base's history.

The order: the forge's own record, then the commit that names the number last in its subject (first-parent line
before the rest), then a merge of the request's tip, then a run of commits that are the request's commits by their
content. Where the forge's reference is in the mirror the find is proved by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from change2task.api.reasons import Reason
from change2task.history.ancestry import Ancestry, refuse_cut
from change2task.history.bundles import is_squash_of, refuse_bundle, request_tip
from change2task.history.fingerprints import changed_paths
from change2task.history.forge import ForgeRecord
from change2task.history.models import ChangeUnusable, MergedChange
from change2task.history.subjects import reverted_commits
from change2task.vcs.commits import CommitInfo
from change2task.vcs.walk import Walk

_SERIES_LIMIT = 250
_SEARCHED = 5000
_NAMED = 5


def resolve_request(ancestry: Ancestry, number: int, record: ForgeRecord | None = None) -> MergedChange:
    """The change by which request ``number`` landed. Raises ChangeUnusable; MissingObject where objects are."""
    return _Request(ancestry, number, record).resolve()


class _Request:
    def __init__(self, ancestry: Ancestry, number: int, record: ForgeRecord | None) -> None:
        self.ancestry = ancestry
        self.number = number
        self.record = record
        said = ancestry.repo.resolve(record.head) if record and record.head else None
        self.tip = request_tip(ancestry, number) or said

    def resolve(self) -> MergedChange:
        landed = self._by_record() or self._by_name() or self._by_tip()
        if landed is not None:
            return landed
        if self.tip is not None:
            series = self._series()
            if series is not None:
                return series
        raise self._not_there()

    def _by_record(self) -> MergedChange | None:
        for said in self.record.landed if self.record else ():
            oid = self.ancestry.repo.resolve(said)
            if oid is not None and oid in self.ancestry:
                return self._landed(oid, "forge")
        return None

    def _by_name(self) -> MergedChange | None:
        named = self.ancestry.named.get(self.number, ())
        pool = tuple(oid for oid in named if oid in self.ancestry.first_line) or named
        if not pool:
            return None
        if len(pool) == 1:
            return self._landed(pool[0], "named")
        proved = [oid for oid in pool if self._proof(oid)]
        if len(proved) == 1:
            return self._landed(proved[0], "named")
        raise self._ambiguous(proved or pool)

    def _by_tip(self) -> MergedChange | None:
        merges = self.ancestry.merges_of.get(self.tip, ()) if self.tip else ()
        pool = [oid for oid in merges if oid in self.ancestry.first_line] or list(merges)
        if len(pool) > 1:
            raise self._ambiguous(pool)
        return self._landed(pool[0], "secondParent") if pool else None

    def _proof(self, oid: str) -> str | None:
        if self.tip is None:
            return None
        if self.tip in self.ancestry.parents[oid][1:]:
            return "secondParent"
        return "patchId" if is_squash_of(self.ancestry, oid, self.tip) else None

    def _landed(self, oid: str, found_by: str) -> MergedChange:
        """The change of one landing commit; a rebased series names itself by its last commit only."""
        parents = self.ancestry.parents[oid]
        refuse_cut(self.ancestry, oid)
        proof = self._proof(oid)
        if len(parents) > 1:
            refuse_bundle(self.ancestry, oid, self.number)
        elif proof is None and self._ends_series(oid):
            series = self._series()
            if series is not None and series.commit == oid:
                return series
        return self._change(oid, parents[0] if parents else None, proof or found_by)

    def _ends_series(self, oid: str) -> bool:
        """Whether a plain commit has the content of one of the request's commits rather than of the whole."""
        repo = self.ancestry.repo
        fork = repo.merge_base(self.ancestry.head, self.tip) if self.tip is not None else None
        if fork is None or self.tip is None:
            return False
        own = repo.patch_ids(self._own_commits(fork, self.tip))
        return repo.patch_ids([self.ancestry.infos[oid]]).get(oid) in own.values()

    def _change(self, oid: str, parent: str | None, proof: str) -> MergedChange:
        info = self.ancestry.infos[oid]
        return MergedChange(
            commit=oid,
            parent=parent,
            kind="merge" if len(info.parents) > 1 else "squash",
            pull_request=self.number,
            proof=proof,
            title=info.subject,
            body=info.body,
            commits=self.ancestry.between(parent, oid),
            reverts=next(iter(reverted_commits(info.message)), None),
        )

    def _series(self) -> MergedChange | None:
        """The request's commits as they were rebased or cherry-picked, when they lie one on another."""
        tip = self.tip
        if tip is None:
            return None
        if tip in self.ancestry:
            return self._fast_forward(tip)
        fork = self.ancestry.repo.merge_base(self.ancestry.head, tip)
        if fork is None:
            return None
        landed = self._by_content(fork, tip)
        whole = landed.get(self.ancestry.repo.patch_id(fork, tip) or "", ())
        if whole:
            return self._change(self._only(whole), self.ancestry.parents[self._only(whole)][0], "patchId")
        own = self._own_commits(fork, tip)
        ids = self.ancestry.repo.patch_ids(own)
        wanted = [ids[info.oid] for info in own if info.oid in ids]
        if not wanted or any(patch_id not in landed for patch_id in wanted):
            return None
        found = [self._only(landed[patch_id]) for patch_id in wanted]
        if any(self.ancestry.parents[b] != (a,) for a, b in pairwise(found)):
            raise ChangeUnusable(
                Reason.AMBIGUOUS_EVIDENCE,
                f"request #{self.number} landed as commits that do not lie one on another:"
                f" {self._listed(found)}; name one of them, or a range",
            )
        return self._as_series(found)

    def _as_series(self, found: list[str]) -> MergedChange:
        speaker = self.ancestry.infos[found[0]]
        return MergedChange(
            commit=found[-1],
            parent=next(iter(self.ancestry.parents[found[0]]), None),
            kind="range" if len(found) > 1 else "squash",
            pull_request=self.number,
            proof="patchId",
            title=speaker.subject,
            body=speaker.body,
            commits=tuple(found),
        )

    def _fast_forward(self, tip: str) -> MergedChange:
        """A request whose own last commit is in the history; where it began is only known for a single commit."""
        info = self.ancestry.infos[tip]
        start = self.ancestry.repo.resolve(self.record.start) if self.record and self.record.start else None
        before = next(iter(info.parents), None)
        if start is None or start not in self.ancestry.under(tip):
            if before is None or not self._ends_a_change(before):
                raise ChangeUnusable(
                    Reason.AMBIGUOUS_EVIDENCE,
                    f"request #{self.number} was merged by moving the branch on to its last commit {tip[:12]}, and"
                    f" nothing records where it began; give a range <start>..{tip[:12]}",
                )
            start = before
        return MergedChange(
            commit=tip,
            parent=start,
            kind="pullRequestHead",
            pull_request=self.number,
            proof="secondParent",
            title=info.subject,
            body=info.body,
            commits=self.ancestry.between(start, tip),
        )

    def _ends_a_change(self, oid: str) -> bool:
        """Whether the commit is visibly the end of another change: a merge, a named squash, or the root."""
        named = any(oid in oids for oids in self.ancestry.named.values())
        return named or len(self.ancestry.parents[oid]) != 1

    def _by_content(self, fork: str, tip: str) -> dict[str, tuple[str, ...]]:
        """Patch-ids of the base's plain commits since the fork that touch the request's files, and who has them."""
        repo = self.ancestry.repo
        paths = changed_paths(repo, fork, tip)
        if not paths:
            return {}
        walk = Walk((self.ancestry.head,), (fork,), paths=sorted(paths), merges=False, most=_SEARCHED)
        found: dict[str, list[str]] = {}
        for oid, patch_id in repo.patch_ids(repo.walk(walk)).items():
            found.setdefault(patch_id, []).append(oid)
        return {patch_id: tuple(oids) for patch_id, oids in found.items()}

    def _only(self, oids: tuple[str, ...]) -> str:
        on_line = [oid for oid in oids if oid in self.ancestry.first_line] or list(oids)
        if len(on_line) > 1:
            raise self._ambiguous(on_line)
        return on_line[0]

    def _own_commits(self, fork: str, tip: str) -> tuple[CommitInfo, ...]:
        """The request's own commits without merges, oldest first; none when there are too many to be a series."""
        words = ("rev-list", "--topo-order", "--reverse", "--no-merges", f"--max-count={_SERIES_LIMIT + 1}")
        output = self.ancestry.repo.run(*words, "--end-of-options", tip, f"^{fork}", f"^{self.ancestry.head}")
        oids = output.decode("ascii").split()
        return tuple(self.ancestry.repo.commits(oids)) if len(oids) <= _SERIES_LIMIT else ()

    def _ambiguous(self, oids: Iterable[str]) -> ChangeUnusable:
        return ChangeUnusable(
            Reason.AMBIGUOUS_EVIDENCE,
            f"request #{self.number} fits more than one commit: {self._listed(oids)}; name the commit meant",
        )

    def _not_there(self) -> ChangeUnusable:
        name = f"request #{self.number}"
        if self.ancestry.repo.is_shallow:
            return ChangeUnusable(
                Reason.HISTORY_INCOMPLETE,
                f"{name} is not in the part of the history that was fetched; remove spec.history.depth or raise it",
            )
        if self.tip is not None:
            return ChangeUnusable(
                Reason.CHANGE_NOT_IN_ANCESTRY,
                f"{name} is known (its last commit is {self.tip[:12]}), but no commit under the base"
                f" {self.ancestry.head[:12]} names it or has its content; it was not merged, or changed while it was:"
                " name the commit",
            )
        return ChangeUnusable(
            Reason.CHANGE_NOT_FOUND,
            f"{name} is not in the repository: no commit under the base {self.ancestry.head[:12]} names it last in its"
            " subject, and there is neither refs/pull nor refs/merge-requests for it; name the commit",
        )

    def _listed(self, oids: Iterable[str]) -> str:
        shown = [f"{oid[:12]} “{self.ancestry.infos[oid].subject[:72]}”" for oid in oids]
        more = f" and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
        return ", ".join(shown[:_NAMED]) + more
