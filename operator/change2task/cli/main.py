"""The way in. Nothing heavy is imported before the net is spread, so that an interrupt or a broken installation is
answered too; what the commands do, and what their errors mean, is left to ``app``.
"""

from __future__ import annotations

import io
import sys

from change2task.cli import failures


def main() -> None:
    """Run the command line of this process and end it: 0 complete, 2 bad input, 3 infrastructure, 130 stopped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Paths and messages of repositories are not always what a terminal can show.
            stream.reconfigure(errors="backslashreplace")
    try:
        from change2task.cli.app import app  # noqa: PLC0415 - see above

        app(prog_name="change2task")
    except KeyboardInterrupt:
        sys.exit(failures.end(failures.STOPPED, failures.INTERRUPTED))
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback ever reaches a user
        sys.exit(failures.end(failures.defect(error), failures.INFRASTRUCTURE))
