"""Task evidence: everything known of one merged change on one base before anything is constructed or run.

It is gathered once and stored, so that alignment, construction, fidelity and explanation read the same facts. What
makes a change unusable is decided here as early as it can be known, with a reason each.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

from change2task.api.modernbase import Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Intent
from change2task.history.ancestry import ancestry_of
from change2task.history.files import ChangedFiles
from change2task.history.forge import ForgeRecord
from change2task.history.incomplete import damage_is_a_verdict
from change2task.history.migration import derive_migration
from change2task.history.models import ChangeUnusable, Evidence, FileChange, MergedChange, Role, Signals, TouchedTests
from change2task.history.news import News, read_news
from change2task.history.profile import profile_of, symbols_of
from change2task.history.signals import message_signals
from change2task.history.statement import Visible, build_statement, place_alone
from change2task.patch.counts import count_files
from change2task.patch.paths import unquote
from change2task.patch.unified import parse_patch
from change2task.syntax.languages import Language, language_of
from change2task.syntax.symbols import names_defined
from change2task.syntax.tests import changed_tests, test_units
from change2task.syntax.tokens import same_code
from change2task.syntax.units import unit_named
from change2task.vcs.repository import Repository

_BOT = "[bot]"
"""How forges mark authors that are programs."""


_FOLLOWED = frozenset({Role.SOURCE, Role.TESTS, Role.DOCS})
"""The parts whose files are looked for on the base."""


@dataclass(frozen=True)
class GatheredEvidence:
    """The evidence and the bytes of its source patch (their digest is in the evidence)."""

    evidence: Evidence
    source_patch: bytes


def gather_evidence(
    repo: Repository,
    change: MergedChange,
    head: str,
    scope: Scope,
    intent: Intent | None = None,
    forge: ForgeRecord | None = None,
    checks: Container[bytes] = (),
) -> GatheredEvidence:
    """The evidence of a change on the base ``head`` (a whole commit id), whose ``checks`` are files that hold tests.

    Raises ChangeUnusable.
    """
    with damage_is_a_verdict(change.commit[:12]):
        return _Gathering(repo, change, head, scope, checks).gather(intent, forge)


class _Gathering:
    def __init__(
        self, repo: Repository, change: MergedChange, head: str, scope: Scope, checks: Container[bytes]
    ) -> None:
        self.repo = repo
        self.change = change
        self.head = head
        self.changed = ChangedFiles(repo, change.parent, change.commit, scope, checks)
        self.files = self.changed.files

    def gather(self, intent: Intent | None, forge: ForgeRecord | None) -> GatheredEvidence:
        undone = _undone(self.files, self.change)
        modern = {f.path: self._modern_path(f) for f in self.files if f.role in _FOLLOWED}
        if not any(modern[f.path] for f in undone):
            raise ChangeUnusable(
                Reason.NO_MODERN_HOST,
                f"none of the source files of {self.change.commit[:12]} survives on the base {self.head[:12]}:"
                f" {_listed([f.path for f in undone])}",
            )
        patch = self.changed.patch(undone)
        tests = tuple(t for f in self.files if (t := self._tests(f)) is not None)
        before, after = self.changed.read_before, self.changed.read_after
        symbols = symbols_of(patch, before, after)
        messages = self._messages()
        news = self._news()
        visible = self._visible(symbols, undone, modern)
        statement = build_statement(
            messages,
            intent=intent,
            record=forge,
            visible=visible,
            added_lines=_added_lines(patch),
            news=news.lines,
            series=self.change.kind == "range",
        )
        evidence = Evidence(
            change=self.change,
            head=self.head,
            files=self.files,
            statement=statement,
            silent=statement == place_alone(visible),
            touched_tests=tests,
            symbols=symbols,
            profile=profile_of(
                patch,
                before,
                after,
                targets=sum(len(t.added) + len(t.altered) for t in tests),
                regressions=sum(t.untouched for t in tests),
            ),
            signals=self._signals(message_signals(messages, news, forge), undone),
            modern_paths=modern,
            patch_digest=hashlib.sha256(patch).hexdigest(),
        )
        return GatheredEvidence(evidence, patch)

    def _modern_path(self, file: FileChange) -> str | None:
        return self.changed.modern_path(file, self.change.commit, self.head)

    def _messages(self) -> list[tuple[str, str]]:
        """The speaking message first, then those of the change's commits, oldest first; bots do not speak for it."""
        infos = ancestry_of(self.repo, self.head).infos
        own = (infos[oid] for oid in self.change.commits if oid in infos)
        rest = [info for info in own if len(info.parents) < 2 and not info.author_name.endswith(_BOT)]
        found = [(self.change.title, self.change.body), *((i.subject, i.body) for i in rest)]
        return list(dict.fromkeys(found))

    def _tests(self, file: FileChange) -> TouchedTests | None:
        """Tests of a test file, and those that Rust keeps inside its sources."""
        if file.language is None or not (file.role is Role.TESTS or file.language == Language.RUST):
            return None
        language = Language(file.language)
        path, old_path = unquote(file.path), unquote(file.old_path or file.path)
        before, after = self.changed.read_before(old_path), self.changed.read_after(path)
        touched = changed_tests(language, path, before, after)
        known = {t.name for t in test_units(language, old_path, before)} if before is not None else set()
        untouched = known - {*touched.altered, *touched.removed}
        if not known and not touched.added:
            return None
        return TouchedTests(
            path=file.path,
            old_path=file.old_path,
            added=touched.added,
            altered=touched.altered,
            removed=touched.removed,
            untouched=len(untouched),
        )

    def _news(self) -> News:
        docs = [f for f in self.files if f.role is Role.DOCS and f.status != "deleted" and not f.binary]
        patch = self.changed.patch(docs)
        counts = {c.path: c.added_lines for c in count_files(parse_patch(patch))} if patch else {}
        named = [(path, content, lines) for path, lines in counts.items() if (content := self.changed.news(path))]
        return read_news(named)

    def _signals(self, signals: Signals, undone: tuple[FileChange, ...]) -> Signals:
        sides = [
            (
                unquote(f.path),
                self.changed.read_before(unquote(f.old_path or f.path)),
                self.changed.read_after(unquote(f.path)),
            )
            for f in undone
            if not f.binary
        ]
        oracle, detail = derive_migration(sides, self.changed.own_packages)
        return signals.replacing(migration=oracle, migration_detail=detail, new_public_symbols=_new_symbols(sides))

    def _visible(
        self, symbols: tuple[str, ...], undone: tuple[FileChange, ...], modern: dict[str, str | None]
    ) -> Visible:
        """Touched symbols that stood before the change and stand after it, and files that survive.

        Of a file's symbols those count whose code was altered; where there are none, all of them do.
        """
        kept = []
        for file in undone:
            if file.language is None or file.status in {"added", "deleted"} or not modern[file.path]:
                continue
            language = Language(file.language)
            before = self.changed.read_before(unquote(file.old_path or file.path)) or b""
            after = self.changed.read_after(unquote(file.path)) or b""
            both = names_defined(language, before) & names_defined(language, after)
            named = (s.removeprefix(f"{file.path}::") for s in symbols if s.startswith(f"{file.path}::"))
            standing = [name for name in named if name.rpartition(".")[2] in both]
            kept += [name for name in standing if not _same_unit(language, before, after, name)] or standing
        survivors = [path for f in undone if f.status not in {"added", "deleted"} and (path := modern[f.path])]
        return Visible(tuple(dict.fromkeys(kept)), tuple(survivors))


