"""``python -m hack.kind up|down|image|info``: what ``make cluster`` and ``make cluster-down`` run."""

from __future__ import annotations

import sys
import time

from hack.demo.archive import ArchiveError
from hack.demo.fetch import FetchError
from hack.demo.history import HistoryError
from hack.kind.cluster import build, description, down, running, up
from hack.kind.commands import ClusterError, say
from hack.kind.settings import Settings

USAGE = """usage: python -m hack.kind COMMAND
  up      the cluster with its registry, git server and package index; builds what is missing
  down    remove it and all that it changed on this machine; caches stay
  image   only build the images
  info    print what runs, as JSON"""


def main(arguments: list[str]) -> int:
    """Run one command; 1 with one message where it could not be done."""
    settings = Settings.from_environment()
    start = time.monotonic()
    try:
        match arguments:
            case ["up"]:
                cluster = up(settings)
                say(f"  the cluster took {time.monotonic() - start:.1f} s")
                print(f"export KUBECONFIG={cluster.kubeconfig}")
            case ["down"]:
                down(settings)
            case ["image"]:
                build(settings)
            case ["info"]:
                if running(settings) is None:
                    raise ClusterError("no cluster of this checkout answers; make cluster")
                print(description(settings).read_text())
            case _:
                print(USAGE, file=sys.stderr)
                return 2
    except (ArchiveError, ClusterError, FetchError, HistoryError) as error:
        print(f"hack/kind: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
