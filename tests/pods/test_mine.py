"""The pod that mines: out of the layers of its image, with the miner of ``change2task mine``."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import Mining, ModernBase, ModernBaseSpec
from change2task.checks.passes import InfrastructureFault
from change2task.pipeline.mining import mine as mined_here
from change2task.pipeline.mining_rules import wish_of
from change2task.pipeline.wire import MineInput, MineResult, StepTold
from change2task.pods.mine import mine
from change2task.pods.places import Places
from change2task.pods.saying import say
from change2task.vcs.mirror import ensure_mirror
from tests.history.mining.conftest import fix, project
from tests.support.repos import RepoBuilder

__all__ = ["project"]
URL = "https://forge.example.org/ada/project"
RULES = Mining(limit=2, families=("FeatureAddition", "BugFix"))


@pytest.fixture
def asked(project: RepoBuilder, tmp_path: Path) -> tuple[Places, MineInput]:
    """The folders of a pod whose image holds a history of three fixes and a change of documents."""
    for name in ("one", "two", "three"):
        fix(project, name)
    project.commit({"README.md": "more\n"}, "Say more")
    places = Places(history=tmp_path / "history", ask=tmp_path / "ask", desk=tmp_path / "desk", told=tmp_path / "told")
    ensure_mirror(URL, str(project.path), places.history, wanted=[], depth=None, variables={}).close()
    spec = ModernBaseSpec.model_validate({"repository": {"url": URL}})
    base = ModernBase(metadata=ObjectMeta(name="project"), spec=spec)
    told = MineInput(base=base, commit=project.tip(), rules=RULES)
    for folder in (places.ask, places.desk):
        folder.mkdir()
    (places.ask / "input.json").write_bytes(told.canonical())
    return places, told


def test_it_says_what_the_command_line_says_of_the_same_history(
    asked: tuple[Places, MineInput], project: RepoBuilder, tmp_path: Path
) -> None:
    places, told = asked
    result = mine(places)
    with ensure_mirror(URL, str(project.path), tmp_path / "here", wanted=[], depth=None, variables={}) as repository:
        here = mined_here(repository, told.base, told.commit, *wish_of(RULES))
    assert (result.candidates, result.funnel) == (here.candidates, here.funnel)
    assert len(result.candidates) == 2
    raw, evidence, selection = result.funnel.stages
    assert (raw.entered, evidence.left["docsOnly"], selection.left) == (5, 1, {"beyondLimit": 1})


def test_its_answer_is_said_like_a_steps(asked: tuple[Places, MineInput]) -> None:
    places, _ = asked
    with (places.desk / "log").open("w") as out:
        say(MineResult.model_validate(mine(places)), places, out)
    assert StepTold.model_validate_json(places.told.read_bytes()).done
    assert (places.desk / "log").read_text().startswith("c2t-result")


def test_an_image_of_another_repository_is_a_fault(asked: tuple[Places, MineInput]) -> None:
    places, told = asked
    spec = ModernBaseSpec.model_validate({"repository": {"url": "https://forge.example.org/ada/other"}})
    (places.ask / "input.json").write_bytes(told.replacing(base=told.base.replacing(spec=spec)).canonical())
    with pytest.raises(InfrastructureFault, match="made for another repository"):
        mine(places)


def test_a_commit_that_is_not_there_is_a_fault(asked: tuple[Places, MineInput]) -> None:
    places, told = asked
    (places.ask / "input.json").write_bytes(told.replacing(commit="0" * 40).canonical())
    with pytest.raises(InfrastructureFault, match="cannot be mined"):
        mine(places)
