"""An agent's patch on the agent's tree: what of it counts, and the trees it is graded on.

Whatever the agent did outside its contract is put back and named with the reason, so that weakening a test earns
nothing (design, "Checks, hidden and visible"). A patch is hostile input: it is read and bounded before git applies it,
in an index and never in a work tree. Which paths count is decided by ``counting``, running checks by ``grading``.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from change2task.api.model import Model
from change2task.api.taskvariant import TaskVariant
from change2task.corpus.additions import with_existing_tests
from change2task.corpus.counting import Counting
from change2task.history.roles import Roles
from change2task.patch.binary import unpacked_bytes
from change2task.patch.paths import quote, unquote
from change2task.patch.unified import MalformedPatch, UnifiedPatch, parse_patch
from change2task.syntax.languages import language_of
from change2task.syntax.tests import test_units
from change2task.validate.checkfiles import CheckFiles
from change2task.vcs.changes import Change
from change2task.vcs.errors import InvalidTree, PatchDoesNotApply, UnsafePath
from change2task.vcs.materialise import check_path, check_paths
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, SYMLINK, Entry, Tree

MOST_BYTES = 64 << 20
"""Bytes of a patch, and of what its binary parts unpack to, beyond which it is refused unread."""
MOST_FILES = 20_000


class PatchUnusable(Exception):
    """The patch is not one, or does not apply to the agent's tree; the message says where."""


class Submission(Model):
    """What is graded: the agent's tree with what counts, its quoted paths, and those put back, ``why`` for each.

    A test file can be in both: its additions count, and tests that it held before were put back.
    """

    tree: str
    counted: tuple[str, ...]
    put_back: tuple[str, ...]
    why: dict[str, str] = {}


def submission(
    repository: Repository,
    variant: TaskVariant,
    patch: bytes,
    roles: Roles,
    checks: CheckFiles,
    modules: Container[str] = (),
) -> Submission:
    """Apply ``patch`` to the agent's tree and keep what the contract permits; raises PatchUnusable.

    ``checks`` are the files of all the task's checks on the healthy tree, ``modules`` the names that Python finds in
    the environment and in its standard library.
    """
    spec = variant.spec
    submitted = _applied(repository, spec.trees.agent, patch)
    before, after = repository.tree(spec.trees.agent), repository.tree(submitted)
    answer = {change.path for change in repository.changed_paths(spec.trees.task, spec.trees.healthy)}
    rules = Counting(contract=spec.output, roles=roles, answer=answer, taken=modules, before=before, checks=checks)
    tests = spec.output.output == "tests"
    # Files that lie in what is run and not in the agent's tree, beside which an answer cannot lie in their place.
    laid_in = answer if tests else taken_out(variant)
    source = repository.tree(spec.trees.healthy if tests else spec.trees.task)
    work = _Work(repository, before, {path for path in laid_in if path in source}, keeps_tests=tests)
    for change in repository.changed_paths(spec.trees.agent, submitted):
        link = repository.blob(change.new.oid) if change.new and change.new.mode == SYMLINK else None
        why = rules.why_not(change, link, after)
        if why is None:
            work.take(change)
        else:
            work.why[quote(change.path)] = why
    return work.finished()


def taken_out(variant: TaskVariant) -> list[bytes]:
    """Paths of what the agent's tree is without: hidden checks, and what names the change."""
    spec = variant.spec
    return [unquote(path) for path in dict.fromkeys((*spec.checks.hidden_files, *spec.traces))]


def with_files_of(repository: Repository, tree: str, source: str, paths: Iterable[bytes]) -> str:
    """``tree`` with these paths as they are in ``source`` (absent there: removed)."""
    entries: dict[bytes, Entry] = dict(repository.tree(tree))
    for path in paths:
        entry = repository.entry(source, path)
        if entry is None:
            entries.pop(path, None)
        else:
            entries[path] = entry
    return repository.write_tree(Tree(entries))


def unhidden(repository: Repository, variant: TaskVariant, submitted: Submission, paths: list[bytes]) -> str:
    """The submitted tree with the hidden checks in it again.

    A file of hidden checks is the task's own, unless the answer counts in it (tests that lie inside sources): there
    the checks are laid into the answer's file, or, where they no longer fit, the file is the task's own all the same.
    """
    trees = variant.spec.trees
    counted = set(submitted.counted)
    shared = [path for path in paths if quote(path) in counted]
    full = with_files_of(repository, submitted.tree, trees.task, [path for path in paths if path not in shared])
    for path in shared:
        try:
            full = repository.apply(full, repository.diff(trees.agent, trees.task, paths=[path]))
        except PatchDoesNotApply:
            full = with_files_of(repository, full, trees.task, [path])
    return full


