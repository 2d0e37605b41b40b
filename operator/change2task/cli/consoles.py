"""The two outputs of a command: answers on standard output, what is said meanwhile on standard error.

They differ from rich's own in what happens when nobody reads them: an answer without a reader ends the command,
while work goes on when only its watcher has left.
"""

from __future__ import annotations

from rich.console import Console

_FILE_WIDTH = 200


class _Watched(Console):
    def on_broken_pipe(self) -> None:
        """Say nothing more."""
        self.quiet = True


class _Read(Console):
    def on_broken_pipe(self) -> None:
        """Leave the end of the command to whoever prints."""
        raise BrokenPipeError


def errors() -> Console:
    """Standard error."""
    return _Watched(stderr=True, highlight=False)


def output() -> Console:
    """Standard output; into a file or pipe wide enough that no column is cut."""
    console = _Read(highlight=False)
    return console if console.is_terminal else _Read(highlight=False, width=_FILE_WIDTH)
