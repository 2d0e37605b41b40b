"""A candidate driven by the programs of a pod: what prepare lays is run slot by slot, judge says what came of it.

Slots are run in this machine's own sandbox from the start script alone, as a container would; only the image's layers
are folders here.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.base.environment import DOCUMENT
from change2task.base.inventory import Inventory
from change2task.base.places import BaseImage
from change2task.checks.laying import CheckCommand
from change2task.checks.running import SandboxRunner
from change2task.cluster.step_job import SLOT_COMMAND
from change2task.corpus.store import Store
from change2task.pipeline.grading import regression_of
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.spoken import content_of
from change2task.pipeline.wire import BaseParcel, ReplayInput, StepInput, StepResult, StepTold
from change2task.pods.judge import judge
from change2task.pods.places import SECONDS, START, Places
from change2task.pods.prepare import Laid, prepare
from change2task.pods.replay import evidence_of
from change2task.pods.saying import say
from change2task.runtime.models import Command, Layout, Limits, Mount
from change2task.validate.rounds import fault_of
from tests.support.passes import needs_busybox
from tests.support.runs import Listening, session_of
from tests.support.world import World

pytestmark = needs_busybox
NAMES = ("fix", "superseded", "entangled", "docs")
SLOTS = 6


@dataclass(frozen=True)
class Pod:
    """Folders as a pod's containers see them, and the sandbox that stands for the container runtime."""

    places: Places
    runner: SandboxRunner
    parcel: BaseParcel

    def step(self, number: int, candidate: TaskCandidate) -> StepResult:
        """One Job of a candidate's."""
        return self.job(number, StepInput(candidate=candidate, parcel=self.parcel))

    def job(self, number: int, asked: StepInput) -> StepResult:
        """One Job: prepare, slots one after another, judge; its result is left where the next step reads it."""
        places = Places(**{**self.places.model_dump(), "desk": self.places.desk / str(number)})
        places = places.replacing(slots=self.places.slots / str(number), tools=self.places.tools / str(number))
        places.desk.mkdir(parents=True)
        (self.places.step / "input.json").write_bytes(asked.canonical())
        laid = prepare(places, SLOTS)
        for one in laid.passes:
            self.run(places, places.slot(one.slot))
        result = judge(places)
        results = self.places.step / "results"
        results.mkdir(exist_ok=True)
        (results / f"{number:04}.json").write_bytes(result.canonical())
        return result

    def run(self, places: Places, slot: Path) -> None:
        layout = Layout.fixed()
        mounts = (
            *(
                Mount(source=slot / name, target=getattr(layout, name), writable=True)
                for name in ("work", "home", "results")
            ),
            Mount(source=slot / "plan", target=layout.plan),
            Mount(source=places.tools, target="/c2t/tools"),
            *self.runner._environment.mounts(layout),
        )
        outcome = self.runner._sandbox.run(
            Command(
                argv=SLOT_COMMAND,
                env={"PATH": "/usr/bin:/bin", "KUBERNETES_SERVICE_HOST": "10.0.0.1"},
                cwd=layout.work,
                mounts=mounts,
                limits=Limits(seconds=120),
            )
        )
        assert outcome.exit_code == 0, outcome


@pytest.fixture
def pod(world: World, tmp_path: Path) -> Iterator[Pod]:
    store = Store.open(world.copy(tmp_path), create=False)
    base = store.base("toolbox")
    assert base is not None
    for name in store.names(TaskCandidate):
        (store.path / "candidates" / f"{name}.yaml").unlink()
    with session_of(world, store, Listening(), threading.Event()) as session:
        on_hand = session.bases.drive(base.replacing(status=type(base.status)())).on_hand
        assert on_hand is not None
        runner = on_hand.runner
        assert isinstance(runner, SandboxRunner)
        if runner._sandbox.layout != Layout.fixed():
            pytest.skip("NO BUBBLEWRAP: slots need a sandbox that can choose its paths")
        yield Pod(_places(store, on_hand, tmp_path), runner, _parcel(store, on_hand, runner._checks))


def _places(store: Store, base: BaseOnHand, folder: Path) -> Places:
    key = base.environment_key
    environments = folder / "image" / "environments"
    environments.mkdir(parents=True)
    (folder / "image" / "step").mkdir()
    made = environments / key
    made.mkdir()
    document = json.loads((store.cache / "environments" / key / DOCUMENT).read_bytes())
    image = BaseImage(name="base", id="sha256:0", bytes=0, modules=tuple(sorted(base.modules)))
    (made / DOCUMENT).write_text(json.dumps({**document, "image": image.document()}))
    (made / "leftovers").symlink_to(store.cache / "environments" / key / "leftovers")
    return Places(
        history=store.cache / "mirrors",
        environments=environments,
        step=folder / "image" / "step",
        desk=folder / "desk",
        slots=folder / "slots",
        tools=folder / "tools",
        told=folder / "told",
        busybox=Path(shutil.which("busybox") or ""),
    )


def _parcel(store: Store, base: BaseOnHand, checks: CheckCommand) -> BaseParcel:
    return BaseParcel(
        name=base.name,
        url=base.url,
        key=base.key,
        commit=base.commit,
        tree=base.tree,
        environment_key=base.environment_key,
        image="registry.example.com/base@sha256:0",
        ground="registry.example.com/ground@sha256:0",
        checks=checks,
        inventory=Inventory.model_validate_json(store.evidence(base.inventory_digest)),
        scope=base.scope,
    )


