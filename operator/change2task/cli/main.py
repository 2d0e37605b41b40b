"""The way in. Everything is imported within the net, so that an interrupt or a broken installation is answered too;
what the commands do, and what their errors mean, is left to ``app``.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process and end it with one of the exit codes that ``failures`` lists."""
    try:
        from change2task.cli.app import app
        from change2task.runtime.signals import keep_ignored_to_ourselves

        keep_ignored_to_ourselves()
        app(prog_name="change2task")
    except KeyboardInterrupt:
        from change2task.cli import failures

        sys.exit(failures.end(failures.STOPPED, failures.INTERRUPTED))
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback ever reaches a user
        from change2task.cli import failures

        sys.exit(failures.end(failures.defect(error), failures.INFRASTRUCTURE))
