"""What names the change in documents and beside the tests, taken out of the agent's tree with the hidden checks.

A change-log entry, a news fragment or a page that the change itself wrote tells what was built and often how. Only what
is proved to be the change's is taken: lines that it added and that still stand as they were, entries that name its
number or a commit of it, with the links that only those use, and files that it added and nobody has touched since. Of
prose that another file names the lines go and the file stays; sources, packaging and whatever else another file names
stay. Whether the rest still works is for the checks to say. Which files may be looked at is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from change2task.construct.mentions import name_pattern, names_in_code
from change2task.construct.prose import LEAST_LINE, WrittenRun, runs_of, without_entries, without_runs
from change2task.history.contents import is_binary
from change2task.patch.paths import quote, unquote
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry, Tree

_LARGEST = 2 << 20
_NEEDED_BY_NAME = frozenset({b"conftest.py", b"__init__.py"})
"""Files that runners and languages read without anybody naming them."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Followed:
    """A file of the change beside its sources: its path before it (None: it is new), after it, and on the base.

    ``is_prose``: people read it line by line, so that lines of it may go; anything else goes whole or not at all.
    ``is_fixed``: packaging and settings, of which nothing may go and only what stands there is told.
    """

    before: bytes | None
    after: bytes
    modern: bytes
    is_prose: bool = True
    is_fixed: bool = False


@dataclass(frozen=True)
class Trace:
    """What of one file on the base is the change's: all of it, or runs of lines; or ``fixed``."""

    path: bytes
    whole: bool
    runs: tuple[WrittenRun, ...] = ()
    fixed: bool = False
    prose: bool = False
    known: frozenset[bytes] = frozenset()
    """Lines that the file held before the change, which are not the change's where a run no longer stands whole."""


@dataclass(frozen=True)
class Names:
    """What tells that an entry of a change log is the change's: its request's number, those of the issues that it
    closes, its commits, its own news.
    """

    request: int | None = None
    issues: tuple[int, ...] = ()
    commits: tuple[str, ...] = ()
    news: tuple[str, ...] = ()

    def in_text(self, text: str) -> bool:
        """Whether the text names the change, or holds its news."""
        numbers = "|".join(str(number) for number in (self.request, *self.issues) if number is not None)
        if numbers and re.search(
            rf"(?<![\w/])(?:#|!|GH-|gh-)(?:{numbers})\b"
            rf"|/(?:pull|pulls|merge_requests|issues)/(?:{numbers})\b"
            rf"|:(?:pr|pull|issue|gh):`#?(?:{numbers})\b",
            text,
        ):
            return True
        words = frozenset(re.findall(r"\b[0-9a-f]{7,40}\b", text)) if self.commits else frozenset()
        if any(commit.startswith(word) for word in words for commit in self.commits):
            return True
        plain = _plain(text)
        return any(news in plain for news in map(_plain, self.news) if len(news) >= LEAST_LINE)


@dataclass(frozen=True)
class Removed:
    """The tree without traces; per quoted path how they were removed, and why traces were left.

    ``doubtful``: of those removed, the ones whose file code names, which may need what went.
    """

    tree: str
    files: dict[str, str]
    left: dict[str, str]
    doubtful: frozenset[str] = frozenset()


def traces_of(
    repository: Repository, before_tree: str, after_tree: str, healthy_tree: str, files: Iterable[Followed]
) -> tuple[Trace, ...]:
    """What the change wrote into these files and still stands on the base; what is no prose counts as a whole alone."""
    found: list[Trace] = []
    for file in files:
        then, now = repository.entry(after_tree, file.after), repository.entry(healthy_tree, file.modern)
        if then is None or now is None or {then.mode, now.mode} - {FILE, EXECUTABLE}:
            continue
        if file.before is None and then.oid == now.oid:
            found.append(Trace(file.modern, whole=True, fixed=file.is_fixed, prose=file.is_prose))
        elif file.is_prose or file.is_fixed:
            old = (None if file.before is None else repository.file(before_tree, file.before)) or b""
            runs = runs_of(old, repository.blob(then.oid))
            known = frozenset(old.splitlines())
            if without_runs(repository.blob(now.oid), runs, known, Names().in_text) is not None:
                found.append(Trace(file.modern, False, runs, fixed=file.is_fixed, prose=file.is_prose, known=known))
    return tuple(found)


