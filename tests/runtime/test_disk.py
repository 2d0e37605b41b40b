from __future__ import annotations

import os
from pathlib import Path

import pytest

from change2task.runtime.disk import Disk, DiskWatch

MIB = 1 << 20


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def fill(path: Path, size: int) -> None:
    path.write_bytes(os.urandom(size))
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


class TestDiskWatch:
    def test_what_fits_is_fine(self, folder: Path, clock: Clock) -> None:
        watch = DiskWatch([folder], 10 * MIB, clock=clock)
        fill(folder / "file", MIB)
        clock.now = 10
        assert watch.look() is Disk.FINE
        assert watch.last_look() is Disk.FINE

    def test_excess_is_found_over_all_folders_together(self, folder: Path, tmp_path: Path, clock: Clock) -> None:
        watch = DiskWatch([folder, tmp_path / "other"], 3 * MIB, clock=clock)
        (tmp_path / "other/below").mkdir(parents=True)
        fill(folder / "file", 2 * MIB)
        fill(tmp_path / "other/below/file", 2 * MIB)
        clock.now = 10
        assert watch.look() is Disk.OVER_LIMIT

    def test_what_was_there_before_counts(self, folder: Path, clock: Clock) -> None:
        fill(folder / "file", 4 * MIB)
        watch = DiskWatch([folder], 3 * MIB, clock=clock)
        clock.now = 10
        assert watch.look() is Disk.OVER_LIMIT

    def test_a_sudden_loss_of_free_space_is_looked_into_at_once(self, folder: Path, clock: Clock) -> None:
        watch = DiskWatch([folder], 30 * MIB, clock=clock)
        fill(folder / "file", 40 * MIB)
        assert watch.look() is Disk.OVER_LIMIT

    def test_links_out_are_not_followed(self, folder: Path, tmp_path: Path, clock: Clock) -> None:
        (tmp_path / "outside").mkdir()
        fill(tmp_path / "outside/file", 8 * MIB)
        (folder / "link").symlink_to(tmp_path / "outside")
        watch = DiskWatch([folder], 4 * MIB, clock=clock)
        clock.now = 10
        assert watch.look() is Disk.FINE

    def test_a_nearly_full_host_is_the_hosts_fault(self, folder: Path, clock: Clock) -> None:
        watch = DiskWatch([folder], 10 * MIB, reserve=1 << 62, clock=clock)
        assert watch.look() is Disk.HOST_FULL
        assert str(folder) in watch.sentence()

    def test_a_nearly_full_host_is_the_commands_fault_if_its_folders_hold_too_much(
        self, folder: Path, clock: Clock
    ) -> None:
        fill(folder / "file", 4 * MIB)
        watch = DiskWatch([folder], 3 * MIB, reserve=1 << 62, clock=clock)
        assert watch.look() is Disk.OVER_LIMIT

    def test_without_writable_folders_there_is_nothing_to_watch(self, clock: Clock) -> None:
        watch = DiskWatch([], 1, reserve=1 << 62, clock=clock)
        assert (watch.look(), watch.last_look()) == (Disk.FINE, Disk.FINE)

    def test_a_removed_folder_is_no_fault(self, folder: Path, clock: Clock) -> None:
        watch = DiskWatch([folder], MIB, clock=clock)
        folder.rmdir()
        clock.now = 10
        assert watch.look() is Disk.FINE
