from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from change2task.runtime.output import BoundedLog


def logged(path: Path, limit: int, pieces: list[bytes]) -> tuple[bytes, bool]:
    with BoundedLog(path, limit) as log:
        for piece in pieces:
            log.feed(piece)
        log.close()
        return path.read_bytes(), log.truncated


class TestBoundedLog:
    @given(st.lists(st.binary(max_size=30), max_size=20), st.integers(2, 60))
    def test_keeps_the_beginning_and_the_end_and_counts_what_is_missing(
        self, tmp_path_factory: object, pieces: list[bytes], limit: int
    ) -> None:
        path = Path(tmp_path_factory.mktemp("log")) / "log"  # type: ignore[attr-defined]
        whole = b"".join(pieces)
        content, truncated = logged(path, limit, pieces)
        assert truncated == (len(whole) > limit)
        if truncated:
            head, tail = limit // 2, limit - limit // 2
            note = b"\n[%d bytes of output left out here]\n" % (len(whole) - limit)
            assert content == whole[:head] + note + whole[-tail:]
        else:
            assert content == whole

    def test_the_beginning_is_in_the_file_while_the_command_still_runs(self, tmp_path: Path) -> None:
        with BoundedLog(tmp_path / "log", 100) as log:
            log.feed(b"first words")
            assert (tmp_path / "log").read_bytes() == b"first words"

    def test_remembers_the_first_words_for_messages(self, tmp_path: Path) -> None:
        with BoundedLog(None, 2) as log:
            log.feed(b"bwrap: ")
            log.feed(b"no permission")
            assert log.start == b"bwrap: no permission"

    def test_a_great_many_small_pieces_stay_small_in_memory(self) -> None:
        with BoundedLog(None, 1000) as log:
            for _ in range(100_000):
                log.feed(b"x" * 10)
            assert len(log._tail) == 500
