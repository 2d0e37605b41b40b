"""``python -m change2task.pods``: the one entry of every trusted container.

Exit codes: 0 done, 3 infrastructure, 4 credentials that a person must mend, 5 a pod that is not closed. The last words
of a fault are the termination message, so that whoever looks at the pod reads them without its log.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

import structlog

from change2task.checks.passes import InfrastructureFault
from change2task.pods.build import build
from change2task.pods.faults import CredentialsFault
from change2task.pods.fetch import fetch
from change2task.pods.isolation import NotClosed, check_closed
from change2task.pods.judge import judge
from change2task.pods.mine import mine
from change2task.pods.places import Places
from change2task.pods.prepare import prepare
from change2task.pods.saying import Result, say
from change2task.pods.secrets import masks

_FAULT, _REFUSED, _OPEN = 3, 4, 5
_TOLD_BYTES = 3000
_WORKS: dict[str, Callable[[Places], Result]] = {"judge": judge, "fetch": fetch, "build": build, "mine": mine}


def main(words: list[str] | None = None) -> int:
    """Run one command; see ``--help``."""
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.processors.JSONRenderer()],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    parser = argparse.ArgumentParser(prog="change2task.pods", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    laying = commands.add_parser("prepare", help="lay the passes that are needed next")
    laying.add_argument("--slots", type=int, required=True)
    laying.add_argument("--closed", action="append", default=[], help="host:port that must not answer")
    laying.add_argument("--allow-open", action="store_true", help="say so, and go on, where something answers")
    commands.add_parser("judge", help="read the passes' results and say what came of them")
    commands.add_parser("fetch", help="fetch a base's repository and push its history image")
    commands.add_parser("mine", help="say which changes of a base's history are worth a candidate")
    commands.add_parser("build", help="build a base's environments and push base and ground image")
    told, places = parser.parse_args(words), Places()
    try:
        if told.command == "prepare":
            check_closed(told.closed, allow_open=told.allow_open)
            prepare(places, told.slots)
        else:
            say(_WORKS[told.command](places), places, sys.stdout)
    except InfrastructureFault as fault:
        last = masks(places, os.environ).masked_text(str(fault))
        print(last, file=sys.stderr)  # noqa: T201 - the container's last words
        places.told.write_bytes(last.encode()[-_TOLD_BYTES:])
        return _OPEN if isinstance(fault, NotClosed) else _REFUSED if isinstance(fault, CredentialsFault) else _FAULT
    except Exception as error:
        # Whoever looks at the pod reads its last words, and a traceback is only in its log.
        last = masks(places, os.environ).masked_text(f"{type(error).__name__}: {error}")
        places.told.write_bytes(f"a defect, please report it: {last}".encode()[:_TOLD_BYTES])
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
