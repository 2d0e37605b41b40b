"""What the watch tells, turned into keys to look at; and what it should have told, by a list from time to time.

Handlers only enqueue. A list finds objects of which the watch said nothing: they are looked at all the same, and if
that goes on the watch is dead and the operator says so at ``/healthz``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from change2task.cluster import names
from change2task.cluster.kube import Json
from change2task.operator.jobs import is_over
from change2task.operator.queue import Queue
from change2task.operator.running import Place, Running
from change2task.operator.schedule import Key

RESOURCES = ("ModernBase", "TaskCandidate", "TaskVariant")


class Known(NamedTuple):
    """Uids of objects that the watch has told of, and Jobs that count."""

    uids: frozenset[str]
    jobs: frozenset[str]


@dataclass
class Watched:
    """Belongs to the event loop. ``late`` holds what lists showed and the watch has not, with the list's moment."""

    queue: Queue
    running: Running
    versions: dict[str, str] = field(default_factory=dict)
    late: dict[str, tuple[str, float]] = field(default_factory=dict)
    follows: dict[Key, frozenset[Key]] = field(default_factory=dict)
    followers: defaultdict[Key, set[Key]] = field(default_factory=lambda: defaultdict(set))

    def resource(self, kind: str, body: Json, *, gone: bool) -> None:
        """One of ours was added, changed or deleted; who looks to a base looks as well, or to a task that is gone."""
        meta = body["metadata"]
        key = Key(kind=kind, namespace=meta["namespace"], name=meta["name"])
        self._saw(meta, gone=gone)
        if kind == "TaskCandidate":
            self._follow(key, frozenset() if gone else _looked_to(body))
        elif kind == "ModernBase" or gone:
            for follower in sorted(self.followers.get(key, ())):
                self.queue.add(follower)
        if gone:
            self.queue.forget(key)
            self.running.forget(key)
        if not gone or kind == "ModernBase":
            # A base that is gone is looked at once more: its builds lie where nobody owns them.
            self.queue.add(key)

    def job(self, body: Json, *, gone: bool) -> None:
        """A Job of ours changed: its subject looks, and when it ended so do those that waited for room."""
        meta = body["metadata"]
        self._saw(meta, gone=gone)
        key = subject(body)
        if key is None:
            return
        uid, owners = (meta.get("labels") or {}).get(names.SUBJECT_UID), meta.get("ownerReferences") or ()
        if not any(owner.get("controller") and owner.get("uid") == uid for owner in owners):
            return
        if gone or is_over(body):
            self._ended(meta["name"])
        else:
            base = (meta.get("labels") or {}).get(names.BASE, "")
            self.running.runs(meta["name"], Place(namespace=meta["namespace"], base=base))
        self.queue.add(key)

    def build(self, body: Json, builds: Running) -> None:
        """A list showed a build, whose namespace is not watched; its base looks, and cleans up if it is gone."""
        meta = body["metadata"]
        if (key := subject(body)) is None:
            return
        if is_over(body):
            builds.ended(meta["name"])
        else:
            builds.runs(
                meta["name"], Place(namespace=meta["namespace"], base=(meta.get("labels") or {}).get(names.BASE, ""))
            )
        self.queue.add(key)

    def pod(self, body: Json) -> None:
        """A pod of ours changed; pods change often, so their subject looks once for many of them."""
        key = subject(body)
        if key is not None:
            self.queue.add_after(key, 2.0)

    def known(self) -> Known:
        """What is known before a list begins."""
        return Known(frozenset(self.versions), self.running.names())

    def listed(self, items: Iterable[tuple[str, Json]], now: float, known: Known) -> None:
        """What a list showed: everything is looked at, and what the watch does not know is noted.

        What was ``known`` and is not shown is gone: a watch that was cut says nothing of what went meanwhile.
        """
        shown: dict[str, tuple[str, float]] = {}
        uids: set[str] = set()
        running: set[str] = set()
        for kind, body in items:
            meta = body["metadata"]
            version = meta["resourceVersion"]
            uids.add(meta["uid"])
            if self.versions.get(meta["uid"]) != version:
                _, since = self.late.get(meta["uid"], (version, now))
                shown[meta["uid"]] = (version, since)
            if kind in RESOURCES:
                self.queue.add(Key(kind=kind, namespace=meta["namespace"], name=meta["name"]))
            elif not is_over(body):
                running.add(meta["name"])
        self.late = shown
        for uid in known.uids - uids:
            self.versions.pop(uid, None)
        for job in known.jobs - running:
            self._ended(job)

    def deaf_for(self, now: float) -> float:
        """Seconds for which the watch has kept something back that a list showed; 0 while it has not."""
        return max((now - since for _, since in self.late.values()), default=0.0)

    def _ended(self, job: str) -> None:
        for waiting in self.running.ended(job):
            self.queue.add(waiting)

    def _follow(self, key: Key, wanted: frozenset[Key]) -> None:
        """Remember what a candidate looks to; what nobody looks to is not kept."""
        for other in self.follows.pop(key, frozenset()) - wanted:
            self.followers[other].discard(key)
            if not self.followers[other]:
                del self.followers[other]
        for other in wanted:
            self.followers[other].add(key)
        if wanted:
            self.follows[key] = wanted

    def _saw(self, meta: Json, *, gone: bool) -> None:
        self.late.pop(meta["uid"], None)
        if gone:
            self.versions.pop(meta["uid"], None)
        else:
            self.versions[meta["uid"]] = meta["resourceVersion"]


def _looked_to(candidate: Json) -> frozenset[Key]:
    """A candidate's base, and its task if there is one."""
    space = candidate["metadata"]["namespace"]
    base = ((candidate.get("spec") or {}).get("baseRef") or {}).get("name")
    task = ((candidate.get("status") or {}).get("variantRef") or {}).get("name")
    named = (("ModernBase", base), ("TaskVariant", task))
    return frozenset(Key(kind, space, str(name)) for kind, name in named if name)


def subject(body: Json) -> Key | None:
    """The resource that a Job or pod works for; None for what is not ours."""
    meta = body["metadata"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    kind, name = labels.get(names.SUBJECT_KIND), annotations.get(names.SUBJECT_NAME)
    if labels.get(names.MANAGED) != names.MANAGER or kind not in RESOURCES or not name:
        return None
    space = annotations.get(names.SUBJECT_NAMESPACE) or meta["namespace"]
    return Key(kind=kind, namespace=space, name=name)
