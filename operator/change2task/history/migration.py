"""Which API a change left and which it took up, read from imports: the static oracle of an API migration.

Only the plainest case is derived: one outside module or name is imported no longer in the files touched, and one
other is imported instead. Everything else stays to be stated in ``spec.checks``; a wrong oracle would give marks to
the wrong work.
"""

from __future__ import annotations

from collections.abc import Iterable

from change2task.api.taskcandidate import StaticOracle
from change2task.syntax.imports import imports
from change2task.syntax.languages import Language, language_of

_NEVER = frozenset({"__future__", "typing", "typing_extensions", "collections.abc", "types", "warnings"})


def derive_migration(
    files: Iterable[tuple[bytes, bytes | None, bytes | None]], own: frozenset[str]
) -> tuple[StaticOracle | None, str]:
    """The oracle, or None, and a sentence why. ``files``: path, content before and after; ``own``: top packages."""
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for path, old, new in files:
        language = language_of(path, (new or old or b"")[:256])
        if language is None:
            continue
        _collect(before, language, old, own)
        _collect(after, language, new, own)
    gone, used = sorted(set(before) - set(after)), sorted(set(after) - set(before))
    if len(gone) == 1 and len(used) == 1:
        oracle = StaticOracle(gone=(_finest(before[gone[0]], gone[0]),), used=(_finest(after[used[0]], used[0]),))
        return oracle, f"the change imports {oracle.used[0]} where it imported {oracle.gone[0]}"
    if not gone and not used:
        left = sorted(t for m in before for t in before[m] - after[m])
        taken = sorted(t for m in after for t in after[m] - before[m])
        if len(left) == 1 and len(taken) == 1 and left != taken:
            return (
                StaticOracle(gone=(left[0],), used=(taken[0],)),
                f"the change imports {taken[0]} where it imported {left[0]}",
            )
        gone, used = left, taken
    return None, f"{_list(gone)} no longer imported, {_list(used)} newly imported; one of each would be unambiguous"


def _collect(into: dict[str, set[str]], language: Language, source: bytes | None, own: frozenset[str]) -> None:
    for statement in imports(language, source) if source is not None else ():
        module = statement.module
        top = module.replace("/", ".").split(".")[0]
        if not module or module.startswith(".") or module in _NEVER or top in own:
            continue
        targets = into.setdefault(module, set())
        targets.update(b.target for b in statement.bindings if b.name != "*")


def _finest(targets: set[str], module: str) -> str:
    return next(iter(targets)) if len(targets) == 1 else module


def _list(names: list[str]) -> str:
    if not names:
        return "nothing"
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
