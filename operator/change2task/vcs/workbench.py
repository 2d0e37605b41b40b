"""A repository whose new objects go to a folder of their own, so that constructed trees never touch a mirror.

It sees every object and every reference of the repository it borrows from; throwing the folder away leaves that one as
it was.
"""

from __future__ import annotations

from pathlib import Path

from change2task.patch.paths import quote
from change2task.vcs.repository import Repository


class Workbench(Repository):
    """A repository that reads through to another and writes beside it. The folder may be used again."""

    def __init__(self, borrowed: Repository, folder: Path) -> None:
        objects = folder.absolute() / "objects"
        for name in ("info", "pack"):
            (objects / name).mkdir(parents=True, exist_ok=True)
        # Git reads a path in double quotes with its escapes; a plain one could be taken for a comment.
        lender = quote(bytes(borrowed.objects.folder))
        line = lender if lender.startswith('"') else f'"{lender}"'
        (objects / "info" / "alternates").write_text(line + "\n", encoding="utf-8")
        super().__init__(borrowed.place, objects)