class _Work:
    """The agent's tree as it becomes the submitted one, change by change; ``laid_in`` are files it is run with."""

    def __init__(self, repository: Repository, before: Tree, laid_in: set[bytes], *, keeps_tests: bool) -> None:
        self._repository, self._before, self._laid_in, self._keeps_tests = repository, before, laid_in, keeps_tests
        self._entries: dict[bytes, Entry] = dict(before)
        self._counted: list[bytes] = []
        self.why: dict[str, str] = {}

    def take(self, change: Change) -> None:
        """A change that counts, save for tests that were there before where those are kept."""
        path, new = change.path, change.new
        if self._keeps_tests and change.old is not None:
            kept = self._beside_existing_tests(change)
            if kept is None:
                return
            new = kept
        if new is None:
            self._entries.pop(path, None)
        else:
            self._entries[path] = new
        self._counted.append(path)

    def finished(self) -> Submission:
        """The submission; what cannot lie beside a path that was put back is put back too."""
        folders = {above for path in (*self._entries, *self._laid_in) for above in _above(path)}
        for path in [p for p in self._counted if p in self._entries and self._in_the_way(p, folders)]:
            self._counted.remove(path)
            self.why[quote(path)] = "its place is taken by files that were put back"
            before = self._before.get(path)
            if before is None:
                del self._entries[path]
            else:
                self._entries[path] = before
        try:
            tree = Tree(self._entries)
            check_paths(tree)
            oid = self._repository.write_tree(tree)
        except (UnsafePath, InvalidTree) as error:
            raise PatchUnusable(f"the patch makes a path that cannot be laid out: {error}") from error
        return Submission(
            tree=oid,
            counted=tuple(quote(path) for path in sorted(self._counted)),
            put_back=tuple(sorted(self.why)),
            why=dict(sorted(self.why.items())),
        )

    def _beside_existing_tests(self, change: Change) -> Entry | None:
        name = quote(change.path)
        if change.new is None:
            self.why[name] = "files that the tests have already stay"
            return None
        if change.old is None or {change.old.mode, change.new.mode} - {FILE, EXECUTABLE}:
            return change.new
        before = self._repository.blob(change.old.oid)
        language = language_of(change.path, before[:256])
        if language is None or not test_units(language, change.path, before):
            return change.new
        kept = with_existing_tests(change.path, before, self._repository.blob(change.new.oid))
        if kept.content is None:
            self.why[name] = kept.why
            return None
        if kept.put_back:
            self.why[name] = f"tests that exist already stay: {', '.join(kept.put_back)}"
        return Entry(change.new.mode, self._repository.write_blob(kept.content))

    def _in_the_way(self, path: bytes, folders: set[bytes]) -> bool:
        return path in folders or any(above in self._entries or above in self._laid_in for above in _above(path))


def _above(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:count]) for count in range(1, len(parts))]


def _applied(repository: Repository, tree: str, patch: bytes) -> str:
    if len(patch) > MOST_BYTES:
        raise PatchUnusable(f"the patch has {len(patch)} bytes, more than the {MOST_BYTES} that are read")
    try:
        parsed = parse_patch(patch)
        _stays_in_the_tree(parsed)
        files = parsed.files
        unpacked = unpacked_bytes(files)
        if unpacked > MOST_BYTES:
            raise PatchUnusable(f"the patch unpacks to {unpacked} bytes, more than the {MOST_BYTES} that are taken")
        if len(files) > MOST_FILES:
            raise PatchUnusable(f"the patch changes {len(files)} files, more than the {MOST_FILES} that are taken")
        return repository.apply(tree, patch) if files else tree
    except (PatchDoesNotApply, MalformedPatch, InvalidTree) as refusal:
        hint = ""
        if patch.count(b"\r\n") == patch.count(b"\n") > 0:
            hint = "; every line of it ends in CR LF: write the bytes that git diff printed"
        raise PatchUnusable(f"the patch does not apply to the task's tree: {refusal}{hint}") from refusal


def _stays_in_the_tree(patch: UnifiedPatch) -> None:
    """Raises MalformedPatch, with the line where its file begins, for the first path that no tree may have."""
    for number, file in enumerate(patch.files):
        for path in (side for side in (file.old_path, file.new_path) if side is not None):
            try:
                check_path(path)
            except UnsafePath as error:
                before = (patch.preamble, *(one.render() for one in patch.files[:number]))
                line = sum(part.count(b"\n") for part in before) + 1
                raise MalformedPatch(line, f"{quote(path)} is no path inside the tree: {error.why}") from error
