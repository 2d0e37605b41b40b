"""Answer gate: what the restoration brings may not stand, brought by the same change, in another file the agent sees.

Only sources are undone. A generated copy, a vendored one or a document that the change wrote as well keeps the answer.
Looked at are the files that the change touched, and in them what was not there before it: what anybody else wrote
tells nothing of it. Tests are left to hiding, and copies of other times or other words to nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from change2task.api.reasons import Reason
from change2task.patch.paths import quote
from change2task.validate.case import Case
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

GATE = "answer"
LEAST_LINE = 20
"""Characters of a line, or of a run of shorter ones, below which that it stands twice may be chance."""
_LARGEST = 2 << 20
_Run = tuple[str, ...]


def judge(repository: Repository, case: Case, task_tree: str, agent_tree: str) -> Verdict:
    """Refuse where a file of the agent's tree holds lines of the restoration that the change wrote there."""
    undone = {change.path for change in repository.changed_paths(task_tree, case.healthy_tree)}
    runs = [
        run
        for path in sorted(undone)
        for run in _added(_lines(repository, task_tree, path), _lines(repository, case.healthy_tree, path))
    ]
    looked = 0
    for change in repository.changed_paths(case.before_tree, case.after_tree):
        if change.path in undone or quote(change.path) in case.test_files:
            continue
        now = _lines(repository, agent_tree, change.path)
        before = _lines(repository, case.before_tree, change.path)
        looked += bool(now)
        for line in _shared(runs, now, before):
            if _stands(repository, case.before_tree, line):
                continue
            return refused(
                GATE,
                Reason.ANSWER_VISIBLE,
                f"{quote(change.path)}, which the change touched too and which is not undone, holds {line[:200]!r} of"
                " the restoration; name it in the base's scope.source if it is written by hand",
            )
    return passed(GATE, Reason.VALIDATED, f"none of {looked} other files of the change holds the restoration")


def _added(before: Sequence[str], after: Sequence[str]) -> Iterator[_Run]:
    for tag, _, _, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in {"insert", "replace"}:
            yield tuple(after[start:end])


def _shared(runs: Sequence[_Run], now: Sequence[str], before: Sequence[str]) -> Iterator[str]:
    """Long lines that both hold and the file did not hold before; the longest line of a run that stands there whole."""
    there, known = frozenset(now), frozenset(before)
    for run in runs:
        yield from (line for line in run if len(line) >= LEAST_LINE and line in there - known)
        if len(run) > 1 and sum(map(len, run)) >= LEAST_LINE and _holds(now, run) and not _holds(before, run):
            yield max(run, key=len)


def _holds(lines: Sequence[str], run: _Run) -> bool:
    return any(tuple(lines[at : at + len(run)]) == run for at in range(len(lines) - len(run) + 1))


def _stands(repository: Repository, tree: str, line: str) -> bool:
    """Whether a long line stood anywhere before the change; a short one tells nothing alone."""
    if len(line) < LEAST_LINE:
        return False
    paths: Collection[bytes] = repository.tree(tree)
    return any(line in _lines(repository, tree, path) for path in paths)


def _lines(repository: Repository, tree: str, path: bytes) -> tuple[str, ...]:
    """The lines that are not blank, blanks in them made one; none of a file that is no file or beyond 2 MiB."""
    entry = repository.entry(tree, path)
    if entry is None or entry.mode not in {FILE, EXECUTABLE}:
        return ()
    content = repository.blob(entry.oid)
    if len(content) > _LARGEST:
        return ()
    rows = (" ".join(row.split()) for row in content.decode("utf-8", "replace").splitlines())
    return tuple(row for row in rows if row)
