"""Variants that may have lost the candidate that stands for them: noted before they could, and settled afterwards.

A variant is stored before the candidate's verdict points to it, and a new verdict may leave an older variant behind; a
run can be killed between the two writes, and another candidate may have come to stand for the same task. So doubts are
noted first, and settled once, when no candidate is being worked on. A variant that no run has doubted is never touched,
whoever put it there. Doubts lie beside what they doubt, not in the cache, which may be thrown away.
"""

from __future__ import annotations

import structlog

from change2task.api.taskcandidate import TaskCandidate
from change2task.corpus.store import Store

log = structlog.get_logger(__name__)

_FOLDER = "doubtful"


def doubt(store: Store, variant: str) -> None:
    """Note that no candidate may stand for this variant in a moment."""
    folder = store.path / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    store.write(folder / variant, b"")


def settle(store: Store) -> tuple[str, ...]:
    """Remove the doubted variants that no stored candidate stands for, and give their names.

    Only for whoever holds the store and works on no candidate. Raises StoreDamaged when a candidate cannot be read:
    then nothing is removed, since it might be the one.
    """
    folder = store.path / _FOLDER
    if not folder.is_dir():
        store.drop_earlier()
        return ()
    left = sorted(path.name for path in folder.iterdir())
    # What a killed write has left is no doubt.
    doubted = [name for name in left if not name.startswith(".")]
    candidates = (store.candidate(name) for name in store.names(TaskCandidate))
    stood_for = {one.status.variant_ref.name for one in candidates if one is not None and one.status.variant_ref}
    orphans = tuple(name for name in doubted if name not in stood_for)
    for name in orphans:
        store.remove_variant(name)
        log.info("variant.removed", variant=name, because="no candidate stands for it")
    for name in left:
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()
    store.drop_earlier()
    return orphans