def _same_unit(language: Language, before: bytes, after: bytes, name: str) -> bool:
    """Whether a definition's code is what it was: only its documentation or comments differ."""
    old, new = unit_named(language, before, name), unit_named(language, after, name)
    if old is None or new is None:
        return False
    sides = (before[old.span.start : old.span.end], after[new.span.start : new.span.end])
    return same_code(language, *sides, docstrings=False)


def _undone(files: tuple[FileChange, ...], change: MergedChange) -> tuple[FileChange, ...]:
    """The files a task may undo; raises ChangeUnusable, saying what the change touches instead."""
    name = change.commit[:12]
    if not files:
        raise ChangeUnusable(Reason.EMPTY_CHANGE, f"{name} alters no file against {(change.parent or 'nothing')[:12]}")
    undone = tuple(f for f in files if f.undone)
    if not undone:
        raise ChangeUnusable(Reason.NO_SOURCE_CHANGE, f"{name} touches {_kinds(files)}")
    if all(f.binary for f in undone):
        raise ChangeUnusable(
            Reason.BINARY_ONLY, f"the source that {name} touches is binary: {_listed([f.path for f in undone])}"
        )
    if all(f.status == "modeChanged" for f in undone):
        raise ChangeUnusable(Reason.NO_SOURCE_CHANGE, f"{name} changes nothing of its source files but their modes")
    return undone


def _kinds(files: tuple[FileChange, ...]) -> str:
    source = [f for f in files if f.role is Role.SOURCE]
    if source:
        why = "submodules" if all(f.submodule for f in source) else "files that spec.scope.protected forbids"
        return f"no other source than {why}: {_listed([f.path for f in source])}"
    counts = Counter(f.role.value for f in files)
    only = "only " if len(counts) == 1 else ""
    what = " and ".join(f"{role} ({n} {'file' if n == 1 else 'files'})" for role, n in counts.most_common())
    return f"{only}{what}: {_listed([f.path for f in files])}; spec.scope.source says what else is source"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _added_lines(patch: bytes) -> list[str]:
    return [
        line.text.decode("utf-8", "replace")
        for file in parse_patch(patch).files
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "+"
    ]


def _new_symbols(sides: list[tuple[bytes, bytes | None, bytes | None]]) -> tuple[str, ...]:
    """Public names that the change's sources define after it and did not define before."""
    old: set[str] = set()
    new: dict[str, None] = {}
    for path, before, after in sides:
        language = language_of(path, (after or before or b"")[:256])
        if language is None:
            continue
        old |= names_defined(language, before) if before is not None else set()
        new.update(dict.fromkeys(sorted(names_defined(language, after)) if after is not None else ()))
    return tuple(name for name in new if name not in old and not name.startswith("_"))
