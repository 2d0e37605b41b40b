"""All gates over one proposed task state, cheapest first, stopping at the first refusal.

Scope, syntax and footprint need no run. Then the targets alone on the task state, since most bad proposals fail
there; then regression from the agent's tree, the roles of what fails, and at last every repeat of the task and
restored states on fresh trees. Trying the next proposal after a refusal is left to the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from change2task.api.fidelity import Fidelity
from change2task.api.reasons import Reason
from change2task.checks.naming import TestName
from change2task.checks.passes import ASKED_OF_THE_BASE, PassOrder, PassRecord, PassRunner, perturbation
from change2task.checks.roles import Role, RoleVerdict
from change2task.construct.hiding import NotHidable, hide
from change2task.construct.models import Proposal
from change2task.construct.patches import InverseNotExact, TaskPatches, derive
from change2task.history.profile import profile_of
from change2task.patch.paths import quote, unquote
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import language_of
from change2task.validate import dangling, fidelity, lifecycle, oracles, rounds, scope
from change2task.validate.case import Case
from change2task.validate.lifecycle import Expectation, Observation, State
from change2task.validate.parents import BrokenByHiding, classify
from change2task.validate.rounds import Selection, StateTrees
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository


@dataclass
class Qualification:
    """What the gates said of one proposal, and what came of it as far as they let it."""

    gates: list[Verdict] = field(default_factory=list)
    fidelity: Fidelity | None = None
    patches: TaskPatches | None = None
    targets: tuple[str, ...] = ()
    observers: tuple[str, ...] = ()
    regression: tuple[str, ...] = ()
    hidden_regression: tuple[str, ...] = ()
    hidden_files: dict[str, str] = field(default_factory=dict)
    roles: tuple[RoleVerdict, ...] = ()
    runs: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The last gate's word: a refusal, or the pass of the last gate."""
        return self.gates[-1]

    @property
    def summary(self) -> str:
        """One sentence on what decided: the refusal, or what every run and the fidelity showed."""
        if not self.accepted:
            return self.verdict.message
        lifecycle_gates = [gate for gate in self.gates if gate.gate == lifecycle.GATE]
        return f"{lifecycle_gates[-1].message}; {self.verdict.message}"

    @property
    def accepted(self) -> bool:
        """Whether every gate passed."""
        return bool(self.gates) and all(gate.passed for gate in self.gates)


class _Refused(Exception):
    """A gate refused; its verdict is already noted."""


def qualify(repository: Repository, runner: PassRunner, case: Case, proposal: Proposal) -> Qualification:
    """Run the gates over ``proposal``; raises InfrastructureFault and Cancelled, which are no verdicts."""
    work = _Qualifier(repository, runner, case, proposal.tree)
    try:
        work.static_gates()
        work.screen()
        work.confirm()
    except _Refused:
        pass
    return work.result


