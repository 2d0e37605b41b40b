"""What an agent is told of a task, as every format puts it: the goal, the words, what checks name, what may change.

It exists so that the statement of an exported task is one text, whoever carries it. Nothing in it names the change.
"""

from __future__ import annotations

from change2task.api.taskvariant import Statement, TaskVariant

_HAND_IN = {
    "patch": "Change the project so that what is described holds. Tests that you change or add count for nothing.",
    "tests": "Add tests that pass on the right project and fail where what is described is missing or wrong. Changes"
    " outside of tests count for nothing, and tests that exist already stay as they are.",
}


def problem_statement(variant: TaskVariant) -> str:
    """Title, goal, words and names, as Markdown."""
    said = variant.spec.statement
    parts = [
        f"# {said.title}",
        variant.spec.goal,
        *([said.body.strip()] if said.body.strip() else []),
        *interface(said),
    ]
    return "\n\n".join(parts) + "\n"


def interface(said: Statement) -> list[str]:
    """The names and texts that checks use and that nothing else tells, each group as one paragraph."""
    groups = (
        ("Checks use these names:", [one for one in said.interface if " " not in one.name]),
        ("Checks compare these texts:", [one for one in said.interface if " " in one.name]),
    )
    return [
        "\n".join([title, "", *(f"- `{one.name}` in `{one.path}`" for one in group)])
        for title, group in groups
        if group
    ]


def instruction(variant: TaskVariant, folder: str) -> str:
    """The statement, and how an answer is handed in where the project lies in ``folder``."""
    output = variant.spec.output
    permitted = ", ".join(f"`{glob}`" for glob in output.permitted)
    return (
        f"{problem_statement(variant)}\n## How to answer\n\nThe project lies in `{folder}`, a git repository with one"
        f" commit. {_HAND_IN[output.output]} What counts are files that match {permitted}; there is no network.\n"
    )
