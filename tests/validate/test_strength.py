"""Oracle strength: what checks notice when a part of the restoration is left out, and what may be asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from change2task.api.fidelity import ChangeProfile
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import OracleDemand
from change2task.api.taskvariant import OracleStrength, Statement
from change2task.checks import mapping
from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord, perturbation
from change2task.checks.results import SuiteResult, TestResult
from change2task.construct.patches import TaskPatches, derive
from change2task.validate import strength
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand, Observation, State
from change2task.validate.qualification import Qualification
from change2task.validate.rounds import Beside
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry, Tree
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder
from tests.support.runners import OneByOne

APART = "".join(f"x{n} = {n}\n" for n in range(8))
TASK = f"def one():\n    return 0\n\n\n{APART}\n\ndef two():\n    return 0\n\n\n{APART}\n\ndef three():\n    return 0\n"
HEALTHY = TASK.replace("one():\n    return 0", "one():\n    return 1").replace(
    "two():\n    return 0", "two():\n    return 2"
)
HEALTHY = HEALTHY.replace("three():\n    return 0", "three():\n    return 3")
PROFILE = ChangeProfile(files=1, hunks=3, lines=6, symbols=3, target_checks=1, regression_checks=1)
TARGET, OLDER = "t.py::test_one", "t.py::test_two"


@dataclass
class Evaluated(OneByOne):
    """Each check is an expression over the tree's one module."""

    repository: Repository
    checks: dict[str, str]
    ran: list[str] = field(default_factory=list)
    foreseen: set[str] = field(default_factory=set)

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        self.foreseen |= {order.label for order in orders}

    def run(self, order: PassOrder) -> PassRecord:
        self.ran.append(order.label)
        entry = self.repository.entry(order.tree, b"pkg.py")
        assert entry is not None
        names: dict[str, Any] = {}
        exec(self.repository.blob(entry.oid), names)
        results = {
            check: TestResult(
                id=check,
                outcome="passed" if eval(self.checks[check], names) else "failed",
                phase="call",
                signature=None,
            )
            for check in order.ids or ()
        }
        suite = SuiteResult(results=results, collected=tuple(results), finished=True, ending="finished", rounds=1)
        return PassRecord(suite=suite, seconds=1)


@dataclass
class Scene:
    repository: Repository
    patches: TaskPatches

    def case(self, **demand: Any) -> Case:
        return Case(
            healthy_tree=self.patches.healthy_tree, before_tree="", after_tree="", permitted=frozenset(), roles={},
            tests=mapping.TestMap(mapped=(), lost=()), healthy=frozenset({TARGET, OLDER}), naming=naming("pytest"),
            demand=Demand.ANY, source_profile=PROFILE,
            historical_regression=frozenset(), introduced=frozenset(), test_paths={},
            statement=Statement(title="t", body="", provenance="title"), oracle=OracleDemand(**demand),
        )  # fmt: skip

    def measured(self, checks: dict[str, str], **demand: Any) -> tuple[OracleStrength | None, list[str]]:
        runner, case, beside = Evaluated(self.repository, checks), self.case(**demand), Beside(lambda _tree: {})
        result = Qualification(targets=(TARGET,), regression=(OLDER,))
        trial = strength.trial_of(self.repository, case, self.patches)
        order = PassOrder(tree=self.patches.task_tree, ids=(TARGET,), perturbation=perturbation(0), label="task")
        seen = {check: one.outcome for check, one in runner.run(order).suite.results.items()}
        task = Observation(state=State.TASK, repeat=0, outcomes=seen)
        runner.ran.clear()
        found = strength.measure(runner, case, trial, task, beside, result)
        ahead = [order.label for order in strength.ahead(trial, case, beside, result)]
        assert runner.ran[: len(ahead)] == ahead, "what comes in any case was said before"
        assert set(runner.ran[len(ahead) :]) <= runner.foreseen, "what came later was said together"
        return found, runner.ran


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    builder = RepoBuilder(tmp_path / "repo")
    builder.commit({"README": b"x\n"})
    repository = Workbench(Repository.open(builder.path), tmp_path / "bench")

    def tree(text: str) -> str:
        return repository.write_tree(Tree({b"pkg.py": Entry(0o100644, repository.write_blob(text.encode()))}))

    return Scene(repository, derive(repository, tree(HEALTHY), tree(TASK), tree(TASK)))


def test_a_part_is_noticed_by_a_target_or_by_a_regression_check_and_else_it_is_named(scene: Scene) -> None:
    found, _ = scene.measured({TARGET: "one() == 1", OLDER: "two() == 2"})
    assert found is not None
    assert (found.parts, found.noticed, found.untried) == (3, 2, 0)
    assert [(part.kind, part.path, part.line) for part in found.unnoticed] == [("hunk", "pkg.py", 30)]


def test_regression_is_asked_only_where_every_hidden_check_passes(scene: Scene) -> None:
    _, ran = scene.measured({TARGET: "one() == 1 and two() == 2 and three() == 3", OLDER: "True"})
    assert len(ran) == 3
    assert all(label.endswith("hidden") for label in ran)


def test_passes_without_different_parts_have_labels_of_their_own(scene: Scene) -> None:
    _, ran = scene.measured({TARGET: "one() == 1", OLDER: "True"})
    assert len(set(ran)) == len(ran)


def test_an_unnoticed_part_that_a_target_waits_for_is_not_idle(scene: Scene) -> None:
    checks = {TARGET: "(one() == 1) + (two() == 2) + (three() == 3) > 0", OLDER: "True"}
    found, _ = scene.measured(checks)
    assert found is not None
    assert [part.idle for part in found.unnoticed] == [False, False, False]
    found, _ = scene.measured({TARGET: "one() == 1", OLDER: "True"})
    assert found is not None
    assert [part.idle for part in found.unnoticed] == [True, True]


def test_of_more_parts_than_may_be_tried_the_largest_are(scene: Scene) -> None:
    found, ran = scene.measured({TARGET: "one() == 1", OLDER: "True"}, parts=1)
    assert found is not None
    assert (found.parts, found.noticed, found.untried, len(ran)) == (1, 1, 2, 1)


def test_where_nothing_is_asked_nothing_runs(scene: Scene) -> None:
    assert scene.measured({TARGET: "True", OLDER: "True"}, parts=0) == (None, [])


@pytest.mark.parametrize(
    ("minimum", "noticed", "reason"),
    [
        (None, 0, Reason.VALIDATED),
        (0.5, 2, Reason.VALIDATED),
        (0.5, 1, Reason.ORACLE_TOO_WEAK),
        (1.0, 4, Reason.VALIDATED),
        (0.0, 0, Reason.VALIDATED),
    ],
)
def test_the_gate_refuses_a_share_below_what_the_candidate_asks(
    minimum: float | None, noticed: int, reason: Reason
) -> None:
    verdict = strength.judge(OracleStrength(parts=4, noticed=noticed), OracleDemand(minimum=minimum))
    assert (verdict.reason, verdict.passed) == (reason, reason is Reason.VALIDATED)


def test_a_share_of_nothing_is_refused_as_a_mistake() -> None:
    with pytest.raises(ValidationError, match="parts: 0 measures none"):
        OracleDemand(parts=0, minimum=0.5)
