"""Every reader's project for the conformance suite: the same tests written for each runner, and what must come of them.

`cost` says what a dying or hanging test costs beside itself: nothing ("test"), the rest of its file ("file"), the whole
pass ("pass"). The table in docs/readers.md is made from this, so that no cell of it is not a test.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
JS = Path(os.environ.get("C2T_JS_RUNNERS") or ROOT / ".js-runners") / "node_modules"
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/local/go/bin:{Path.home()}/.cargo/bin"

NOISE = "\\u001b[32mPASSED\\u001b[0m ok 1 - x --- FAIL: TestX test y ... ok <testcase name='z'/>"


@dataclass(frozen=True)
class Subject:
    """One runner under one reader. ``expected`` is by id; ``together`` the file that a dying test shares."""

    name: str
    check_format: str
    command: tuple[str, ...]
    files: Mapping[str, str]
    expected: Mapping[str, str]
    failing: str
    program: str = "python"
    package: str | None = None
    duplicates: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    crash: str = "test"
    hang: str = "test"
    xfail: str = "yes"
    canaries: bool | None = True
    empty: Mapping[str, str] = field(default_factory=dict)
    rebuild: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    overwritten: bool = False
    patience: int = 3
    """Seconds of silence that are a hanging test: for Node's more, where loading a file is part of them."""
    dying: Mapping[str, str] = field(default_factory=dict)
    """Where a death costs the pass: a project whose test ends the process."""
    hanging: Mapping[str, str] = field(default_factory=dict)

    def lacking(self) -> str | None:
        """Why it cannot be tried here."""
        if shutil.which(self.program, path=PATH) is None:
            return f"NOT TRIED: {self.name} - no {self.program} on this machine"
        if self.package is not None and not (JS / self.package).is_dir():
            return f"NOT TRIED: {self.name} - {self.package} is not in {JS}; make js-runners puts it there"
        return None


DYING = {"before": "passed", "dies": "crashed", "hangs": "hung", "after": "passed"}
