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
    certify,
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
app.command("run", short_help="Turn candidates into verified tasks, or say why not.")(run.run)
app.command("explain", short_help="Say why this verdict, from the stored evidence alone.")(explain.explain_verdict)
app.command("replay", short_help="Run a task's three states again and compare.")(replay.replay)
app.command("show", short_help="Print a task: statement, checks, and patches D, T and G.")(show.show)
app.command("grade", short_help="Grade an agent's patch against a task.")(grade.grade)
app.command("certify", short_help="Search all that an agent can read for a task's answer.")(certify.certify_tasks)
app.command("export", short_help="Write tasks for Harbor, SWE-bench, as JSON lines or OCI.")(export.export)
app.command("validate", short_help="Check manifests without running anything.")(validate.validate)
app.command("lock", short_help="Write the lock of a base's dependencies into its manifest.")(lock.lock)
app.command("mine", short_help="Find merged changes worth trying, and why not the others.")(mine.mine)
app.command("import", short_help="Turn rows of a benchmark into bases and candidates.")(import_.import_rows)
app.command("pull", short_help="Bring candidates, tasks and evidence from a cluster.")(pull.pull)
app.command("schema", short_help="Print the resources' schemas or definitions.")(schema.schema)


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
