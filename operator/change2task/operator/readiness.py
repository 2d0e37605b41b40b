"""Whether the operator hears all that it answers: every watch was accepted by the API server, after the first list.

Pure. Which requests are watches is told by their paths, as the API server sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from change2task.api.metadata import GROUP, VERSION

_WATCHED = (
    (f"apis/{GROUP}/{VERSION}", "modernbases"),
    (f"apis/{GROUP}/{VERSION}", "taskcandidates"),
    (f"apis/{GROUP}/{VERSION}", "taskvariants"),
    ("apis/batch/v1", "jobs"),
    ("api/v1", "pods"),
)


def watches(namespaces: Iterable[str]) -> tuple[str, ...]:
    """Paths of all watches in these namespaces, or in the whole cluster where none is named."""
    places = tuple(f"namespaces/{name}/" for name in namespaces) or ("",)
    return tuple(f"/{group}/{place}{plural}" for place in places for group, plural in _WATCHED)


@dataclass
class Readiness:
    """Belongs to one event loop. ``listed``: everything was listed once."""

    wanted: frozenset[str]
    heard: set[str] = field(default_factory=set)
    listed: bool = False

    @classmethod
    def of(cls, namespaces: Sequence[str]) -> Self:
        """Nothing is heard yet."""
        return cls(frozenset(watches(namespaces)))

    def opened(self, path: str) -> None:
        """The API server has accepted a watch; ``path`` may come with the server's own prefix before it."""
        self.heard |= {one for one in self.wanted if path.endswith(one)}

    def lacks(self) -> str | None:
        """What it waits for; None where it hears everything."""
        if not self.listed:
            return "the first list is under way"
        missing = sorted(self.wanted - self.heard)
        return f"{len(missing)} watches are not open yet, such as {missing[0]}" if missing else None
