"""A task to export, as a value, small enough that every byte of what comes out can be looked at."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import date
from typing import Any

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import BuiltEnvironment, ModernBase, ModernBaseSpec, ModernBaseStatus, Repository
from change2task.api.patches import Patch
from change2task.api.taskvariant import TaskVariant, variant_name
from change2task.base.recipe import Recipe
from change2task.corpus.exports.task import ExportTask, Leaf
from change2task.vcs.trees import EXECUTABLE, FILE, SYMLINK
from tests.support.variants import variant

SECRET = b"def test_hidden():\n    assert one() == 1\n"
HEALTHY = b"def one():\n    return 1  # the healthy way\n"
RIGHT = b"""\
diff --git a/src/core.py b/src/core.py
--- a/src/core.py
+++ b/src/core.py
@@ -1,2 +1,2 @@
 def one():
-    return 2
+    return 1  # the healthy way
"""
AGENT = {
    b"src/core.py": Leaf(FILE, b"def one():\n    return 2\n"),
    b"run.sh": Leaf(EXECUTABLE, b"#!/bin/sh\r\n"),
    b"link": Leaf(SYMLINK, b"src/core.py"),
    b".gitattributes": Leaf(FILE, b"* text=auto eol=crlf\n*.py ident\n"),
    b"docs/\xc3\xa9 \"x\"\n.txt": Leaf(FILE, b"$Id$\n"),
    b"LICENSE": Leaf(FILE, b"Permission is hereby granted, free of charge, to any person\n"
                     b"The above copyright notice and this permission notice shall be included\n"),
}  # fmt: skip
TREE = "c" * 40


def task(
    name: str = "fix", *, solution: bytes = RIGHT, repository: str = "https://example.org/ada/pkg.git", **spec: Any
) -> ExportTask:
    """A task; ``spec`` replaces fields of the variant's spec."""
    made = variant().spec
    healthy = {**AGENT, b"src/core.py": Leaf(FILE, HEALTHY), b"tests/test_core.py": Leaf(FILE, SECRET)}
    base = made.base.replacing(repository=repository)
    change = made.source_change.replacing(commit=hashlib.sha1(name.encode()).hexdigest())
    whole = made.replacing(
        **{"base": base, "source_change": change, "restoration_patch": Patch.of(solution),
           "trees": made.trees.replacing(agent=TREE), **spec}
    )  # fmt: skip
    recipe = Recipe(
        toolchain="python", setup=("uv pip install -e '.[tests]'",), env={"A": 'b "c" $d'}, as_of=date(2025, 1, 2),
        command=("python", "-m", "pytest"), format="pytest", inferred=True,
    )  # fmt: skip
    built = BuiltEnvironment(key="e", interpreter="CPython 3.13.1", dated=True, as_of=date(2025, 1, 2))
    own = TaskVariant(metadata=ObjectMeta(name=variant_name(whole)), spec=whole)
    return ExportTask(
        name=name,
        variant=own,
        base=ModernBase(
            metadata=ObjectMeta(name="base"),
            spec=ModernBaseSpec(repository=Repository(url=repository)),
            status=ModernBaseStatus(environment=built, base_key="k"),
        ),
        recipe=recipe,
        lock="pytest==8.3.4 \\\n    --hash=sha256:00\n",
        agent=AGENT,
        healthy=healthy,
        making=b"",
        hiding=b"",
        hidden=b"diff --git a/tests/test_core.py b/tests/test_core.py\n",
        solution=solution,
        regression=("tests/test_core.py::test_old", "tests/test_core.py::test_case[a  b]"),
        evidence={"0" * 64: json.dumps(["tests/test_core.py::test_old"]).encode()},
        changed=1_700_000_000,
        committed=1_700_000_000,
        gates={"base/inventory": "1" * 64},
        licences={"LICENSE": "MIT"},
    )


def of_another_day(one: ExportTask, seconds: int) -> ExportTask:
    """The same task of a change committed at another time."""
    return replace(one, changed=seconds)
