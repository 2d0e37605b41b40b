"""The demo's manifests are sound and ask only for what its histories hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.taskcandidate import TaskCandidate
from change2task.cli.inputs import read_inputs
from hack.demo.pins import load_pins

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DEMO = read_inputs([str(EXAMPLES / "demo")])
RELEASES = {package.url: [pin.version for pin in package.release] for package in load_pins().values()}


def releases_of(base: str) -> list[str]:
    return RELEASES[DEMO.bases[base].spec.repository.url]


@pytest.mark.parametrize("folder", [path for path in EXAMPLES.iterdir() if path.is_dir()], ids=lambda path: path.name)
def test_every_example_is_accepted(folder: Path) -> None:
    assert read_inputs([str(folder)]).candidates


@pytest.mark.parametrize("base", sorted(DEMO.bases))
def test_a_base_is_a_pinned_release(base: str) -> None:
    assert DEMO.bases[base].spec.revision.healthy in releases_of(base)


@pytest.mark.parametrize("candidate", DEMO.candidates, ids=lambda candidate: candidate.metadata.name)
def test_a_change_is_a_pinned_release_that_has_one_before_it(candidate: TaskCandidate) -> None:
    assert candidate.spec.change.commit in releases_of(candidate.spec.base_ref.name)[1:]
