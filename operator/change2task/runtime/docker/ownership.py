"""Folders of this program given to the user that commands run as, where the program runs as root.

It exists because a container's user is a real user of this machine: what root has laid out, it could not write.
Where this program is an ordinary user, commands run as the same one and nothing is to be done.
"""

from __future__ import annotations

import os
from pathlib import Path


def give(folder: Path, user: str) -> None:
    """Make a folder and all below it ``user``'s (uid:gid), unless it is already; links are never followed.

    A folder that was given before is left as it is: what a command has made in it is the user's own.
    """
    if os.geteuid() != 0:
        return
    uid, _, gid = user.partition(":")
    owner = int(uid), int(gid)
    if folder.lstat().st_uid == owner[0]:
        return
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        with os.scandir(path) as entries:
            for entry in entries:
                os.chown(entry.path, *owner, follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    os.chown(folder, *owner)
