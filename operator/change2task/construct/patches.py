"""D, G and T as differences of trees, and the proof that each leads where it must, byte for byte.

H –D→ C –T→ V and C –G→ H (design, "States"). A tree is what is validated; a patch is what is published; this
module is where one is shown to be the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository


class InverseNotExact(Exception):
    """A patch does not lead from one tree to the other byte for byte."""


@dataclass(frozen=True)
class TaskPatches:
    """The three patches of a task and the trees they connect."""

    task: bytes
    restoration: bytes
    hiding: bytes
    healthy_tree: str
    task_tree: str
    agent_tree: str


def derive(repository: Repository, healthy: str, task: str, agent: str) -> TaskPatches:
    """The patches between healthy, task and agent tree, each proved; raises InverseNotExact naming the failing one."""
    patches = TaskPatches(
        task=repository.diff(healthy, task),
        restoration=repository.diff(task, healthy),
        hiding=repository.diff(task, agent),
        healthy_tree=healthy,
        task_tree=task,
        agent_tree=agent,
    )
    _prove(repository, "task patch D", healthy, patches.task, task)
    _prove(repository, "restoration patch G", task, patches.restoration, healthy)
    _prove(repository, "hiding patch T", task, patches.hiding, agent)
    unhidden = _applied(repository, "hiding patch T, reversed", agent, patches.hiding, reverse=True)
    _prove(repository, "V·T⁻¹·G", unhidden, patches.restoration, healthy)
    return patches


def _prove(repository: Repository, name: str, start: str, patch: bytes, end: str) -> None:
    reached = _applied(repository, name, start, patch)
    if reached != end:
        raise InverseNotExact(f"{name} leads to tree {reached}, not to {end}")


def _applied(repository: Repository, name: str, start: str, patch: bytes, *, reverse: bool = False) -> str:
    if not patch:
        return start
    try:
        return repository.apply(start, patch, reverse=reverse)
    except PatchDoesNotApply as refusal:
        raise InverseNotExact(f"{name} does not apply: {refusal}") from refusal
