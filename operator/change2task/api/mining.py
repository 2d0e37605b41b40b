"""Candidates that were found in a history instead of written by hand: their names, their labels, what is noted on them.

The command line and the operator make the same ones, so that a set can be selected, and deleted, by its label whoever
made it: ``kubectl delete taskcandidates -l change2task.dev/mined-from=NAME``.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

from change2task.api.metadata import GROUP

MINED_FROM: Final = f"{GROUP}/mined-from"
"""Label: the base that a candidate was found for."""
MINED_BY: Final = f"{GROUP}/mined-by"
"""Label of what was made on a cluster, with ``OPERATOR``; what a person mined and applied does not bear it."""
OPERATOR: Final = "operator"
MINE_ANNOTATION: Final = f"{GROUP}/mine"
"""Annotation of a base: another word has its history mined anew."""
SCORE: Final = f"{GROUP}/mining-score"
"""Annotation: what the candidate promises, with the sum."""
FAMILY: Final = f"{GROUP}/mining-family"
"""Annotation: the family guessed, and why."""
TITLE: Final = f"{GROUP}/mining-title"
"""Annotation: the change's title, for people."""
COMMIT: Final = f"{GROUP}/mining-commit"
"""Annotation: the commit that the change ends with."""

IMPORTED_FROM: Final = f"{GROUP}/imported-from"
"""Label: the format of the benchmark that a candidate was a row of."""
ROW: Final = f"{GROUP}/imported-row"
"""Annotation: line and name of that row."""

LABEL_LENGTH: Final = 63
_LABEL = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]*)?[A-Za-z0-9]")
_LONGEST_NAME: Final = 200


def mined_from(base: str) -> str:
    """The label's value for a base: its name, or the beginning of a name that is too long, with a digest."""
    if len(base) <= LABEL_LENGTH and _LABEL.fullmatch(base):
        return base
    return _shortened(base, LABEL_LENGTH)


def candidate_name(base: str, number: int | None, commit: str) -> str:
    """The name of a candidate: its base's, and the request's number or the beginning of the commit's id."""
    stem = base if len(base) <= _LONGEST_NAME else _shortened(base, _LONGEST_NAME)
    return f"{stem}-{number if number is not None else commit[:12]}"


def ending_of(candidate: str) -> str:
    """What a name of ``candidate_name`` adds to the base's; ``candidate_name(base, None, ending)`` gives it back."""
    return candidate.rpartition("-")[2]


def _shortened(name: str, length: int) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: length - len(digest) - 1].rstrip('-._')}-{digest}"
