"""Results in logs: whole whatever lies between their lines, and refused where a line is lost or somebody else's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.pipeline import spoken
from change2task.pipeline.spoken import MARK, MOST_BYTES, TooLong, Unspoken, content_of, digest_of, lines_of

LARGE = random.Random(7).randbytes(100_000)
"""Does not compress, so it takes many lines."""
PIECE = 16 << 10
"""Beyond this container runtimes keep a line in pieces, between which lines of the other stream may lie."""


def log_of(content: bytes) -> list[str]:
    return list(lines_of(content))


@given(content=st.binary(max_size=3000), noise=st.lists(st.text(max_size=40), max_size=5), seed=st.integers())
def test_a_result_is_read_between_whatever_else_is_said(content: bytes, noise: list[str], seed: int) -> None:
    order = random.Random(seed)
    lines = log_of(content)
    for one in noise:
        lines.insert(order.randint(0, len(lines)), one)

    assert content_of("\n".join(lines).encode(errors="replace"), digest_of(content)) == content


def test_no_line_is_so_long_that_a_runtime_keeps_it_in_pieces() -> None:
    lines = log_of(LARGE)

    assert len(lines) > 10
    assert max(map(len, lines)) < PIECE


def test_a_lost_line_is_told() -> None:
    lines = log_of(LARGE)
    del lines[3]

    with pytest.raises(Unspoken, match=r"1 are missing"):
        content_of("\n".join(lines).encode(), digest_of(LARGE))


@pytest.mark.parametrize("log", [b"", b"noise\n", f"{MARK} {'0' * 16} 1/1 AAAA\n".encode()])
def test_a_log_without_this_result_holds_none(log: bytes) -> None:
    with pytest.raises(Unspoken, match="no result"):
        content_of(log, digest_of(b"x"))


def test_somebody_elses_words_under_the_same_digest_are_not_taken() -> None:
    forged = f"{MARK} {digest_of(b'true')[:16]} 1/1 {log_of(b'false')[0].split()[-1]}\n"

    with pytest.raises(Unspoken, match="not the one"):
        content_of(forged.encode(), digest_of(b"true"))


def test_what_is_damaged_is_told() -> None:
    line = log_of(b"content")[0]

    with pytest.raises(Unspoken, match=r"damaged|not the one"):
        content_of(f"{line[:-8]}\n".encode(), digest_of(b"content"))


def test_what_no_log_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spoken, "MOST_BYTES", 100)
    assert MOST_BYTES > PIECE

    with pytest.raises(TooLong, match="a log holds 100"):
        log_of(LARGE)
