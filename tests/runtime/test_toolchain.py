from __future__ import annotations

import sys
import venv
from pathlib import Path

import pytest

from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Mount
from change2task.runtime.toolchain import toolchain_mounts

PREFIX = Path(sys.base_prefix).resolve()


def program(path: Path, text: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


class TestToolchainMounts:
    def test_programs_of_the_system_need_none(self) -> None:
        assert toolchain_mounts([Path("/bin/sh"), Path("/usr/bin/env")]) == ()

    def test_an_interpreter_needs_its_installation(self, tmp_path: Path) -> None:
        venv.create(tmp_path / "venv", symlinks=True)
        expected = () if PREFIX.is_relative_to("/usr") else (Mount(source=PREFIX, target=str(PREFIX)),)
        assert toolchain_mounts([tmp_path / "venv/bin/python"]) == expected

    def test_go_is_asked_for_its_root(self, tmp_path: Path) -> None:
        (tmp_path / "root").mkdir()
        go = program(tmp_path / "links/go", f'[ "$*" = "env GOROOT" ] && echo {tmp_path}/root')
        assert toolchain_mounts([go]) == (Mount(source=tmp_path / "root", target=str(tmp_path / "root")),)

    def test_another_program_needs_the_folder_above_its_bin(self, tmp_path: Path) -> None:
        node = program(tmp_path / "node-20/bin/node")
        assert toolchain_mounts([node]) == (Mount(source=tmp_path / "node-20", target=str(tmp_path / "node-20")),)

    def test_a_lone_file_needs_itself_alone(self, tmp_path: Path) -> None:
        tool = program(tmp_path / "tools/tool")
        assert toolchain_mounts([tool]) == (Mount(source=tool, target=str(tool)),)

    def test_an_installation_is_visible_under_the_name_of_a_link_too(self, tmp_path: Path) -> None:
        program(tmp_path / "node-20.1/bin/node")
        (tmp_path / "node-20").symlink_to("node-20.1")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/node").symlink_to("../node-20/bin/node")
        targets = [mount.target for mount in toolchain_mounts([tmp_path / "bin/node"])]
        assert targets == [f"{tmp_path}/node-20", f"{tmp_path}/node-20.1"]

    def test_a_home_folder_is_never_an_installation(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        with pytest.raises(SandboxError, match="folder of its own"):
            toolchain_mounts([program(tmp_path / "bin/tool")])

    def test_a_missing_program_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SandboxError, match=r"gone does not exist"):
            toolchain_mounts([tmp_path / "gone"])

    def test_a_program_that_does_not_answer_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SandboxError, match="does not say where it is installed"):
            toolchain_mounts([program(tmp_path / "bin/go", "exit 1")])
