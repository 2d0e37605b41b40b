"""What a cached part is made from is there: a key that names a file which moved ends every start of the cluster."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from hack.kind.settings import HERE

HACK = HERE.parent
MODULES = sorted(path for path in HACK.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))


def named(path: Path) -> list[Path]:
    """Every file or folder that a module names from HERE or FILES by literal words."""
    module = importlib.import_module(".".join(path.relative_to(HACK.parent).with_suffix("").parts))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(node.left) for node in ast.walk(tree) if isinstance(node, ast.BinOp)}
    found = (
        place(node, vars(module)) for node in ast.walk(tree) if isinstance(node, ast.BinOp) and id(node) not in inner
    )
    return [path for path in found if path is not None]


def place(node: ast.expr, names: dict[str, object]) -> Path | None:
    match node:
        case ast.Name(id="HERE" | "FILES" as name):
            folder = names.get(name)
            return folder if isinstance(folder, Path) else None
        case ast.Attribute(value=inner, attr="parent"):
            found = place(inner, names)
            return found.parent if found else None
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=str(word))):
            found = place(left, names)
            return found / word if found else None
    return None


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HACK)))
def test_every_file_that_a_module_names_is_there(path: Path) -> None:
    assert [str(found) for found in named(path) if not found.exists()] == []


def test_such_names_are_found_at_all() -> None:
    assert HACK / "layers.py" in named(HERE / "node.py")
