"""Names of services as addresses: a closed pod cannot resolve a name, and yet must find out what it reaches."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable

_SECONDS = 60.0


class Addresses:
    """Resolves, and remembers for a minute; safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}
        self._lock = threading.Lock()

    def of(self, targets: Iterable[str]) -> tuple[str, ...]:
        """Addresses (IP:port) of targets (host:port); one that has no address cannot be reached by anybody."""
        return tuple(sorted({address for target in targets for address in self._of(target)}))

    def _of(self, target: str) -> tuple[str, ...]:
        with self._lock:
            since, known = self._known.get(target, (float("-inf"), ()))
            if time.monotonic() - since < _SECONDS:
                return known
        host, _, port = target.rpartition(":")
        try:
            found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
        except OSError:
            found = []
        hosts = {str(one[4][0]) for one in found}
        addresses = tuple(sorted(f"[{one}]:{port}" if ":" in one else f"{one}:{port}" for one in hosts))
        with self._lock:
            self._known[target] = time.monotonic(), addresses
        return addresses
