"""The commands by name, and the one place where what went wrong becomes a message and an exit code."""

from __future__ import annotations

import io
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.cli import consoles, failures, logs
from change2task.cli.commands import (
    explain,
    export,
    grade,
    import_,
    lock,
    mine,
    pull,
    replay,
    run,
    schema,
    show,
    validate,
)
from change2task.corpus.errors import NotAStore, StoreError
from change2task.vcs.errors import VcsError


class Commands(TyperGroup):
    """Commands whose faults are told; what typer says of wrong words stays typer's."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that ``ctx`` holds."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except (failures.InputError, NotAStore) as error:
            ctx.exit(failures.end(str(error), failures.BAD_INPUT))
        except (failures.InfrastructureError, InfrastructureFault, StoreError, VcsError) as error:
            ctx.exit(failures.end(str(error), failures.INFRASTRUCTURE))
        except (Cancelled, KeyboardInterrupt):
            ctx.exit(failures.end(failures.STOPPED, failures.INTERRUPTED))
        except BrokenPipeError:
            failures.give_up_output()
            ctx.exit(failures.OK)
        except OSError as error:
            ctx.exit(failures.end(_of_the_machine(error), failures.INFRASTRUCTURE))
        return answer


def _of_the_machine(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}; everything finished is stored, run again once that is mended"


app = typer.Typer(
    name="change2task",
    cls=Commands,
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
app.command("export")(export.export)
app.command("validate")(validate.validate)
app.command("lock")(lock.lock)
app.command("mine")(mine.mine)
app.command("import")(import_.import_rows)
app.command("pull")(pull.pull)
app.command("schema")(schema.schema)


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"change2task {version('change2task')}")  # noqa: T201 - the command's output
        raise typer.Exit


@app.callback()
def change2task(
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_say_version, help="Say the version and exit.")
    ] = False,
) -> None:
    """Turn merged changes into verified, executable tasks for coding agents.

    Exit codes: 0 complete, whatever the verdicts; 1 a replay that differs; 2 bad input; 3 infrastructure, nothing
    concluded; 130 stopped.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Paths and messages of repositories are not always what a terminal can show.
            stream.reconfigure(errors="backslashreplace")
    logs.configure(0, consoles.errors(), live=True)
