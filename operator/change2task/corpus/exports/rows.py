"""Tasks as JSON lines, one row a task, with a published schema (``change2task schema TaskRow``).

It exists for whoever reads tasks with a program of their own: everything of a task in one document, and nothing that
only this program knows the shape of. A row holds the answer and the hidden checks; an agent is given
``problemStatement`` and the tree alone.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from typing import Final, Literal, Self

from pydantic import Field

from change2task.api.model import Model
from change2task.api.taskcandidate import Family
from change2task.api.taskvariant import Checks, OutputContract
from change2task.corpus.asked import named_tests
from change2task.corpus.exports.roots import root_commit
from change2task.corpus.exports.statement import problem_statement
from change2task.corpus.exports.task import ExportTask

FILE: Final = "tasks.jsonl"
VERSION: Final = "1"


class RowPatch(Model):
    """A patch that git applies, whatever its bytes."""

    encoding: Literal["text", "base64"] = Field(description="How data holds the bytes.")
    data: str = Field(description="The patch.")
    sha256: str = Field(description="SHA-256 of its bytes.")

    @classmethod
    def of(cls, content: bytes) -> Self:
        """As text where it is UTF-8."""
        digest = hashlib.sha256(content).hexdigest()
        try:
            return cls(encoding="text", data=content.decode(), sha256=digest)
        except UnicodeDecodeError:
            return cls(encoding="base64", data=base64.b64encode(content).decode(), sha256=digest)


class RowBase(Model):
    """The healthy base."""

    commit: str = Field(description="The repository's own commit; D applies to it.")
    key: str = Field(description="Hash of everything that identifies the base.")
    healthy_tree: str = Field(description="Git tree of the base.")
    task_tree: str = Field(description="Git tree of the base with D.")
    agent_tree: str = Field(description="Git tree of what the agent is given: the base with D and T.")
    root_commit: str = Field(description="The one commit of the agent's repository; it is in no upstream repository.")
    start_image: str | None = Field(default=None, description="The manifest's image, where it names one.")
    interpreter: str | None = Field(default=None, description="Version of the interpreter or compiler.")
    setup: tuple[str, ...] = Field(description="Shell commands that install dependencies.")
    rebuild: tuple[str, ...] = Field(description="Shell commands run after a tree is laid out.")
    env: dict[str, str] = Field(description="Variables of setup, rebuild and checks.")
    lock: str | None = Field(default=None, description="Packages with hashes, as pip and uv read them.")
    command: tuple[str, ...] = Field(description="The project's check command.")
    format: str = Field(description="How results are taken from it.")


class RowChange(Model):
    """The historical change; nothing of this is told to an agent."""

    commit: str = Field(description="The commit that holds it.")
    parent: str | None = Field(default=None, description="What it is compared with.")
    pull_request: int | None = Field(default=None, description="The request it came by.")
    title: str = Field(description="First line of its message.")
    committed: str = Field(description="When it was committed, UTC.")
    advisories: tuple[str, ...] = Field(default=(), description="Advisory ids it is known by.")


class TaskRow(Model):
    """One verified task, with its answer and its hidden checks."""

    schema_version: Literal["1"] = Field(default="1", description="Version of this schema.")
    task: str = Field(description="The task's name: the hash of its spec.")
    candidate: str = Field(description="The candidate that has it.")
    repository: str = Field(description="The repository's canonical address.")
    family: Family = Field(description="The kind of task.")
    output: OutputContract = Field(description="What is handed in and what of it counts.")
    problem_statement: str = Field(description="What the agent is told, Markdown.")
    provenance: str = Field(description="Where these words come from.")
    base: RowBase = Field(description="The healthy base.")
    source_change: RowChange = Field(description="The historical change.")
    task_patch: RowPatch = Field(description="D: base to task state.")
    hiding_patch: RowPatch = Field(description="T: task state to the agent's tree.")
    solution_patch: RowPatch = Field(description="An answer on the agent's tree that solves the task.")
    test_patch: RowPatch = Field(description="The agent's tree to the task state: hidden checks put back.")
    checks: Checks = Field(description="All checks that are no regression tests.")
    fail_to_pass: tuple[str, ...] = Field(description="Ids of the tests among targets and observers.")
    pass_to_pass: tuple[str, ...] = Field(description="Ids of all regression tests.")
    level: int = Field(description="The paper's level.")
    strategy: str = Field(description="The strategy that made it.")
    fidelity: float = Field(description="Likeness to the source change, 0 to 1.")
    licences: dict[str, str] = Field(description="Licence files at the root, to SPDX id; empty: not recognised.")
    image: str | None = Field(default=None, description="A pushed image of the agent's environment, by digest.")
    overlaps: tuple[str, ...] = Field(default=(), description="Ids of public benchmarks that this task overlaps with.")
    tool_version: str = Field(description="Version of change2task that made it.")


def task_row(task: ExportTask, overlaps: tuple[str, ...]) -> TaskRow:
    """One row. Raises NotExportable."""
    spec, recipe, built = task.variant.spec, task.recipe, task.base.status.environment
    change = spec.source_change
    return TaskRow(
        task=task.id,
        candidate=task.name,
        repository=spec.base.repository,
        family=spec.family,
        output=spec.output,
        problem_statement=problem_statement(task.variant),
        provenance=spec.statement.provenance,
        base=RowBase(
            commit=spec.base.commit,
            key=spec.base.key,
            healthy_tree=spec.trees.healthy,
            task_tree=spec.trees.task,
            agent_tree=spec.trees.agent,
            root_commit=root_commit(spec.trees.agent, task.committed),
            start_image=recipe.image,
            interpreter=None if built is None else built.interpreter,
            setup=recipe.setup,
            rebuild=recipe.rebuild,
            env=recipe.env,
            lock=task.lock,
            command=recipe.command,
            format=recipe.format,
        ),
        source_change=RowChange(
            commit=change.commit,
            parent=change.parent,
            pull_request=change.pull_request,
            title=change.title,
            committed=moment(task.changed),
            advisories=change.advisories,
        ),
        task_patch=RowPatch.of(task.making),
        hiding_patch=RowPatch.of(task.hiding),
        solution_patch=RowPatch.of(task.solution),
        test_patch=RowPatch.of(task.hidden),
        checks=spec.checks,
        fail_to_pass=named_tests(task.variant),
        pass_to_pass=task.regression,
        level=spec.level,
        strategy=spec.strategy,
        fidelity=round(spec.fidelity.score, 6),
        licences=dict(task.licences),
        image=task.images.environment,
        overlaps=overlaps,
        tool_version=spec.tool_version,
    )


def moment(seconds: int) -> str:
    """Seconds of the epoch as RFC 3339 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
