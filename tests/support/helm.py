"""Helm as a person runs it, on the project's own chart; without one the tests say so and never look passed."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hack.install.helm import find_helm
from hack.install.release import CHART
from hack.kind.settings import Settings

Values = Mapping[str, Any]
KUBERNETES = "1.34.0"


@dataclass(frozen=True)
class Ended:
    """What it printed, and how it ended."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Helm:
    """The program that `make install` would use."""

    program: Path

    def run(self, *words: str | Path, values: Values | None = None, seconds: float = 240) -> Ended:
        """One command; ``values`` are given as a file, as a person gives them."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(json.dumps(values or {}))
            file.flush()
            given = ("--values", file.name) if values is not None else ()
            argv = [str(word) for word in (self.program, *words, *given)]
            environment = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
            done = subprocess.run(argv, capture_output=True, text=True, timeout=seconds, check=False, env=environment)
        return Ended(done.returncode, done.stdout, done.stderr)

    def template(self, values: Values, *words: str, namespace: str = "change2task-system") -> Ended:
        """The chart as it would be applied, without asking any cluster."""
        return self.run(
            *("template", "change2task", CHART, "--namespace", namespace, "--kube-version", KUBERNETES, *words),
            values=values,
        )

    def objects(self, values: Values, *words: str) -> list[dict[str, Any]]:
        """The same, read."""
        done = self.template(values, *words)
        assert done.code == 0, done.errors
        return [made for made in yaml.safe_load_all(done.output) if made]


def helm_or_skip(config: pytest.Config) -> Helm:
    """The Helm at hand; it is never built here, since that takes longer than a test may."""
    program = find_helm(Settings.from_environment())
    if program is not None:
        return Helm(program)
    why = "no Helm is installed and none was built here: make helm"
    if config.getoption("--require-cluster") or os.environ.get("CI"):
        pytest.fail(f"Helm is demanded here, and {why}", pytrace=False)
    pytest.skip(f"!!! NO HELM: {why}")
