"""A leak certificate of a real task: sound as it was made, and not with its answer in the environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.pipeline.certificate import certify
from tests.pipeline.conftest import Hand


@pytest.fixture
def healthy(hand: Hand) -> str:
    """The restored state's own form of the file that the fix changed."""
    return hand.world.file(hand.variant("fix").spec.trees.healthy, "toolbox/text.py")


@pytest.fixture
def package(hand: Hand) -> Iterator[Path]:
    """A file of the environment that nobody knows of; gone afterwards."""
    key = hand.variant("fix").spec.base.environment_key
    place = hand.store.cache / "environments" / key / "env" / "toolbox_copy.py"
    yield place
    place.unlink(missing_ok=True)


def test_a_task_as_it_was_made_is_certified(hand: Hand) -> None:
    told = certify(hand.store, hand.base, hand.variant("fix"))
    assert told.sound, told
    assert (told.missed, told.findings) == ((), ())
    assert told.planted
    assert told.looked_for["files"] == 2, "its source, and its hidden test"
    assert "no code and no history" in told.message


def test_the_answer_in_the_environment_is_named_with_its_place(hand: Hand, healthy: str, package: Path) -> None:
    package.write_text(healthy)
    told = certify(hand.store, hand.base, hand.variant("fix"))
    assert not told.sound
    assert [(one.place, one.detail) for one in told.findings] == [
        ("env/toolbox_copy.py", "the whole of toolbox/text.py")
    ]


def test_a_folder_that_the_agent_reads_is_searched_too(hand: Hand, healthy: str, tmp_path: Path) -> None:
    (tmp_path / "solution").mkdir()
    (tmp_path / "solution" / "text.py").write_text(healthy)
    told = certify(hand.store, hand.base, hand.variant("fix"), [tmp_path])
    assert not told.sound
    assert [one.place for one in told.findings] == [f"{tmp_path}/solution/text.py"]


def test_hidden_tests_are_looked_for_too(hand: Hand, tmp_path: Path) -> None:
    """They are the answer where tests are asked for, and hold what is wanted where code is."""
    (tmp_path / "t.py").write_text(hand.world.file(hand.variant("tests").spec.trees.healthy, "tests/test_text.py"))
    for name in ("fix", "tests"):
        told = certify(hand.store, hand.base, hand.variant(name), [tmp_path])
        assert [one.place for one in told.findings] == [f"{tmp_path}/t.py"], name
