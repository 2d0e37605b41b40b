"""The static oracle's verdict on a set of files: pure, deterministic, and with the places named.

It is a check like a test: it passes, it fails, or there is nothing to judge. Which files a state holds is left to
the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from change2task.api.model import Model
from change2task.api.taskcandidate import StaticOracle
from change2task.history.globs import matches
from change2task.patch.paths import quote
from change2task.syntax.languages import language_of
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
    judged = {
        path: (language, content)
        for path, content in files.items()
        if (not oracle.paths or matches(path, oracle.paths)) and (language := language_of(path, content[:256]))
    }
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
        more = f" and {len(still) - _SHOWN} more" if len(still) > _SHOWN else ""
        return CheckOutcome(
            outcome="failed", message=f"still used: {', '.join(still[:_SHOWN])}{more}", places=tuple(still)
        )
    unused = [
        name
        for name in oracle.used
        if not any(uses_api(language, content, name) for language, content in judged.values())
    ]
    if unused:
        return CheckOutcome(outcome="failed", message=f"not used in any of {len(judged)} files: {', '.join(unused)}")
    return CheckOutcome(outcome="passed", message=f"{len(judged)} files read, nothing old, everything new")
