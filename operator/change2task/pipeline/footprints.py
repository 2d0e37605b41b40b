"""What of a change stands on the base beside its sources and its checks: documents, change-log entries, test files.

It exists so that construction is given facts and looks nothing up itself. Which of it is taken from the agent's tree is
decided by ``construct.traces`` and by the checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from change2task.checks.naming import naming
from change2task.construct.helpers import Helper
from change2task.construct.models import Assignment
from change2task.construct.traces import Followed, Names, Trace, traces_of
from change2task.history.closing import closed_issues
from change2task.history.files import fragments_in
from change2task.history.fragments import Fragments
from change2task.history.globs import as_text
from change2task.history.models import Evidence, FileChange, MergedChange, Role
from change2task.history.names import PROSE_SUFFIXES, is_news_file, is_news_fragment, suffix
from change2task.patch.paths import quote, unquote
from change2task.pipeline.ports import BaseOnHand
from change2task.syntax.languages import language_of
from change2task.syntax.tests import test_units
from change2task.validate.checkfiles import CheckFiles
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

_FOLLOWED = frozenset({Role.DOCS, Role.TESTS})
_LONGEST_NEWS = 4000
_MOST_COMMITS = 100


@dataclass(frozen=True)
class Footprints:
    """Quoted paths of the base's files by kind, and what of the change is left in them."""

    test_files: frozenset[str]
    documents: frozenset[str]
    change_logs: frozenset[str]
    traces: tuple[Trace, ...]
    names: Names
    helpers: tuple[Helper, ...] = ()


def footprints(repository: Repository, base: BaseOnHand, evidence: Evidence, assignment: Assignment) -> Footprints:
    """Everything of the change beside its sources; files that hold checks are left to whoever hides checks."""
    roles = base.roles()
    checks = CheckFiles(repository, base.tree, (*base.healthy, *base.other), naming(base.check_format))
    by_role: dict[Role, set[str]] = {Role.TESTS: set(), Role.DOCS: set()}
    for path in repository.tree(base.tree):
        role = roles.role(path)
        readable = role is Role.DOCS and roles.in_product(path)
        if role in by_role and not (readable or roles.protected(path)):
            by_role[role].add(quote(path))
    named = {quote(path) for path in checks.named()}
    documents = frozenset(by_role[Role.DOCS] - named)
    followed = [
        Followed(
            before=None if file.status == "added" else unquote(file.old_path or file.path),
            after=unquote(file.path),
            modern=unquote(modern),
            is_prose=file.role is Role.DOCS and is_prose(modern),
            is_fixed=is_setting(modern),
        )
        for file in evidence.files
        if file.role in _FOLLOWED and file.status != "deleted" and not (file.symlink or file.submodule)
        if (modern := evidence.modern_paths.get(file.path)) is not None
        if modern in (documents if file.role is Role.DOCS else by_role[Role.TESTS] - named)
        if unquote(modern) not in checks
    ]
    followed += [
        Followed(
            before=None if file.status == "added" else unquote(file.old_path or file.path),
            after=unquote(file.path),
            modern=unquote(file.path),
            is_fixed=True,
        )
        for file in evidence.files
        if file.role is Role.METADATA and file.status != "deleted" and not (file.symlink or file.submodule)
    ]
    helpers = tuple(
        Helper(before=unquote(file.old_path or file.path), after=unquote(file.path), modern=unquote(modern))
        for file in evidence.files
        if file.role is Role.TESTS and file.status not in {"added", "deleted"}
        if not (file.symlink or file.submodule or file.binary)
        if (modern := evidence.modern_paths.get(file.path)) in by_role[Role.TESTS] - named
        if modern is not None and unquote(modern) not in checks and not _holds_tests(repository, base.tree, modern)
    )
    change = evidence.change
    news = list(_fragments(repository, evidence, assignment.after_tree))
    return Footprints(
        test_files=frozenset(by_role[Role.TESTS]),
        documents=documents,
        change_logs=frozenset(path for path in documents if _is_change_log(path) and is_prose(path)),
        traces=traces_of(repository, assignment.before_tree, assignment.after_tree, base.tree, followed),
        names=Names(
            request=change.pull_request,
            issues=closed_issues(_messages(repository, change), (path.rpartition("/")[2] for path, _ in news)),
            commits=tuple(dict.fromkeys((*change.commits, change.commit))),
            news=tuple(text for _, content in news for text in (content, *_entries(content))),
        ),
        helpers=helpers,
    )


def _holds_tests(repository: Repository, tree: str, path: str) -> bool:
    source = repository.file(tree, unquote(path)) or b""
    language = language_of(unquote(path), source[:256])
    return language is None or bool(test_units(language, unquote(path), source))


def is_prose(path: str) -> bool:
    """Whether the file, by its quoted path, can lose a line and still be read."""
    return suffix(as_text(unquote(path)).rpartition("/")[2]) in PROSE_SUFFIXES


def is_setting(path: str) -> bool:
    """Whether the file belongs to a forge or a tool, though it may be called like a document (``release.yml``)."""
    return path.startswith(".") and not is_prose(path)


def _is_change_log(path: str) -> bool:
    *folders, name = as_text(unquote(path)).split("/")
    return is_news_file(tuple(folders), name)


def _messages(repository: Repository, change: MergedChange) -> Iterator[str]:
    yield f"{change.title}\n\n{change.body}"
    for info in repository.commits(change.commits[:_MOST_COMMITS]):
        yield f"{info.subject}\n\n{info.body}"


def _fragments(repository: Repository, evidence: Evidence, after_tree: str) -> Iterator[tuple[str, str]]:
    """The change's news fragments, by path, whose words a release may have moved into a change log."""
    fragments = fragments_in(repository, repository.tree(after_tree))
    for file in evidence.files:
        if not _is_fragment(file, fragments):
            continue
        entry = repository.entry(after_tree, unquote(file.path))
        if entry is not None and entry.mode in {FILE, EXECUTABLE}:
            yield as_text(unquote(file.path)), repository.blob(entry.oid)[:_LONGEST_NEWS].decode("utf-8", "replace")


def _entries(text: str) -> list[str]:
    """The entries of a fragment that holds a list, which a release may have put under headings of its own."""
    _, *entries = re.split(r"(?m)^[ \t]*[-*+][ \t]+", text)
    return [entry.partition("\n\n")[0] for entry in entries]


def _is_fragment(file: FileChange, fragments: Fragments) -> bool:
    if file.role is not Role.DOCS or file.status != "added" or file.binary:
        return False
    said = fragments.says(unquote(file.path))
    return said if said is not None else is_news_fragment(as_text(unquote(file.path)).rpartition("/")[2])
