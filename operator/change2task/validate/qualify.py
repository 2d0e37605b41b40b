"""All gates over one proposed task state, cheapest first, stopping at the first refusal.

Scope, syntax, dangling names and footprint need no run. Then screening, copies of the answer, the statement's names,
the proved inverse, every repeat, and at last what the checks would notice. Trying the next proposal after a refusal is
left to the pipeline.
"""

from __future__ import annotations

from change2task.api.fidelity import ChangeProfile
from change2task.api.reasons import Reason
from change2task.checks.passes import PassRunner
from change2task.construct.models import Proposal
from change2task.construct.patches import InverseNotExact, TaskPatches, derive
from change2task.validate import interface, oracles, solution, strength, visible
from change2task.validate.case import Case
from change2task.validate.confirming import confirm, judge_fidelity
from change2task.validate.qualification import Qualification, Refused
from change2task.validate.rounds import Beside, StateTrees
from change2task.validate.screening import screen_regression, screen_targets
from change2task.validate.static_gates import static_gates
from change2task.vcs.repository import Repository

INVERSE = "inverse"


def qualify(repository: Repository, runner: PassRunner, case: Case, proposal: Proposal) -> Qualification:
    """Run the gates over ``proposal``; raises InfrastructureFault and Cancelled, which are no verdicts.

    The restored state lacks what was taken out of the agent's tree as naming the change, and a build of that state may
    need it. So where it fails all is tried once more with that left in place, documents that code names before the
    rest; what was refused first stands otherwise.
    """
    first = result = _qualified(repository, runner, case, proposal, Qualification())
    while result.verdict.reason is Reason.RESTORATION_FAILED and (left := result.plainer) is not None:
        result = _qualified(repository, runner, case, proposal, Qualification(left=left))
    return result if result.accepted else first


def _qualified(
    repository: Repository, runner: PassRunner, case: Case, proposal: Proposal, result: Qualification
) -> Qualification:
    beside = Beside(oracles.readings(repository, case.beside), oracles.scripts(case.beside))
    try:
        modern = static_gates(repository, case, proposal.tree, result)
        screen_targets(repository, runner, case, proposal.tree, beside, result)
        agent_tree = screen_regression(repository, runner, case, proposal.tree, result)
        result.note(visible.judge(repository, case, proposal.tree, agent_tree))
        _told(repository, case, proposal.tree, result)
        patches = _patches(repository, case, proposal.tree, agent_tree, result)
        _run_all(repository, runner, case, patches, beside, modern, result)
    except Refused:
        return result
    return result


def _told(repository: Repository, case: Case, task_tree: str, result: Qualification) -> None:
    """Whether the agent is told what hidden checks use, and not the answer; agents who write tests answer to none."""
    answer = solution.answer_of(repository, case.healthy_tree, task_tree, case.statement)
    verdict, statement, result.shared = solution.judge(case.statement, answer)
    result.note(verdict)
    if not case.answers_to_hidden_checks:
        result.statement = statement
        return
    scripts = [text for check in case.beside if check.script for text in check.script.files.values()]
    names = interface.untold(repository, (case.healthy_tree, task_tree), result.hidden_files, scripts)
    verdict, statement = interface.judge(statement, names)
    result.note(verdict)
    result.statement = statement


def _patches(repository: Repository, case: Case, task_tree: str, agent_tree: str, result: Qualification) -> TaskPatches:
    try:
        result.patches = derive(repository, case.healthy_tree, task_tree, agent_tree)
    except InverseNotExact as error:
        raise result.refuse(INVERSE, Reason.INVERSE_NOT_EXACT, str(error)) from error
    return result.patches


def _run_all(
    repository: Repository,
    runner: PassRunner,
    case: Case,
    patches: TaskPatches,
    beside: Beside,
    modern: ChangeProfile,
    result: Qualification,
) -> None:
    task = StateTrees(full=patches.task_tree, open=patches.agent_tree)
    restored_open = repository.apply(patches.agent_tree, patches.restoration)
    restored = StateTrees(full=case.healthy_tree, open=restored_open)
    trial = strength.trial_of(repository, case, patches)
    ahead = strength.ahead(trial, case, beside, result)
    seen = confirm(runner, case, task, restored, beside, result, ahead=ahead)
    judge_fidelity(case, modern, result)
    result.oracle = strength.measure(runner, case, trial, seen, beside, result)
    result.note(strength.judge(result.oracle, case.oracle))
