"""Speaking to a cluster as a person does, with kubectl, and waiting for what it says."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

Object = Mapping[str, Any]


@dataclass(frozen=True)
class Done:
    """What a command printed, and how it ended."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Kubectl:
    """One cluster; the ambient one is never meant."""

    program: str
    kubeconfig: Path
    cache: Path

    def words(self, *words: str) -> list[str]:
        return [self.program, "--kubeconfig", str(self.kubeconfig), "--cache-dir", str(self.cache), *words]

    def run(self, *words: str, stdin: str = "", seconds: float = 120) -> Done:
        done = subprocess.run(
            self.words(*words), input=stdin, capture_output=True, text=True, timeout=seconds, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def __call__(self, *words: str, stdin: str = "", seconds: float = 120) -> str:
        done = self.run(*words, stdin=stdin, seconds=seconds)
        assert done.code == 0, f"kubectl {' '.join(words)}: {done.errors}"
        return done.output

    def apply(self, *objects: Object, namespace: str | None = None) -> Done:
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        scope = ("--namespace", namespace) if namespace else ()
        return self.run(*scope, "apply", "-f", "-", stdin=json.dumps(items))

    def get(self, *words: str) -> Any:
        return json.loads(self("get", *words, "-o", "json"))

    @contextmanager
    def namespace(self, labels: Mapping[str, str] | None = None) -> Iterator[str]:
        """A namespace of a test's own; its end is not waited for."""
        name = f"test-{uuid4().hex[:8]}"
        made = self.apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels or {})}}
        )
        assert made.code == 0, made.errors
        try:
            wait_for(
                "the namespace's service account",
                lambda: self.run("-n", name, "get", "serviceaccount", "default").code == 0,
            )
            yield name
        finally:
            self("delete", "namespace", name, "--wait=false")


def wait_for(what: str, holds: Callable[[], bool], *, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"after {seconds:.0f} s still not: {what}"
        time.sleep(0.2)
