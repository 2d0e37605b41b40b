"""Helpers beside the tests that the change itself altered: what they were without it.

A change that closes responses may have its tests' client close them too, by the very function that it adds. Without
the change such a helper takes every test down that uses it, though none of them asks for the change. In the agent's
tree the change's own lines of it are undone like those of the sources, as far as that is known for sure; hidden checks
meet it as it is today. Whether that is needed is for the checks to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from change2task.construct.resolve.menus import ALL
from change2task.construct.resolve.stack import Unmergeable, merge
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry

_TEXTS = frozenset({FILE, EXECUTABLE})


@dataclass(frozen=True)
class Helper:
    """A file beside the tests that holds none: its paths before the change, after it, and on the base."""

    before: bytes
    after: bytes
    modern: bytes


def older_helpers(
    repository: Repository, ends: tuple[str, str], entries: Mapping[bytes, Entry], helpers: tuple[Helper, ...]
) -> Iterator[tuple[bytes, bytes]]:
    """For each helper of ``entries`` that can be undone its path and its content without the change's lines.

    ``ends`` are the trees before and after the change.
    """
    for helper in helpers:
        places = ((ends[0], helper.before), (ends[1], helper.after))
        found = [*(repository.entry(tree, path) for tree, path in places), entries.get(helper.modern)]
        texts = [repository.blob(entry.oid) for entry in found if entry is not None and entry.mode in _TEXTS]
        if len(texts) < len(found) or any(b"\0" in text for text in texts):
            continue
        before, after, modern = texts
        language = language_of(helper.modern, modern[:256])
        try:
            merged = merge(after, modern, before, ALL, language=language, otherwise="ours")
        except Unmergeable:
            continue
        if merged.content != modern and not (language and new_syntax_errors(language, modern, merged.content)):
            yield helper.modern, merged.content
