from __future__ import annotations

from pathlib import Path

import pytest

from hack import generate


def test_a_stale_page_is_named_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    page = tmp_path / "docs" / "reference" / "reasons.md"
    page.parent.mkdir(parents=True)
    page.write_text("old\n", encoding="utf-8")

    assert generate.main(["--check"]) == 1

    assert "docs/reference/reasons.md" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == "old\n"


def test_written_pages_pass_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "ROOT", tmp_path)

    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
