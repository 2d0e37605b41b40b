"""How a run is watched: a live display on a terminal, log lines elsewhere, never both; logs are kept within bounds."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from change2task.cli.output import columns_that_fit
from change2task.corpus import housekeeping
from tests.support.terminals import on_terminal
from tests.support.world import World, base, candidate, documents

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LINE = re.compile(r"\[(debug|info|warning|error) *\]")
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
CURSOR = "\x1b[?25l"


@pytest.fixture
def words(world: World, tmp_path: Path) -> tuple[str | Path, ...]:
    """A short run with something to do."""
    manifest = tmp_path / "short.yaml"
    manifest.write_text(
        documents(base(), candidate("again", world.change("untested")), candidate("doc", world.change("docs")))
    )
    return ("run", manifest, *world.mirror, "--store", world.copy(tmp_path))


def test_on_a_terminal_there_is_a_display_and_no_log_line(world: World, tmp_path: Path, words: tuple[str, ...]) -> None:
    code, sent = on_terminal(*words, env=world.env, cwd=tmp_path)
    assert code == 0, sent
    assert CURSOR in sent
    assert "0 of 2 candidates, 0 accepted" in sent
    assert re.search(r"NoSourceChange\S* \S*candidate \S*doc", sent)
    assert not LINE.search(SEQUENCE.sub("", sent))
    assert COLOUR.search(sent)
    shown = sent[sent.rindex("CANDIDATE") :]
    assert "again" in shown
    assert CURSOR not in shown, "the display is gone when the answer comes"


@pytest.mark.parametrize("how", [{"-v": ""}, {"TERM": "dumb"}], ids=["-v", "dumb terminal"])
def test_where_lines_are_wanted_or_nothing_can_be_redrawn_there_is_no_display(
    world: World, tmp_path: Path, words: tuple[str, ...], how: dict[str, str]
) -> None:
    asked = [name for name in how if name.startswith("-")]
    env = {**world.env, **{name: value for name, value in how.items() if name not in asked}}
    code, sent = on_terminal(*words, *asked, env=env, cwd=tmp_path)
    assert code == 0, sent
    assert CURSOR not in sent
    assert LINE.search(SEQUENCE.sub("", sent))


def test_colours_are_left_out_when_they_are_not_wanted(world: World, tmp_path: Path, words: tuple[str, ...]) -> None:
    for asked in ((), ("-v",)):
        _, sent = on_terminal(*words, *asked, env={**world.env, "NO_COLOR": "1"}, cwd=tmp_path)
        assert not COLOUR.search(sent)


def test_elsewhere_there_are_lines_without_colour_and_answers_alone_on_standard_output(
    world: World, tmp_path: Path, words: tuple[str, ...]
) -> None:
    ended = world.run(*words, cwd=tmp_path)
    assert "\x1b" not in ended.out + ended.err
    assert all(LINE.search(line) for line in ended.err.splitlines()), ended.err
    assert not LINE.search(ended.out)
    assert "[debug" not in ended.err


def test_with_v_commands_are_shown_and_a_log_is_kept_of_them_in_any_case(
    world: World, tmp_path: Path, words: tuple[str, ...]
) -> None:
    quiet = world.run(*words, cwd=tmp_path)
    assert "run.sh" not in quiet.err
    logs = sorted((Path(words[-1]) / "cache/logs/runs").iterdir())
    assert re.search(r"command .*line='/bin/sh /c2t/plan/run\.sh'", logs[-1].read_text())
    assert "pass.kept" in logs[-1].read_text()
    (Path(words[-1]) / "candidates/again.yaml").unlink()
    loud = world.run(*words, "-v", cwd=tmp_path)
    assert re.search(r"command .*line='/bin/sh /c2t/plan/run\.sh'", loud.err)


def test_a_long_verdict_is_cut_on_the_console_and_whole_in_the_log_and_in_its_explanation(
    world: World, tmp_path: Path
) -> None:
    manifest = tmp_path / "long.yaml"
    change = world.change("untested")
    stated = [{"id": f"tests/test_{'long' * 150}.py::test_x"}]
    manifest.write_text(documents(base(), candidate("again", change, checks=stated)))
    store = world.copy(tmp_path)
    ended = world.run("run", manifest, *world.mirror, "--store", store, "-v", cwd=tmp_path)
    [line] = [line for line in ended.err.splitlines() if "] ended " in line and "name=again" in line]
    said = world.stored("candidates", "again", store)["status"]["message"]
    assert len(said) > 400
    assert said[:290] in line
    assert said[:310] not in line
    assert line.endswith(("…'", '…"'))
    assert said in sorted((store / "cache/logs/runs").iterdir())[-1].read_text()
    assert said in world.run("explain", "again", "--store", store).out


@pytest.mark.parametrize("columns", [40, 80])
def test_on_a_narrow_terminal_names_and_verdicts_stay_whole(
    world: World, tmp_path: Path, words: tuple[str, ...], columns: int
) -> None:
    code, sent = on_terminal(*words, env={**world.env, "NO_COLOR": "1"}, cwd=tmp_path, columns=columns)
    assert code == 0, sent
    shown = [line.split() for line in SEQUENCE.sub("", sent[sent.rindex("CANDIDATE") :]).splitlines()]
    assert "VERDICT" in shown[0]
    assert [row[0] for row in shown[1:3]] == ["again", "doc"]
    assert all("rejected" in row for row in shown[1:3])


def test_columns_are_left_out_least_needed_first() -> None:
    row = {
        title: title.lower()
        for title in ("CANDIDATE", "CHANGE", "FAMILY", "LEVEL", "STRATEGY", "VERDICT", "REASON", "SECONDS")
    }
    assert columns_that_fit([row], 200) == tuple(row)
    assert columns_that_fit([row], 60) == ("CANDIDATE", "CHANGE", "FAMILY", "LEVEL", "VERDICT", "REASON", "SECONDS")
    assert columns_that_fit([row], 45) == ("CANDIDATE", "FAMILY", "VERDICT", "REASON", "SECONDS")
    assert columns_that_fit([row], 10) == ("CANDIDATE", "VERDICT", "REASON")


def test_what_tests_print_is_kept_for_whoever_asks_why(world: World) -> None:
    kept = world.store / "cache/logs/candidates/fix"
    assert "AssertionError: assert 'abcd' == 'abc~'" in (kept / "task-screen-targets.log").read_text()


def test_logs_and_journals_are_kept_within_bounds_newest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "RUN_LOGS", 2)
    monkeypatch.setattr(housekeeping, "FOLDERS", 3)
    monkeypatch.setattr(housekeeping, "FOLDER_BYTES", 250)
    monkeypatch.setattr(housekeeping, "JOURNALS", 1)
    for place, count in (("logs/runs", 4), ("logs/candidates", 5), ("logs/bases", 5), ("journal", 3)):
        for number in range(count):
            entry = tmp_path / place / str(number)
            entry.parent.mkdir(parents=True, exist_ok=True)
            if place == "logs/runs":
                entry.write_text("a run")
            else:
                entry.mkdir()
                (entry / "a.log").write_bytes(b"x" * (100 if place == "logs/candidates" else 1))
            os.utime(entry, (number, number))
    housekeeping.tidy(tmp_path)
    left = {
        place: sorted(path.name for path in (tmp_path / place).iterdir())
        for place in ("logs/runs", "logs/candidates", "logs/bases", "journal")
    }
    assert left == {
        "logs/runs": ["2", "3"],
        "logs/candidates": ["3", "4"],
        "logs/bases": ["2", "3", "4"],
        "journal": ["2"],
    }


def test_a_store_without_a_cache_is_tidy(tmp_path: Path) -> None:
    started = time.monotonic()
    housekeeping.tidy(tmp_path)
    assert time.monotonic() - started < 5
