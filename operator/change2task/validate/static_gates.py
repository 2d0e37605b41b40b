"""The gates that need no run: scope, syntax, what is left dangling, and the footprint."""

from __future__ import annotations

from collections.abc import Iterable

from change2task.api.fidelity import ChangeProfile
from change2task.api.reasons import Reason
from change2task.construct.standing import standing
from change2task.history.profile import profile_of
from change2task.patch.paths import quote, unquote
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import language_of
from change2task.validate import dangling, fidelity, scope
from change2task.validate.case import Case
from change2task.validate.qualification import Qualification
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository

SYNTAX = "syntax"


def static_gates(repository: Repository, case: Case, task_tree: str, result: Qualification) -> ChangeProfile:
    """Note the gates' answers; gives the restoration's profile, whose check counts are still the source's own."""
    trees = _Trees(repository, case, task_tree)
    changed = [change.path for change in repository.changed_paths(case.healthy_tree, task_tree)]
    result.note(scope.judge([quote(path) for path in changed], case.permitted, case.roles))
    result.note(_syntax(trees, changed))
    result.note(_dangling(trees, changed))
    modern = profile_of(
        repository.diff(task_tree, case.healthy_tree),
        trees.task,
        trees.healthy,
        targets=case.source_profile.target_checks,
        regressions=case.source_profile.regression_checks,
    )
    result.fidelity = fidelity.measure(case.source_profile, modern)
    result.note(fidelity.footprint(result.fidelity))
    return modern


class _Trees:
    def __init__(self, repository: Repository, case: Case, task_tree: str) -> None:
        self.repository, self.case, self._task_tree = repository, case, task_tree

    def task(self, path: bytes) -> bytes | None:
        return self._content(self._task_tree, path)

    def healthy(self, path: bytes) -> bytes | None:
        return self._content(self.case.healthy_tree, path)

    def _content(self, tree: str, path: bytes) -> bytes | None:
        return self.repository.file(tree, path)


def _syntax(trees: _Trees, changed: list[bytes]) -> Verdict:
    for path in changed:
        after = trees.task(path)
        language = None if after is None else language_of(path, after[:256])
        if after is None or language is None:
            continue
        faults = new_syntax_errors(language, trees.healthy(path) or b"", after)
        if faults:
            message = f"{quote(path)}, line {faults[0].line}: {faults[0].text!r} does not parse"
            return refused(SYNTAX, Reason.SYNTAX_BROKEN, message)
    return passed(SYNTAX, Reason.VALIDATED, f"{len(changed)} files parse")


def _dangling(trees: _Trees, changed: list[bytes]) -> Verdict:
    case = trees.case
    others = [path for path in map(unquote, case.sources) if path not in set(changed)]
    return dangling.judge(
        _present((path, trees.healthy(path)) for path in changed),
        _present((path, trees.task(path)) for path in changed),
        _present((path, trees.task(path)) for path in others),
        lambda names: standing(trees.repository, case.before_tree, names),
    )


def _present(contents: Iterable[tuple[bytes, bytes | None]]) -> dict[bytes, bytes]:
    return {path: content for path, content in contents if content is not None}
