from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from change2task.runtime.launch import exit_or_signal
from change2task.runtime.models import Command, Layout, Limits, Mount, Outcome


def command(**changes: object) -> Command:
    fields: dict[str, object] = {"argv": ("true",), "cwd": "/c2t/work", "limits": Limits(seconds=1), **changes}
    return Command.model_validate(fields)


class TestCommand:
    @pytest.mark.parametrize("cwd", ["work", "", "/c2t/../etc", "/c2t//work", "/c2t/work/", "/c2t/./work", "/a\0b"])
    def test_refuses_a_folder_that_is_no_plain_absolute_path(self, cwd: str) -> None:
        with pytest.raises(ValidationError, match="cwd"):
            command(cwd=cwd)

    def test_refuses_nothing_to_run(self) -> None:
        with pytest.raises(ValidationError, match="argv"):
            command(argv=())

    @pytest.mark.parametrize(
        "words", [{"argv": ("a\0b",)}, {"env": {"A": "b\0"}}, {"env": {"A=B": "c"}}, {"env": {"": "x"}}]
    )
    def test_refuses_words_no_process_can_be_given(self, words: dict[str, object]) -> None:
        with pytest.raises(ValidationError):
            command(**words)

    def test_refuses_two_mounts_at_one_place(self) -> None:
        mounts = (Mount(source=Path("/a"), target="/x"), Mount(source=Path("/b"), target="/x"))
        with pytest.raises(ValidationError, match="/x is the target of two mounts"):
            command(mounts=mounts)

    def test_refuses_a_mount_inside_a_writable_one(self) -> None:
        mounts = (Mount(source=Path("/a"), target="/x", writable=True), Mount(source=Path("/b"), target="/x/y"))
        with pytest.raises(ValidationError, match="/x/y lies inside /x"):
            command(mounts=mounts)

    def test_allows_a_mount_inside_a_read_only_one(self) -> None:
        mounts = (Mount(source=Path("/a"), target="/x"), Mount(source=Path("/b"), target="/x/y", writable=True))
        assert len(command(mounts=mounts).mounts) == 2

    @pytest.mark.parametrize("target", ["/", "/proc", "/proc/sys", "/dev/shm", "relative"])
    def test_refuses_mounts_at_places_of_the_sandbox(self, target: str) -> None:
        with pytest.raises(ValidationError, match="target"):
            Mount(source=Path("/a"), target=target)


class TestLimits:
    @pytest.mark.parametrize("name", ["seconds", "memory_bytes", "processes", "disk_bytes", "output_bytes"])
    def test_are_positive(self, name: str) -> None:
        with pytest.raises(ValidationError):
            Limits.model_validate({"seconds": 1, name: 0})


class TestOutcome:
    def test_succeeds_only_by_itself_with_zero_on_a_healthy_machine(self) -> None:
        assert Outcome(exit_code=0, seconds=1).succeeded
        assert not Outcome(exit_code=1, seconds=1).succeeded
        assert not Outcome(exit_code=0, seconds=1, stopped_by="disk").succeeded
        assert not Outcome(exit_code=0, seconds=1, infrastructure="the disk is full").succeeded

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            (0, (0, None)),
            (1, (1, None)),
            (128, (128, None)),
            (137, (None, 9)),
            (-9, (None, 9)),
            (193, (193, None)),
            (255, (255, None)),
        ],
    )
    def test_a_signal_is_told_alike_by_shells_and_sandboxes(
        self, code: int, told: tuple[int | None, int | None]
    ) -> None:
        assert exit_or_signal(code) == told


class TestLayout:
    def test_is_the_same_everywhere_or_below_a_real_folder(self, tmp_path: Path) -> None:
        assert Layout.fixed().work == "/c2t/work"
        assert Layout.below(tmp_path).results == str(tmp_path / "results")
