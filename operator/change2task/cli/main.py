"""The command line: wires commands together and turns faults into messages and exit codes."""

from __future__ import annotations

import sys

import typer

from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.cli import failures
from change2task.cli.commands import explain, grade, lock, replay, run, schema, show, validate
from change2task.corpus.errors import StoreError

app = typer.Typer(
    name="change2task",
    help="Turn merged changes into verified, executable tasks for coding agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(run.run)
app.command("explain")(explain.explain_verdict)
app.command("replay")(replay.replay)
app.command("show")(show.show)
app.command("grade")(grade.grade)
app.command("validate")(validate.validate)
app.command("lock")(lock.lock)
app.command("schema")(schema.schema)


def main() -> None:
    """Run a command; exit 0 complete, 2 bad input, 3 infrastructure, 130 stopped."""
    try:
        app(standalone_mode=True)
    except failures.InputError as error:
        _end(str(error), failures.BAD_INPUT)
    except (failures.InfrastructureError, InfrastructureFault, StoreError) as error:
        _end(str(error), failures.INFRASTRUCTURE)
    except (Cancelled, KeyboardInterrupt):
        _end("stopped; everything finished is stored, run again to go on", failures.INTERRUPTED)


def _end(message: str, code: int) -> None:
    print(f"error: {message}" if code != failures.INTERRUPTED else message, file=sys.stderr)  # noqa: T201
    sys.exit(code)
