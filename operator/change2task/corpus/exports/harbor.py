"""Harbor task directories (schema 1.4): an agent's image, and a separate verifier that the agent never meets.

The verifier's image holds the healthy tree, the task as a store, and this program; what crosses over is a patch alone.
So the verdict is that of ``change2task grade``, reached by the same code. What could be forged there is told in
docs/exports.md. Images are built of the task's own folders, or named by digest where somebody has pushed them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from change2task.api.manifests import render
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.corpus.exports import program
from change2task.corpus.exports.environment import (
    AGENT,
    BARE,
    ROOT,
    agent_image,
    build_files,
    build_stages,
    environment,
    start_image,
    variables,
)
from change2task.corpus.exports.roots import root_commit
from change2task.corpus.exports.statement import instruction
from change2task.corpus.exports.task import ExportTask, File, Files

SCHEMA: Final = "1.4"
_SECONDS: Final = {"agent": 3600, "build": 1800}
_SPARE: Final = 120
"""Seconds that grading may need beside its runs."""
_RUNS: Final = {"patch": 3, "tests": 10}
"""Runs of the suite that a grade takes at most, each of which may be repeated once."""
_TEST: Final = """\
#!/bin/sh
# Grades /logs/artifacts/answer.patch. No reward is written where nothing can be concluded: that is no verdict.
exec /opt/change2task/bin/python -m change2task.pipeline.exported {task}
"""
_SOLVE: Final = """\
#!/bin/sh
set -eu
cd {root}/work
git apply --whitespace=nowarn "$(dirname "$0")/solution.patch"
"""
_VERIFIER: Final = """\
# What grades {task}: the base's environment, the healthy tree, the task, and change2task itself.
{stages}
FROM start
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY grader /opt/grader
RUN /usr/bin/python3 -m venv /opt/change2task \\
    && /opt/change2task/bin/pip install --no-cache-dir --require-hashes -r /opt/grader/requirements.txt \\
    && /usr/bin/python3 -m zipfile -e /opt/grader/change2task.zip \\
        "$(/opt/change2task/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \\
    && mkdir -p /opt/change2task/state && rm -rf /opt/grader
COPY --from=build {root}/env {root}/env
COPY --from=build {root}/leftovers {root}/leftovers
COPY build/tree.fast-import /opt/change2task/tree
RUN git init -q --bare {bare} && git -C {bare} fast-import --quiet </opt/change2task/tree \\
    && rm /opt/change2task/tree && chmod 700 {bare}
COPY store /tests/store
COPY test.sh /tests/test.sh
RUN chmod 700 /tests
{environment}
WORKDIR {root}
"""


def harbor_task(task: ExportTask, others: Mapping[str, str]) -> Files:
    """One task directory. Raises NotExportable."""
    spec = task.variant.spec
    image = start_image(task, others)
    commit = root_commit(spec.trees.agent, task.committed)
    healthy = root_commit(spec.trees.healthy, task.committed)
    files: Files = {
        "task.toml": File(_toml(task, commit)),
        "instruction.md": File(instruction(task.variant, f"{ROOT}/work").encode()),
        "solution/solve.sh": File(_SOLVE.format(root=ROOT).encode(), executable=True),
        "solution/solution.patch": File(task.solution),
        "tests/test.sh": File(_TEST.format(task=task.id).encode(), executable=True),
        "tests/grader/change2task.zip": File(program.archive()),
        "tests/grader/requirements.txt": File(program.requirements()),
        "tests/Dockerfile": File(
            _VERIFIER.format(
                task=task.id,
                stages=build_stages(task, image),
                root=ROOT,
                bare=BARE,
                environment=environment(variables(task)),
            ).encode()
        ),
    }
    files |= _within("tests/store", store_of(task))
    files |= _within("tests", build_files(task, task.healthy, healthy, task.committed))
    return files | _within("environment", agent_image(task, image, commit, task.committed))


def store_of(task: ExportTask) -> Files:
    """The task with its base and its evidence as a store, without what changes from run to run."""
    base, status = task.base, task.base.status
    kept = ModernBaseStatus(
        base_key=status.base_key,
        commit=status.commit,
        commit_time=status.commit_time,
        environment=status.environment,
        inventory=status.inventory,
        evidence=status.evidence,
    )
    plain: ModernBase = base.replacing(status=kept)
    files = {
        "store.yaml": File(b"formatVersion: 1\n"),
        f"bases/{base.metadata.name}.yaml": File(render(plain).encode()),
        f"variants/{task.id}.yaml": File(render(task.variant).encode()),
    }
    return files | {f"evidence/{digest}": File(content) for digest, content in task.evidence.items()}


def _within(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": file for name, file in files.items()}


def _toml(task: ExportTask, commit: str) -> bytes:
    """The configuration; some consumers lay it where agents read it, so it names no change and no healthy revision."""
    spec, checks = task.variant.spec, task.base.spec.checks
    seconds = 2 * _RUNS[spec.output.output] * checks.timeout_seconds + _SPARE
    said = spec.statement
    tables: list[tuple[str, dict[str, Any]]] = [
        ("", {"schema_version": SCHEMA, "source": spec.base.repository}),
        (
            "task",
            {
                "name": f"change2task/{task.id}",
                "version": spec.tool_version,
                "description": said.title,
                "keywords": [spec.family.value, task.recipe.toolchain, "change2task"],
            },
        ),
        ("metadata", {"category": spec.family.value, "tags": [f"level-{spec.level}", spec.output.output]}),
        (
            "metadata.change2task",
            {
                "task": task.id,
                "root_commit": commit,
                "level": spec.level,
                "strategy": spec.strategy,
                "fidelity": round(spec.fidelity.score, 4),
            },
        ),
        ("agent", {"timeout_sec": float(_SECONDS["agent"]), "user": AGENT, "network_mode": "no-network"}),
        (
            "verifier",
            {"timeout_sec": float(seconds), "environment_mode": "separate", "network_mode": "no-network"},
        ),
        ("verifier.environment", _environment(task.images.verifier, ROOT)),
        ("environment", _environment(task.images.environment, f"{ROOT}/work")),
    ]
    text = "\n".join(_table(name, values) for name, values in tables)
    collect = {"command": "sh /opt/change2task/collect.sh", "timeout_sec": 300.0}
    return (text + "\n[[verifier.collect]]\n" + _lines(collect)).encode()


def _environment(image: str | None, folder: str) -> dict[str, Any]:
    named = {} if image is None else {"docker_image": image}
    return {**named, "build_timeout_sec": float(_SECONDS["build"]), "workdir": folder, "network_mode": "no-network"}


def _table(name: str, values: Mapping[str, Any]) -> str:
    return (f"[{name}]\n" if name else "") + _lines(values)


def _lines(values: Mapping[str, Any]) -> str:
    # JSON's strings, numbers and lists are TOML's, as long as no pairs of surrogates are made and DEL is escaped.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items()).replace(
        "\x7f", "\\u007f"
    )
