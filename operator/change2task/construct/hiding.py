"""T: the hidden checks cut out of the agent's tree, with the imports that only they need.

The agent must not read the checks it is graded by, and the old tests beside them must still load: a test
module that imports a name the change introduced would otherwise not even be collected on the task state
(notes on patch porting). Files of a language without a parser here are put back whole to their form before
the change. A file that the change found nothing of, and in which nothing is left, goes: its name would tell what is
hidden. Which checks are hidden is decided by ``checks``.
"""

from __future__ import annotations

from collections.abc import Mapping

from change2task.api.model import Model
from change2task.patch.paths import quote, unquote
from change2task.syntax.cut import CutError, cut_tests
from change2task.syntax.emptied import is_empty
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import language_of
from change2task.syntax.symbols import names_used
from change2task.syntax.tests import test_units
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry, Tree


class Hidden(Model):
    """The agent's tree and, per quoted path of a file with hidden checks, how they were hidden."""

    tree: str
    files: dict[str, str]


class NotHidable(Exception):
    """A file's hidden checks cannot be cut out; the message says which and why."""


def hide(
    repository: Repository,
    task_tree: str,
    hidden: Mapping[str, frozenset[str]],
    earlier: Mapping[str, str | None],
) -> Hidden:
    """The task tree without the ``hidden`` test functions (quoted path to names within the file).

    ``earlier`` gives the git blob of a file's form before the change, or None where it did not exist; a language
    without a parser cannot do without it. Raises NotHidable.
    """
    entries: dict[bytes, Entry] = dict(repository.tree(task_tree))
    how: dict[str, str] = {}
    for path, names in sorted(hidden.items()):
        raw = unquote(path)
        entry = entries.get(raw)
        if entry is None:
            raise NotHidable(f"{path} is not in the task state")
        content = repository.blob(entry.oid)
        cut = _cut(raw, content, names, _needed_elsewhere(repository, entries, raw))
        language = language_of(raw, content[:256])
        if cut is not None and language is not None and earlier.get(path, "") is None and is_empty(language, cut):
            del entries[raw]
            how[path] = f"removed with its {len(names)} tests"
        elif cut is not None:
            entries[raw] = Entry(entry.mode, repository.write_blob(cut))
            how[path] = f"{len(names)} tests cut out"
        elif path not in earlier:
            raise NotHidable(f"{quote(raw)}: no parser for its language and no earlier form of it is known")
        elif (blob := earlier[path]) is not None:
            entries[raw] = Entry(entry.mode, blob)
            how[path] = "put back to its form before the change"
        else:
            del entries[raw]
            how[path] = "removed"
    return Hidden(tree=repository.write_tree(Tree(entries)), files=how)


def _cut(path: bytes, content: bytes, names: frozenset[str], keep: frozenset[str]) -> bytes | None:
    language = language_of(path, content[:256])
    if language is None:
        return None
    elsewhere = names - {unit.name for unit in test_units(language, path, content)}
    if elsewhere:
        shown = ", ".join(sorted(elsewhere)[:5])
        raise NotHidable(
            f"{quote(path)}: {shown} is not written in it (inherited or generated tests cannot be cut out)"
        )
    try:
        result = cut_tests(language, path, content, names, helpers=True, keep=keep)
    except CutError as error:
        raise NotHidable(f"{quote(path)}: {error}") from error
    if new_syntax_errors(language, content, result):
        raise NotHidable(f"{quote(path)} no longer parses once its hidden tests are cut out")
    return result


def _needed_elsewhere(repository: Repository, entries: Mapping[bytes, Entry], path: bytes) -> frozenset[str]:
    """Names that other files of the language near this one use: its helpers of these names must stay."""
    language = language_of(path)
    folder = path.rpartition(b"/")[0]
    needed: set[str] = set()
    for other, entry in entries.items():
        near = not folder or other.startswith(folder + b"/")
        if other == path or not near or entry.mode not in {FILE, EXECUTABLE} or language_of(other) != language:
            continue
        if language is not None:
            needed |= names_used(language, repository.blob(entry.oid))
    return frozenset(needed)