def without_traces(
    repository: Repository,
    tree: str,
    traces: Sequence[Trace],
    change_logs: Collection[str],
    names: Names,
    documents: Collection[str],
    code: Collection[str],
    *,
    careful: bool = False,
) -> Removed:
    """The tree without these traces, and without the entries of ``change_logs`` that name the change.

    ``documents``: quoted paths that only people read; a file that any other file names is not removed, but prose that
    no more than packaging names is emptied. ``code``: those of sources and tests; when ``careful``, prose that one of
    these names keeps its lines too, since it may be read for what it says.
    """
    entries: dict[bytes, Entry] = dict(repository.tree(tree))
    there = [trace for trace in traces if trace.path in entries]
    named = _named_by_others(repository, entries, there, documents, code)
    files: dict[str, str] = {}
    left: dict[str, str] = {}
    for trace in there:
        path, entry = quote(trace.path), entries[trace.path]
        by = named.get(trace.path)
        if trace.whole and trace.path.rpartition(b"/")[2] in _NEEDED_BY_NAME:
            continue
        if trace.fixed:
            left[path] = "it is packaging or a setting, of which no line is taken"
        elif by is not None and (not trace.prose or (quote(by) in code and (trace.whole or careful))):
            left[path] = f"{quote(by)} names it"
        elif trace.whole and by is not None:
            entries[trace.path] = Entry(entry.mode, repository.write_blob(b""))
            files[path] = f"emptied: the change brought it, and {quote(by)} names it"
        elif trace.whole:
            del entries[trace.path]
            files[path] = "removed: the change brought it"
        elif (less := without_runs(repository.blob(entry.oid), trace.runs, trace.known, names.in_text)) is not None:
            entries[trace.path] = Entry(entry.mode, repository.write_blob(less.content))
            files[path] = f"{less.gone} lines of the change removed"
            files[path] += f", {less.back} that it replaced put back" if less.back else ""
    for path in sorted(change_logs):
        log = entries.get(unquote(path))
        if log is None or log.mode not in {FILE, EXECUTABLE} or path in left:
            continue
        content = repository.blob(log.oid)
        if len(content) > _LARGEST or is_binary(content):
            continue
        kept, gone = without_entries(content, names.in_text)
        if kept != content:
            entries[unquote(path)] = Entry(log.mode, repository.write_blob(kept))
            told = f"{gone} entries that name the change removed" if gone else "links that name the change removed"
            files[path] = f"{files[path]}; {told}" if path in files else told
    doubtful = frozenset(path for path in files if (by := named.get(unquote(path))) is not None and quote(by) in code)
    return Removed(tree=repository.write_tree(Tree(entries)), files=files, left=left, doubtful=doubtful)


def _named_by_others(
    repository: Repository,
    entries: Mapping[bytes, Entry],
    traces: Sequence[Trace],
    documents: Collection[str],
    code: Collection[str],
) -> dict[bytes, bytes]:
    """Traced files whose names stand in a file that could miss what goes, each with that file; code before others."""
    patterns = {trace: name_pattern(trace.path) for trace in traces if not trace.fixed}
    found: dict[bytes, bytes] = {}
    for path, entry in sorted(entries.items(), key=lambda one: (quote(one[0]) not in code, one[0])) if patterns else ():
        name = quote(path)
        if entry.mode not in {FILE, EXECUTABLE} or name in documents:
            continue
        content = repository.blob(entry.oid)
        if len(content) > _LARGEST:
            continue
        for trace, pattern in patterns.items():
            if trace.path in {path, *found} or not (trace.whole or name in code):
                continue
            if names_in_code(path, content, pattern):
                found[trace.path] = path
    return found


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
