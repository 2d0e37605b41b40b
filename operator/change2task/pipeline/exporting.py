"""Reads tasks out of a store and their bases' repositories, as the values that exports are made of.

It exists because rendering is pure and a store holds patches and no trees: they are laid here, and have to be those
that were verified. A task that cannot be read is left out by name; what is wrong with the store as a whole is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant, variant_name
from change2task.base.recipe import Recipe
from change2task.corpus.exports.licences import licences
from change2task.corpus.exports.task import ExportTask, Images, Leaf
from change2task.corpus.store import Store
from change2task.pipeline.grading import lay_trees, regression_of
from change2task.vcs.mirror import ensure_mirror, mirror_path
from change2task.vcs.repository import Repository
from change2task.vcs.trees import SUBMODULE
from change2task.vcs.workbench import Workbench


@dataclass
class Gathered:
    """The tasks that were read, and by task, or by candidate where there is no task, why others were not.

    ``unasked`` are tasks that nobody asked for.
    """

    tasks: list[ExportTask] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    unasked: dict[str, str] = field(default_factory=dict)


Wanted = Callable[[TaskCandidate, TaskVariant], bool]
"""Whether a task of a store is asked for."""


@contextmanager
def gathered(
    store: Store, wanted: Wanted, mirrors: Mapping[str, str], images: Mapping[str, Images]
) -> Iterator[Gathered]:
    """All tasks that candidates of the store have; their trees can be read as long as the block lasts.

    Raises StoreDamaged and VcsError.
    """
    found = Gathered()
    with _Repositories.opened(store, mirrors) as repositories:
        for candidate, variant in _accepted(store, found):
            if not wanted(candidate, variant):
                found.unasked[variant.metadata.name] = "it was not asked for this time"
                continue
            name, own = variant.metadata.name, variant_name(variant.spec)
            made = variant.spec.base
            base = store.base_with_key(made.name, made.key)
            if name != own:
                found.left_out[name] = f"it was changed since it was made: its name would be {own} now"
            elif base is None:
                found.left_out[name] = f"its base {made.name} ({made.key[:12]}) is not in the store"
            else:
                repository = repositories.of(base)
                found.tasks.append(_task(store, candidate, variant, base, repository, images.get(name, Images())))
        found.tasks.sort(key=lambda task: task.id)
        yield found


def _accepted(store: Store, found: Gathered) -> Iterator[tuple[TaskCandidate, TaskVariant]]:
    """Each task once, with the first of the candidates that have it."""
    seen: set[str] = set()
    for name in store.names(TaskCandidate):
        candidate = store.candidate(name)
        if candidate is None:
            continue
        status = candidate.status
        if status.variant_ref is None:
            said = f"its candidate was rejected ({status.reason.value})" if status.reason else "it has no verdict yet"
            found.left_out[name] = said
            continue
        variant = store.variant(status.variant_ref.name)
        if variant is None:
            found.left_out[status.variant_ref.name] = "its file is not in the store"
        elif variant.metadata.name not in seen:
            seen.add(variant.metadata.name)
            yield candidate, variant


def _task(
    store: Store,
    candidate: TaskCandidate,
    variant: TaskVariant,
    base: ModernBase,
    repository: Repository,
    images: Images,
) -> ExportTask:
    spec, evidence = variant.spec, base.status.evidence
    lay_trees(store, repository, variant)
    trees = spec.trees
    hidden = repository.diff(trees.agent, trees.task)
    healthy = TreeOf(repository, trees.healthy)
    needed = [evidence["recipe"], evidence["inventory"], spec.checks.regression_digest]
    needed += [p.digest for p in (spec.task_patch, spec.hiding_patch, spec.restoration_patch) if p.inline() is None]
    scripts = (check.script for check in (*spec.checks.targets, *spec.checks.regression))
    needed += [digest for script in scripts if script is not None for digest in script.artifacts.values()]
    lock = evidence.get("lock")
    return ExportTask(
        name=candidate.metadata.name,
        variant=variant,
        base=base,
        recipe=Recipe.model_validate_json(store.evidence(evidence["recipe"])),
        lock=None if lock is None else store.evidence(lock).decode(),
        agent=TreeOf(repository, trees.agent),
        healthy=healthy,
        making=store.patch(spec.task_patch),
        hiding=store.patch(spec.hiding_patch),
        hidden=hidden,
        solution=hidden if spec.output.output == "tests" else store.patch(spec.restoration_patch),
        regression=regression_of(store, variant),
        evidence={digest: store.evidence(digest) for digest in needed},
        gates={**{f"base/{kind}": digest for kind, digest in evidence.items()}, **candidate.status.evidence},
        changed=int(repository.commit(spec.source_change.commit).committer_time.timestamp()),
        committed=int(repository.commit(spec.base.commit).committer_time.timestamp()),
        licences=licences({path: healthy[path] for path in healthy if b"/" not in path}),
        images=images,
    )


class TreeOf(Mapping[bytes, Leaf]):
    """A tree whose contents are read when they are asked for, and not kept: a corpus has more of them than memory."""

    def __init__(self, repository: Repository, treeish: str) -> None:
        self._repository, self._tree = repository, repository.tree(treeish)

    def __getitem__(self, path: bytes) -> Leaf:
        entry = self._tree[path]
        content = entry.oid.encode() if entry.mode == SUBMODULE else self._repository.blob(entry.oid)
        return Leaf(entry.mode, content)

    def __contains__(self, path: object) -> bool:
        return path in self._tree

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)


class _Repositories:
    """Repositories of bases, each opened once; a mirror that the store's cache has not is fetched."""

    def __init__(self, store: Store, mirrors: Mapping[str, str], stack: ExitStack) -> None:
        self._store, self._mirrors, self._stack = store, mirrors, stack
        self._open: dict[str, Workbench] = {}

    @classmethod
    @contextmanager
    def opened(cls, store: Store, mirrors: Mapping[str, str]) -> Iterator[_Repositories]:
        with ExitStack() as stack:
            yield cls(store, mirrors, stack)

    def of(self, base: ModernBase) -> Repository:
        url = base.spec.repository.url
        if url not in self._open:
            folder = self._store.cache / "mirrors"
            wanted: Sequence[str] = [base.status.commit] if base.status.commit else []
            depth = base.spec.history.depth
            mirror = ensure_mirror(url, self._mirrors.get(url, url), folder, wanted=wanted, depth=depth)
            self._stack.callback(mirror.close)
            bench = Workbench(mirror, self._store.cache / "bench" / mirror_path(url, folder).name)
            self._stack.callback(bench.close)
            self._open[url] = bench
        return self._open[url]