class _Qualifier:
    def __init__(self, repository: Repository, runner: PassRunner, case: Case, tree: str) -> None:
        self._repository = repository
        self._runner = runner
        self._case = case
        self._tree = tree
        self.result = Qualification()
        self._beside = rounds.Beside(oracles.readings(repository, case.beside), oracles.scripts(case.beside))

    def static_gates(self) -> None:
        """Scope, syntax and footprint: what can be known without running anything."""
        changed = [c.path for c in self._repository.changed_paths(self._case.healthy_tree, self._tree)]
        self._note(scope.judge([quote(path) for path in changed], self._case.permitted, self._case.roles))
        self._note(self._syntax(changed))
        self._note(self._dangling(changed))
        restoration = self._repository.diff(self._tree, self._case.healthy_tree)
        modern = profile_of(
            restoration,
            lambda path: self._content(self._tree, path),
            lambda path: self._content(self._case.healthy_tree, path),
            targets=self._case.source_profile.target_checks,
            regressions=self._case.source_profile.regression_checks,
        )
        self._modern = modern
        self.result.fidelity = fidelity.measure(self._case.source_profile, modern)
        self._note(fidelity.footprint(self.result.fidelity))

    def screen(self) -> None:
        """Targets alone, then regression on the agent's tree, then the roles of what fails there."""
        mapped = self._case.tests.ids
        first = rounds.observe_beside(self._runner, State.TASK, 0, self._tree, self._beside)
        if first.fault is None and mapped:
            order = PassOrder(tree=self._tree, ids=mapped, perturbation=perturbation(0), label="task-screen-targets")
            record = rounds.run_settled(self._runner, order)
            self._note_fault(record, State.TASK)
            told = {check: rounds.told(record.suite, check)[0] for check in mapped}
            first = first.replacing(outcomes={**first.outcomes, **told})
        candidates = tuple(dict.fromkeys((*mapped, *self._beside_ids("target"))))
        failing = tuple(check for check in candidates if first.fails(check))
        expected = Expectation(
            targets=self._demanded(candidates, failing),
            required=self._required(),
            regression=self._beside_ids("regression"),
            demand=self._case.demand,
        )
        self._note(lifecycle.judge_task_state(expected, [first]))
        self.result.targets = failing
        self._hide_and_screen_regression()

    def confirm(self) -> None:
        """Every repeat of the task and restored states, the whole lifecycle verdict, then fidelity in full."""
        result, case = self.result, self._case
        agent_tree = self._agent_tree()
        try:
            result.patches = derive(self._repository, case.healthy_tree, self._tree, agent_tree)
        except InverseNotExact as error:
            self._note(refused("inverse", Reason.INVERSE_NOT_EXACT, str(error)))
            return
        restored_open = self._repository.apply(agent_tree, result.patches.restoration)
        selection = self._selection()
        task = StateTrees(full=self._tree, open=agent_tree)
        restored = StateTrees(full=case.healthy_tree, open=restored_open)
        beside = rounds.observe_healthy(self._runner, case.healthy_tree, case.healthy_repeats, self._beside)
        observed = rounds.from_inventory(case.healthy, selection, beside[:ASKED_OF_THE_BASE])
        healthy = StateTrees(full=case.healthy_tree, open=case.healthy_tree)
        for repeat in range(ASKED_OF_THE_BASE, case.healthy_repeats):
            observed.append(rounds.observe(self._runner, State.HEALTHY, repeat, healthy, selection, self._beside))
        for repeat in range(case.task_repeats):
            observed.append(rounds.observe(self._runner, State.TASK, repeat, task, selection, self._beside))
            self._stop_early(observed)
        for repeat in range(case.healthy_repeats):
            observed.append(rounds.observe(self._runner, State.RESTORED, repeat, restored, selection, self._beside))
        result.runs = rounds.evidence(observed, selection)
        self._note(lifecycle.judge(self._expectation(), observed))
        self._judge_fidelity()

    def _hide_and_screen_regression(self) -> None:
        result = self.result
        for _ in range(2):
            agent_tree = self._agent_tree()
            ids = self._open_regression()
            if not ids:
                self._note(
                    refused(
                        lifecycle.GATE,
                        Reason.NO_REGRESSION_CHECKS,
                        "no regression check is left beside the hidden ones",
                    )
                )
            order = PassOrder(tree=agent_tree, ids=ids, perturbation=perturbation(0), label="task-screen-regression")
            record = rounds.run_settled(self._runner, order)
            self._note_fault(record, State.TASK)
            self._note_load(record, ids)
            failing = [check for check in ids if rounds.told(record.suite, check)[0] != "passed"]
            if not failing:
                break
            roles = self._roles(failing, record)
            result.roles = (*result.roles, *roles)
            broken = [role for role in roles if role.role is Role.REGRESSION]
            if broken:
                shown = "; ".join(f"{role.id} ({role.why})" for role in broken[:3])
                more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
                self._note(
                    refused(
                        lifecycle.GATE,
                        Reason.REGRESSION_BROKE,
                        f"{len(broken)} of {len(ids)} regression checks fail on the task state: {shown}{more}",
                        broken=[role.document() for role in broken],
                        signatures={r.id: rounds.told(record.suite, r.id)[1] for r in broken[: lifecycle.NAMED]},
                    )
                )
            result.observers = tuple(sorted({*result.observers, *failing}))
        result.regression = self._open_regression()
        result.hidden_regression = self._hidden_regression()

    def _agent_tree(self) -> str:
        hidden: dict[str, set[str]] = {}
        for check in (*self.result.targets, *self.result.observers):
            if check not in self._case.healthy:
                continue
            name = self._case.naming.name(check)
            for path in oracles.files_of(self._repository, self._tree, name, self._case.naming):
                hidden.setdefault(quote(path), set()).add(name.function)
        for folder, function in self._case.unhealthy_own:
            for path in oracles.files_of(
                self._repository, self._tree, TestName(folder, function, ""), self._case.naming
            ):
                hidden.setdefault(quote(path), set()).add(function)
        names = {path: frozenset(functions) for path, functions in hidden.items()}
        try:
            outcome = hide(self._repository, self._tree, names, self._earlier_forms(hidden))
        except NotHidable as error:
            raise self._refusal("hiding", Reason.TARGETS_NOT_HIDABLE, str(error)) from error
        self.result.hidden_files = outcome.files
        return outcome.tree

    def _roles(self, failing: list[str], record: PassRecord) -> tuple[RoleVerdict, ...]:
        stated = [check for check in failing if check in self._case.stated_regression]
        others = [check for check in failing if check not in self._case.stated_regression]
        forced = (RoleVerdict(id=check, role=Role.REGRESSION, why="stated as regression") for check in stated)
        try:
            told = classify(self._repository, self._runner, self._case, self._tree, others, record.suite)
        except BrokenByHiding as error:
            raise self._refusal("hiding", Reason.TARGETS_NOT_HIDABLE, str(error)) from error
        return (*forced, *told)

    def _earlier_forms(self, hidden: dict[str, set[str]]) -> dict[str, str | None]:
        forms: dict[str, str | None] = {}
        for path in hidden:
            earlier = self._case.test_paths.get(path)
            entry = None if earlier is None else self._repository.entry(self._case.before_tree, unquote(earlier))
            forms[path] = None if entry is None else entry.oid
        return forms

    def _hidden_places(self) -> frozenset[tuple[str, str]]:
        naming = self._case.naming
        return frozenset(naming.name(check).place for check in (*self.result.targets, *self.result.observers))

    def _open_regression(self) -> tuple[str, ...]:
        places, naming = self._hidden_places(), self._case.naming
        return tuple(sorted(c for c in self._case.healthy if naming.name(c).place not in places))

    def _hidden_regression(self) -> tuple[str, ...]:
        places, naming = self._hidden_places(), self._case.naming
        named = {*self.result.targets, *self.result.observers}
        return tuple(sorted(c for c in self._case.healthy - named if naming.name(c).place in places))

    def _selection(self) -> Selection:
        run = (*self.result.targets, *self.result.observers, *self.result.hidden_regression)
        return Selection(
            hidden=tuple(sorted(check for check in run if check in self._case.healthy)), open=self.result.regression
        )

    def _expectation(self) -> Expectation:
        beside = self._beside_ids("regression")
        return Expectation(
            targets=self._demanded((*self._case.tests.ids, *self.result.targets), self.result.targets),
            required=self._required(),
            observers=self.result.observers,
            regression=(*self.result.regression, *self.result.hidden_regression, *beside),
            demand=self._case.demand,
        )

    def _required(self) -> tuple[str, ...]:
        return tuple(sorted(self._case.stated_targets))

    def _beside_ids(self, role: str) -> tuple[str, ...]:
        return tuple(check.id for check in self._case.beside if check.role == role)

    def _demanded(self, candidates: tuple[str, ...], failing: tuple[str, ...]) -> tuple[str, ...]:
        """Under ``any`` the targets are those that fail and those stated; under ``all`` every mapped one is."""
        each = tuple(dict.fromkeys(candidates))
        if self._case.demand is lifecycle.Demand.ALL or not failing:
            return each
        return tuple(check for check in each if check in failing or check in self._case.stated_targets)

    def _judge_fidelity(self) -> None:
        naming = self._case.naming
        functions = {naming.name(check).place for check in self.result.targets} & self._case.tests.places
        held = {naming.name(check).place for check in (*self.result.regression, *self.result.hidden_regression)}
        modern = self._modern.replacing(
            target_checks=len(functions), regression_checks=len(held & self._case.historical_regression)
        )
        self.result.fidelity = fidelity.measure(self._case.source_profile, modern)
        self._note(fidelity.judge(self.result.fidelity))

    def _stop_early(self, observed: list[Observation]) -> None:
        """One repeat of the task state that is wrong decides; the restored state need not be run."""
        tasks = [o for o in observed if o.state is State.TASK]
        verdict = lifecycle.judge_task_state(self._expectation(), tasks)
        if not verdict.passed:
            self.result.runs = rounds.evidence(observed, self._selection())
            self._note(verdict)

    def _syntax(self, changed: list[bytes]) -> Verdict:
        for path in changed:
            after = self._content(self._tree, path)
            if after is None:
                continue
            language = language_of(path, after[:256])
            if language is None:
                continue
            faults = new_syntax_errors(language, self._content(self._case.healthy_tree, path) or b"", after)
            if faults:
                return refused(
                    "syntax",
                    Reason.SYNTAX_BROKEN,
                    f"{quote(path)}, line {faults[0].line}: {faults[0].text!r} does not parse",
                )
        return passed("syntax", Reason.VALIDATED, f"{len(changed)} files parse")

    def _dangling(self, changed: list[bytes]) -> Verdict:
        def contents(tree: str, paths: Iterable[bytes]) -> dict[bytes, bytes]:
            found = ((path, self._content(tree, path)) for path in paths)
            return {path: content for path, content in found if content is not None}

        others = [path for path in map(unquote, self._case.sources) if path not in set(changed)]
        return dangling.judge(
            contents(self._case.healthy_tree, changed), contents(self._tree, changed), contents(self._tree, others)
        )

    def _content(self, tree: str, path: bytes) -> bytes | None:
        entry = self._repository.entry(tree, path)
        return None if entry is None else self._repository.blob(entry.oid)

    def _note_fault(self, record: PassRecord, state: State) -> None:
        fault = rounds.fault_of(record)
        if fault is not None:
            reason = Reason.RESULTS_FORGED if fault[0] == "forged" else Reason.HARNESS_CRASHED
            self._note(refused(lifecycle.GATE, reason, f"{state.value} state, twice: {fault[1]}"))

    def _note_load(self, record: PassRecord, ids: tuple[str, ...]) -> None:
        suite = record.suite
        if any(check in suite.results for check in ids):
            return
        why = suite.message or next((e.signature for e in suite.collection_errors), "no regression check was collected")
        self._note(refused(lifecycle.GATE, Reason.TASK_STATE_DOES_NOT_LOAD, f"no regression check ran: {why}"))

    def _refusal(self, gate: str, reason: Reason, message: str) -> _Refused:
        self.result.gates.append(refused(gate, reason, message))
        return _Refused()

    def _note(self, verdict: Verdict) -> None:
        self.result.gates.append(verdict)
        if not verdict.passed:
            raise _Refused
