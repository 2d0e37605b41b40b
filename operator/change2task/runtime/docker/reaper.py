"""A small process beside the program: when the program dies, it removes the program's containers.

It exists because nothing else ends a container whose program was killed. Run as a script with the owner's label as
its words; it waits on standard input, which the system closes for a program that dies. It imports the SDK only then.
"""

from __future__ import annotations

import sys
import time

GOODBYE = b"done\n"
# A container may still be on its way when the program dies.
_LOOKS = (0.0, 0.5, 2.0)


def main() -> None:
    """Wait for the program's end; a goodbye means that it has cleaned up itself."""
    if sys.stdin.buffer.read() == GOODBYE:
        return
    import docker  # noqa: PLC0415 - most of these processes never need it
    from docker.errors import APIError  # noqa: PLC0415 - see above

    label = f"{sys.argv[1]}={sys.argv[2]}"
    client = docker.from_env().api
    for pause in _LOOKS:
        time.sleep(pause)
        for container in client.containers(all=True, filters={"label": label}):
            try:
                client.remove_container(container["Id"], force=True, v=True)
            except APIError:  # gone already, or going
                continue


if __name__ == "__main__":
    main()
