"""Faults of a store, each with what to do; they are faults of the machine or of its use, never of a candidate."""

from __future__ import annotations

from pathlib import Path


class StoreError(Exception):
    """A store cannot be used; the message says why and the way out."""


class StoreBusy(StoreError):
    """Another run holds the store."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(f"store {path} is in use by {holder}; wait for it to end, or use another --store")


class StoreTooNew(StoreError):
    """The store was written by a newer version."""

    def __init__(self, path: Path, found: object, known: int) -> None:
        super().__init__(
            f"store {path} has format {found}, this version knows up to {known};"
            " upgrade change2task, or use another --store"
        )


class NotAStore(StoreError):
    """What was named as a store is none, and is not made one: a fault of whoever named it."""


class NoStoreThere(NotAStore):
    """Nothing has ever been stored at this place."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            what = f"there is no store at {path}"
        elif not path.is_dir():
            what = f"{path} is a file, and a store is a folder"
        else:
            what = f"{path} is not a store: there is no store.yaml in it"
        super().__init__(f"{what}; name the folder of a run with --store")


class TakenFolder(NotAStore):
    """The folder holds other things, which a store must not be mixed with."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is not a store: it holds other files; name a new or empty folder with --store")


class StoreUnwritable(StoreError):
    """The disk is full, read-only or forbidden."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"cannot write {path}: {error.strerror or error}; everything stored before is intact,"
            " make room, give permission or use another --store, and run again"
        )


class StoreDamaged(StoreError):
    """A file of the store does not hold what its name promises."""

    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(f"{path} is damaged: {detail}; restore it from version control, or delete it and run again")
