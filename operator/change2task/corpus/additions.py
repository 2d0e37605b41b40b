"""An existing test file that an agent added to: its additions stand, and its existing tests are as they were.

Whoever writes tests has to import, and to add helpers and fixtures beside them; so the file is the agent's, except for
the test functions that it held before. Pure; which files this is asked of is decided by ``submission``.
"""

from __future__ import annotations

from change2task.api.model import Model
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import Language, language_of
from change2task.syntax.tests import TestUnit, changed_tests, test_units


class Kept(Model):
    """What counts of a changed file: its content (None: nothing of it), the tests put back, or why nothing counts."""

    content: bytes | None
    put_back: tuple[str, ...] = ()
    why: str = ""


def with_existing_tests(path: bytes, before: bytes, after: bytes) -> Kept:
    """``after`` with the tests that ``before`` holds as they are there."""
    language = language_of(path, after[:256])
    if language is None:
        return Kept(content=None, why="tests in it cannot be told from the rest")
    if new_syntax_errors(language, before, after):
        return Kept(content=None, why="it no longer parses")
    changed = changed_tests(language, path, before, after)
    if changed.removed:
        return Kept(content=None, why=f"it removes the test {changed.removed[0]}")
    if not changed.altered:
        return Kept(content=after)
    content = _spliced(language, path, before, after, changed.altered)
    if content is None:
        return Kept(content=None, why=f"it alters the test {changed.altered[0]}, which cannot be put back alone")
    return Kept(content=content, put_back=changed.altered)


def _spliced(language: Language, path: bytes, before: bytes, after: bytes, names: tuple[str, ...]) -> bytes | None:
    old, new = _by_name(test_units(language, path, before)), _by_name(test_units(language, path, after))
    content = after
    pairs = [(old[name], new[name]) for name in names]
    if any(len(was) != len(now) for was, now in pairs):
        return None
    spans = [
        (n.unit.span.start, n.unit.span.end, o.unit.span.start, o.unit.span.end)
        for was, now in pairs
        for o, n in zip(was, now, strict=True)
    ]
    for start, end, old_start, old_end in sorted(spans, reverse=True):
        content = content[:start] + before[old_start:old_end] + content[end:]
    left = changed_tests(language, path, before, content)
    if left.altered or left.removed or new_syntax_errors(language, before, content):
        return None
    return content


def _by_name(found: tuple[TestUnit, ...]) -> dict[str, list[TestUnit]]:
    result: dict[str, list[TestUnit]] = {}
    for test in found:
        result.setdefault(test.name, []).append(test)
    return result
