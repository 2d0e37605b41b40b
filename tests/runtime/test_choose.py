from __future__ import annotations

from pathlib import Path

import pytest

from change2task.runtime.choose import choose
from change2task.runtime.errors import SandboxError

HELP = "--clearenv --json-status-fd --as-pid-1 --perms --size"


def stand_in(path: Path, when_run: str, help_text: str = HELP) -> str:
    path.write_text(f'#!/bin/sh\nif [ "$1" = --help ]; then echo "{help_text}"; exit; fi\n{when_run}\n')
    path.chmod(0o755)
    return str(path)


class TestChoose:
    def test_falls_back_where_bubblewrap_is_not_installed(self, tmp_path: Path) -> None:
        choice = choose(tmp_path, program="no-such-bwrap")
        assert choice.sandbox.name == "plain"
        assert "not installed" in (choice.reason or "")

    def test_falls_back_where_namespaces_are_forbidden_and_says_so(self, tmp_path: Path) -> None:
        words = "bwrap: No permissions to create new namespace"
        choice = choose(tmp_path, program=stand_in(tmp_path / "bwrap", f'echo "{words}" >&2; exit 1'))
        assert choice.sandbox.name == "plain"
        assert words in (choice.reason or "")

    def test_falls_back_where_bubblewrap_is_too_old_and_names_the_options(self, tmp_path: Path) -> None:
        choice = choose(tmp_path, program=stand_in(tmp_path / "bwrap", "exit 0", help_text="--clearenv --as-pid-1"))
        assert choice.sandbox.name == "plain"
        assert "--json-status-fd, --perms" in (choice.reason or "")

    def test_falls_back_where_bubblewrap_is_no_program(self, tmp_path: Path) -> None:
        (tmp_path / "bwrap").write_bytes(b"\x7fELF nonsense")
        (tmp_path / "bwrap").chmod(0o755)
        choice = choose(tmp_path, program=str(tmp_path / "bwrap"))
        assert choice.sandbox.name == "plain"
        assert "does not run" in (choice.reason or "")

    def test_says_why_when_nothing_else_is_wanted(self, tmp_path: Path) -> None:
        with pytest.raises(SandboxError, match="not installed"):
            choose(tmp_path, only="bubblewrap", program="no-such-bwrap")

    def test_takes_plain_processes_when_asked_and_needs_no_reason(self, tmp_path: Path) -> None:
        choice = choose(tmp_path, only="plain")
        assert (choice.sandbox.name, choice.reason) == ("plain", None)
        assert choice.sandbox.layout.work == str(tmp_path / "work")
