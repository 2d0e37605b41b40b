"""What the ladder is measured against: other people's programs as strategies of one rung, under the same gates.

``git apply -R`` and git's own merge are the product's first and third strategies; here stand the rest. None follows a
rename but git's merge. Their programs come from the system; one that is missing is told, never left out in silence.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from change2task.api.taskcandidate import Profile
from change2task.construct.ladder import strategies
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.resolve.stack import Merged, Unmergeable
from change2task.construct.strategies.exact_reversal import ExactReversal, source_patch
from change2task.construct.strategies.merging import Merging
from change2task.construct.strategies.three_way import ThreeWay
from change2task.construct.strategy import Strategy
from change2task.construct.undo import Versions
from change2task.patch.paths import unquote
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry
from tests.bench.histories.configurations import ApplyThreeWay

_SECONDS = 60
_TEXTS = frozenset({FILE, EXECUTABLE})


class PatchProgram:
    """``patch -R`` with its own fuzz, over the files of the patch alone."""

    name = "patch-R"
    level = 1

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when no hunk is left over."""
        healthy = repository.tree(assignment.healthy_tree)
        named = {unquote(p) for file in assignment.files for p in (file.before, file.after) if p is not None}
        held = {path: healthy[path] for path in named if path in healthy and healthy[path].mode in _TEXTS}
        with tempfile.TemporaryDirectory(prefix="bench-patch-") as folder:
            root = Path(folder)
            for path, entry in held.items():
                place = root / path.decode(errors="surrogateescape")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(repository.blob(entry.oid))
            ran = _run(
                ["patch", "-R", "-p1", "--batch", "--no-backup-if-mismatch", "--reject-file=-", "--directory", folder],
                source_patch(repository, assignment),
            )
            if ran.returncode:
                why = ran.stdout.decode(errors="replace")[-300:]
                yield NotApplicable(
                    strategy=self.name, level=self.level, why=f"patch ended with {ran.returncode}: {why}"
                )
                return
            changes: dict[bytes, Entry | None] = dict.fromkeys(held)
            for place in sorted(p for p in root.rglob("*") if p.is_file() and not p.is_symlink()):
                path = str(place.relative_to(root)).encode(errors="surrogateescape")
                mode = held[path].mode if path in held else FILE
                changes[path] = Entry(mode, repository.write_blob(place.read_bytes()))
        tree = repository.write_tree(healthy.replacing(changes))
        yield Proposal(strategy=self.name, level=self.level, tree=tree)


def wiggled(versions: Versions) -> Merged:
    """``wiggle -m --no-ignore``: words where lines clash; without the option it passes over what it holds for done."""
    with tempfile.TemporaryDirectory(prefix="bench-wiggle-") as folder:
        sides = [Path(folder) / name for name in ("modern", "after", "before")]
        for place, content in zip(sides, (versions.modern, versions.after, versions.before), strict=True):
            place.write_bytes(content)
        try:
            ran = _run(["wiggle", "-m", "--no-ignore", *map(str, sides)], b"")
        except subprocess.TimeoutExpired as late:
            raise Unmergeable(f"wiggle took more than {_SECONDS} s") from late
    if ran.returncode:
        raise Unmergeable(f"wiggle leaves conflicts (it ended with {ran.returncode})")
    return Merged(ran.stdout, (), 0)


def baselines() -> dict[str, tuple[Strategy, ...]]:
    """Every baseline by name, as a ladder."""
    return {
        "git-apply-R": (ExactReversal(),),
        "git-apply-R-3way": (ApplyThreeWay(),),
        "git-merge": (ThreeWay(),),
        "patch-R": (PatchProgram(),),
        "wiggle": (Merging("wiggle", 2, wiggled),),
        "paper-levels-1-2": strategies(Profile.PAPER, (1, 2)),
    }


def absent() -> Mapping[str, str]:
    """Baselines whose program is not here, and what to install."""
    programs = {"patch-R": "patch", "wiggle": "wiggle"}
    return {name: program for name, program in programs.items() if shutil.which(program) is None}


def _run(command: list[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=_SECONDS
    )
