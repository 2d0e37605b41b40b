"""The reference page of the commands, made from the commands themselves so that it cannot go stale."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, Protocol

import typer

_EXITS = """
Every command ends with 0 when it did its work, whatever the verdicts; 1 when it did and `replay` saw a task's states
come out otherwise than stored, or `certify` a certificate that is not sound; 2 when something it was given cannot be
used; 3 when the machine failed and something has no verdict; 130 when it was stopped, with everything won stored.
"""


class Parameter(Protocol):
    """What is read of a command's parameter."""

    name: str | None
    param_type_name: str
    opts: list[str]
    required: bool
    default: Any


class Command(Protocol):
    """What is read of a command."""

    help: str | None
    params: list[Any]


def commands_page(app: typer.Typer) -> str:
    """Markdown: each command with its arguments, options and defaults, in the order they are shown by ``--help``."""
    commands: Mapping[str, Command] = getattr(typer.main.get_command(app), "commands")  # noqa: B009 - of a group
    lines = ["<!-- made from the code by `make generate` -->", "# Commands", _EXITS.strip()]
    for name, command in commands.items():
        given = " ".join(_usage(parameter) for parameter in command.params if parameter.param_type_name != "option")
        usage = f"change2task {name} [OPTIONS] {given}".rstrip()
        lines += [f"## {name}", inspect.cleandoc(command.help or ""), f"```\n{usage}\n```", _table(command)]
    return "\n\n".join(lines) + "\n"


def _usage(parameter: Any) -> str:
    word = (parameter.name or "").upper() + ("..." if parameter.nargs == -1 else "")
    return word if parameter.required else f"[{word}]"


def _table(command: Command) -> str:
    rows = ["| given as | meaning | default |", "|---|---|---|"]
    for parameter in command.params:
        option = parameter.param_type_name == "option"
        given = ", ".join(f"`{word}`" for word in parameter.opts) if option else f"`{_usage(parameter)}`"
        rows.append(f"| {given} | {_meaning(parameter)} | {_default(parameter)} |")
    return "\n".join(rows)


def _meaning(parameter: Any) -> str:
    """What an option is for, and its choices where it does not name them itself."""
    told = getattr(parameter, "help", "") or ""
    kind = parameter.bare_type
    choices = [str(one.value) for one in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    if all(re.search(rf"\b{re.escape(one)}\b", told) for one in choices):
        return told
    return f"{told} One of {', '.join(f'`{one}`' for one in choices)}."


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if parameter.required:
        return "required"
    if value is None or value in ("", 0) or callable(value):
        return ""
    if parameter.name == "jobs":
        return "number of processors"
    return f"`{getattr(value, 'value', value)}`"
