"""A refused proposal without the pieces that older tests stand on."""

from __future__ import annotations

import pytest

from change2task.construct.ladder import climb
from change2task.construct.models import Proposal
from change2task.construct.pieces import Pieces
from change2task.construct.strategies.narrowed import MOST_RUNS, Narrowed
from change2task.construct.trials import Rejected, Told

HEALTHY = b"""def first():
    return "new"


def second():
    return "later"


def third():
    log = "new"
    return log
"""
TASK = HEALTHY.replace(b'"new"', b'"old"').replace(b'"later"', b'"old"')


class Reading:
    """Trials whose tests read the file: the target fails unless both ``new`` stand, a test per word that must stand."""

    def __init__(self, scene, proposals, needs, fits=lambda text: True):
        self._scene, self._needs, self._fits = scene, needs, fits
        self.told, self.runs = list(proposals), 0

    def rejected(self):
        return sorted(self.told, key=lambda one: len(one.broken))

    def fits(self, tree):
        return self._fits(self._text(tree))

    def run(self, tree, checks):
        self.runs += 1
        text = self._text(tree)
        return Told(text.count(b'"new"') < 2, frozenset(c for c in checks if self._needs[c] not in text))

    def _text(self, tree):
        return self._scene.files(tree)["m.py"]


@pytest.fixture
def searched(scene):
    """What narrowing proposes for TASK, and the trials it took."""

    def run(needs, task=TASK, **more):
        assignment = scene.assignment({"m.py": b"x\n"}, {"m.py": b"y\n"}, {"m.py": HEALTHY})
        proposal = Proposal(strategy="older-units", level=2, tree=scene.tree({"m.py": task}))
        broken = frozenset(check for check, word in needs.items() if word not in task)
        trials = Reading(scene, [Rejected(proposal, broken)], needs, **more)
        answers = list(climb((Narrowed(),), scene.repository, assignment, trials))
        return [a.why if hasattr(a, "why") else scene.files(a.tree)["m.py"] for a in answers], answers, trials

    return run


def test_the_piece_that_an_older_test_needs_is_left_as_it_is_and_is_told(searched):
    texts, answers, _ = searched({"older": b'"later"'})
    assert texts == [TASK.replace(b'def second():\n    return "old"', b'def second():\n    return "later"')]
    assert answers[0].strategy == "older-units+narrowed"
    assert [r.how for r in answers[0].regions] == ["left as it is, since older tests need it: m.py, line 6"]


def test_pieces_that_two_tests_need_are_found_one_after_the_other(searched):
    texts, _, _ = searched({"older": b'"later"', "log": b'log = "new"'})
    assert texts == [HEALTHY.replace(b'return "new"', b'return "old"')]


def test_nothing_is_proposed_that_the_changes_own_tests_pass(searched):
    texts, _, _ = searched({"older": b'"later"', "all": HEALTHY})
    assert texts == ["older-units: no part of its 3 pieces can stay so that older tests pass"]


def test_no_tree_is_run_that_the_gates_would_refuse_unrun(searched):
    texts, _, trials = searched({"older": b'"later"'}, fits=lambda text: False)
    assert (len(texts), trials.runs) == (1, 0)


def test_runs_are_bounded(searched):
    healthy_lines = HEALTHY.split(b"\n")
    needs = {f"n{n}": b"\n".join(healthy_lines) for n in range(3)}
    _, _, trials = searched(needs)
    assert trials.runs <= MOST_RUNS


def test_without_anybody_who_runs_tests_it_refuses_itself(scene):
    assignment = scene.assignment({"m.py": b"x\n"}, {"m.py": b"y\n"}, {"m.py": HEALTHY})
    assert [a.why for a in climb((Narrowed(),), scene.repository, assignment)] == ["nobody runs trials here"]


def test_without_a_proposal_that_broke_older_tests_there_is_nothing_to_search(scene):
    assignment = scene.assignment({"m.py": b"x\n"}, {"m.py": b"y\n"}, {"m.py": HEALTHY})
    answers = climb((Narrowed(),), scene.repository, assignment, Reading(scene, [], {}))
    assert [a.why for a in answers] == ["no proposal was refused for older tests alone"]


def test_pieces_put_together_are_the_whole_and_none_of_them_is_the_healthy_tree(scene):
    healthy, task = scene.tree({"m.py": HEALTHY, "gone.py": b"a\n"}), scene.tree({"m.py": TASK, "new.py": b"b\n"})
    pieces = Pieces(scene.repository, healthy, task)
    assert [p.where() for p in pieces.all] == ["gone.py", "m.py, line 2", "m.py, line 6", "m.py, line 10", "new.py"]
    assert [p.within for p in pieces.all][1:4] == ["first", "second", "third"]
    assert pieces.without(()) == task
    assert pieces.without(range(5)) == healthy