def asked_and_told(world: World, name: str) -> tuple[TaskCandidate, TaskCandidate]:
    """A candidate of the world as it was asked for, and as a run in one go ended it."""
    told = Store.open(world.store, create=False).candidate(name)
    assert told is not None
    return told.replacing(status=type(told.status)()), told


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_is_that_of_a_run_on_one_machine(world: World, pod: Pod, name: str) -> None:
    asked, told = asked_and_told(world, name)
    for number in range(6):
        result = pod.step(number, asked)
        if result.candidate is not None:
            break
        assert result.needs > 0
    assert result.candidate is not None, "no verdict after six steps"
    assert result.candidate.candidate.spec == asked.spec, "by which the operator knows it again"
    status = result.candidate.candidate.status
    assert (status.accepted, status.reason, status.message) == (
        told.status.accepted,
        told.status.reason,
        told.status.message,
    )
    assert status.variant_ref == told.status.variant_ref
    assert (result.candidate.variant is not None) is (told.status.accepted is True)
    assert set(status.evidence.values()) <= result.candidate.evidence.keys()
    assert all(hashlib.sha256(content).hexdigest() == digest for digest, content in result.candidate.evidence.items())


@pytest.mark.parametrize("same", [True, False])
def test_a_task_is_replayed_in_one_job_a_time(world: World, pod: Pod, same: bool) -> None:
    store = Store.open(world.store, create=False)
    variant, regression = task_of(store, "fix")
    if not same:
        # Said to be a target, and passing on the task state: what a replay is there to find.
        fair = variant.spec.checks.targets
        variant = variant.replacing(
            spec=variant.spec.replacing(
                checks=variant.spec.checks.replacing(targets=(*fair, fair[0].replacing(id=regression[0])))
            )
        )
    asked = ReplayInput(variant=variant, evidence=evidence_of(store), times=2)

    first = pod.job(0, StepInput(replay=asked, parcel=pod.parcel))
    second = pod.job(1, StepInput(replay=asked, parcel=pod.parcel))

    assert first.needs > 0
    assert not first.done
    assert [one.same for one in second.replays] == [same, same]
    assert second.done
    assert all(one.differences == () for one in second.replays) is same


def task_of(store: Store, candidate: str) -> tuple[TaskVariant, tuple[str, ...]]:
    found = store.candidate(candidate)
    assert found is not None
    assert found.status.variant_ref is not None
    variant = store.variant(found.status.variant_ref.name)
    assert variant is not None
    return variant, regression_of(store, variant)


def test_results_that_a_test_has_closed_are_read_all_the_same(world: World, pod: Pod) -> None:
    asked, _ = asked_and_told(world, "fix")
    (pod.places.step / "input.json").write_bytes(StepInput(candidate=asked, parcel=pod.parcel).canonical())
    pod.places.desk.mkdir()
    [laid, *_] = prepare(pod.places, 1).passes
    results = pod.places.slot(laid.slot) / "results"
    pod.run(pod.places, pod.places.slot(laid.slot))
    for path in results.iterdir():
        path.chmod(0)
    results.chmod(0)
    [record] = judge(pod.places).answers[laid.order.key()]
    assert record.suite.results
    assert all(path.stat().st_mode & 0o400 for path in (results, *results.iterdir())), "for who is not root"


HOSTILE = {
    "process 1 is asked to end each time": "kill -TERM 1; sleep 60",
    "its results folder is closed": 'rm -rf "$C2T_RESULTS"/*; chmod 0 "$C2T_RESULTS"',
    "everything is stopped": "for p in /proc/[0-9]*; do kill -STOP ${p#/proc/}; done; sleep 60",
}


@pytest.mark.parametrize("check", HOSTILE.values(), ids=HOSTILE)
def test_who_breaks_the_harness_gets_no_verdict_and_costs_no_attempt(world: World, pod: Pod, check: str) -> None:
    asked, _ = asked_and_told(world, "fix")
    (pod.places.step / "input.json").write_bytes(StepInput(candidate=asked, parcel=pod.parcel).canonical())
    pod.places.desk.mkdir()
    [laid, *_] = prepare(pod.places, 1).passes
    plan = pod.places.slot(laid.slot) / "plan"
    (plan / "check.sh").write_text(check)
    (plan / SECONDS).write_text("20\n")
    pod.run(pod.places, pod.places.slot(laid.slot))
    [record] = judge(pod.places).answers[laid.order.key()]
    fault = fault_of(record)
    assert fault is not None, record
    assert fault[0] == "crashed"


def test_a_slot_without_a_pass_holds_no_start(world: World, pod: Pod) -> None:
    asked, _ = asked_and_told(world, "docs")
    (pod.places.step / "input.json").write_bytes(StepInput(candidate=asked, parcel=pod.parcel).canonical())
    pod.places.desk.mkdir()
    assert prepare(pod.places, 2) == Laid()
    assert [(pod.places.slot(number) / "plan" / START).exists() for number in range(2)] == [False, False]


def test_a_start_clears_what_the_cluster_puts_into_the_environment(world: World, pod: Pod) -> None:
    asked, _ = asked_and_told(world, "fix")
    (pod.places.step / "input.json").write_bytes(StepInput(candidate=asked, parcel=pod.parcel).canonical())
    pod.places.desk.mkdir()
    [first, *_] = prepare(pod.places, 1).passes
    start = (pod.places.slot(first.slot) / "plan" / START).read_text()
    assert " env -i " in start
    assert "KUBERNETES" not in start
    assert first.nonce not in (pod.places.slot(first.slot) / "plan" / START).read_text()


def test_what_is_said_can_be_checked_by_its_last_word(pod: Pod) -> None:
    out = io.StringIO()
    result = StepResult(needs=3)
    say(result, pod.places, out)
    told = StepTold.model_validate_json(pod.places.told.read_bytes())
    content = content_of(out.getvalue().encode(), told.digest)
    assert (told.done, told.needs) == (False, 3)
    assert StepResult.model_validate_json(content) == result
