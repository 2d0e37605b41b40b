from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.runtime.toolchain import toolchain_mounts
from change2task.runtime.workspace import Workspace, Workspaces
from tests.runtime.bench import Bench, Interpreter, SandboxMaker

pytest.register_assert_rewrite("tests.runtime.conformance")


@pytest.fixture
def workspace(make_sandbox: SandboxMaker, tmp_path: Path) -> Iterator[Workspace]:
    with Workspaces(tmp_path / "cache", make_sandbox()) as workspaces, workspaces.fresh() as workspace:
        yield workspace


@pytest.fixture
def interpreter() -> Interpreter:
    """This machine's Python; sandboxes with a system of their own have another."""
    program = Path(sys.executable).resolve()
    return Interpreter(str(program), toolchain_mounts([program]))


@pytest.fixture
def bench(make_sandbox: SandboxMaker, workspace: Workspace, tmp_path: Path, interpreter: Interpreter) -> Bench:
    return Bench(make_sandbox(), workspace, tmp_path, interpreter)
