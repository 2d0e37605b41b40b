"""The static oracle's verdict on a set of files: pure, deterministic, and with the places named.

It is a check like a test: it passes, it fails, or there is nothing to judge. Which files a state holds is left to
the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from change2task.api.model import Model
from change2task.api.taskcandidate import StaticOracle
from change2task.history.globs import matches
from change2task.patch.paths import quote
from change2task.syntax.languages import Language, language_of
from change2task.syntax.queries import uses_api

_SHOWN = 5


class CheckOutcome(Model):
    """How a static check ended; ``error`` when no file could be judged."""

    outcome: Literal["passed", "failed", "error"]
    message: str
    places: tuple[str, ...] = ()


def static_check(oracle: StaticOracle, files: Mapping[bytes, bytes]) -> CheckOutcome:
    """Whether the old names are gone from the files and each new one is used in some of them.

    ``files``: path to content of one state. An import counts as a use of an old name, and not as one of a new name.
    """
    return _judged(oracle, files, {})


def static_check_of_answer(
    oracle: StaticOracle,
    files: Mapping[bytes, bytes],
    changed: Mapping[bytes, bytes],
    healthy: Mapping[bytes, bytes],
) -> CheckOutcome:
    """As ``static_check``, for files that an agent has ``changed``; ``healthy`` are these files on the base.

    The new names may be used in any file it changed. An old name moved into a file that is not named is not gone:
    there it may stand as often as on the base.
    """
    aside = _moved_aside(oracle, changed, healthy)
    if aside:
        return CheckOutcome(outcome="failed", message=f"moved aside: {_some(aside)}", places=aside)
    return _judged(oracle, files, changed)


def _moved_aside(
    oracle: StaticOracle, changed: Mapping[bytes, bytes], healthy: Mapping[bytes, bytes]
) -> tuple[str, ...]:
    found: list[str] = []
    for path, content in sorted(changed.items()):
        language = language_of(path, content[:256])
        if language is None or not oracle.paths or matches(path, oracle.paths):
            continue
        for name in oracle.gone:
            places = uses_api(language, content, name, include_imports=True)
            before = uses_api(language, healthy.get(path, b""), name, include_imports=True)
            if len(places) > len(before):
                found += [f"{quote(path)}:{place.first_line} {name}" for place in places]
    return tuple(found)


def _judged(oracle: StaticOracle, files: Mapping[bytes, bytes], more: Mapping[bytes, bytes]) -> CheckOutcome:
    judged = _readable({p: c for p, c in files.items() if not oracle.paths or matches(p, oracle.paths)})
    if not judged:
        wanted = ", ".join(oracle.paths) or "the files given"
        return CheckOutcome(outcome="error", message=f"no file of a known language matches {wanted}")
    still = [
        f"{quote(path)}:{place.first_line} {name}"
        for name in oracle.gone
        for path, (language, content) in sorted(judged.items())
        for place in uses_api(language, content, name, include_imports=True)
    ]
    if still:
        return CheckOutcome(outcome="failed", message=f"still used: {_some(still)}", places=tuple(still))
    everywhere = {**_readable(more), **judged}
    unused = [
        name
        for name in oracle.used
        if not any(uses_api(language, content, name) for language, content in everywhere.values())
    ]
    if unused:
        return CheckOutcome(
            outcome="failed", message=f"not used in any of {len(everywhere)} files: {', '.join(unused)}"
        )
    return CheckOutcome(outcome="passed", message=f"{len(judged)} files read, nothing old, everything new")


def _readable(files: Mapping[bytes, bytes]) -> dict[bytes, tuple[Language, bytes]]:
    languages = ((path, content, language_of(path, content[:256])) for path, content in files.items())
    return {path: (language, content) for path, content, language in languages if language is not None}


def _some(places: Sequence[str]) -> str:
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return ", ".join(places[:_SHOWN]) + more
