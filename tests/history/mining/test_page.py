"""The manual names every reason for which a change is left out, with its sentence."""

from __future__ import annotations

from pathlib import Path

from change2task.history.mining.leaving import Left

PAGE = Path(__file__).resolve().parents[3] / "docs" / "mining.md"


def test_every_reason_stands_in_the_manual_with_its_sentence() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [f"| {left.stage} | `{left.value}` | {left.sentence} |" for left in Left]
    assert [row for row in rows if row not in page] == []
