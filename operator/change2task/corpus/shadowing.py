"""Whether a new Python file takes the name of a module that checks load: of the standard library, or of a dependency.

``python -m pytest`` looks into the project before it looks anywhere else, so a file ``random.py`` or ``pytest.py`` in
the wrong place replaces the real one in every check. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping

from change2task.history.globs import as_text


def shadowed(
    path: bytes, before: Mapping[bytes, object], after: Mapping[bytes, object], taken: Container[str]
) -> str | None:
    """The module among those ``taken`` that a new file at ``path`` would hide, or None.

    ``before`` and ``after`` are the paths without and with the file. A name that the project had already is its own.
    """
    if not path.endswith(b".py"):
        return None
    folders_before = _folders(before)
    parts = path.split(b"/")
    for depth, part in enumerate(parts):
        folder = b"/".join(parts[:depth])
        # A folder that was there may be on the search path whatever is put into it now.
        marked = after if folder not in folders_before else before
        if folder and folder + b"/__init__.py" in marked:
            return None
        place = folder + b"/" + part if folder else part
        stem = place.removesuffix(b".py")
        if stem in folders_before or stem + b".py" in before:
            continue
        name = as_text(stem.rpartition(b"/")[2])
        if name in taken:
            return name
    return None


def _folders(paths: Collection[bytes]) -> frozenset[bytes]:
    found: set[bytes] = set()
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return frozenset(found)
