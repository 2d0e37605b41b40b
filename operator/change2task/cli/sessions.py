"""What every command that runs code needs of the pipeline: drivers bound to a store and to where commands run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from change2task.api.taskcandidate import Profile
from change2task.api.taskvariant import TaskVariant, VariantBase
from change2task.base.refusals import refused_by
from change2task.cli.choices import Runtime
from change2task.cli.failures import InfrastructureError, InputError
from change2task.cli.inputs import Inputs, read_mirrors, unread_mirrors
from change2task.cli.lookup import stored_variant
from change2task.corpus.store import Store
from change2task.pipeline.bases import BaseDriver
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.ports import BaseOnHand, Ground, Grounds
from change2task.pipeline.progress import Reporter
from change2task.pipeline.rewards import Rewards, TaskUnusable
from change2task.pipeline.status import is_ready
from change2task.pipeline.told import ToldSandbox
from change2task.runtime.choose import choose
from change2task.runtime.errors import SandboxError
from change2task.runtime.plain import PlainSandbox
from change2task.runtime.workspace import Workspaces


@dataclass(frozen=True)
class Session:
    """Drivers bound to one store and one sandbox."""

    bases: BaseDriver
    candidates: CandidateDriver


@contextmanager
def open_session(
    store: Store,
    runtime: Runtime,
    profile: Profile,
    inputs: Inputs,
    *,
    reporter: Reporter,
    cancel: threading.Event,
    notice: Callable[[str], None],
) -> Iterator[Session]:
    """Drivers for a run; raises InfrastructureError when the runtime cannot be had, and says what is not isolated."""

    def clock() -> datetime:
        return datetime.now(UTC)

    with _grounds(store, runtime, notice) as grounds:
        yield Session(
            bases=BaseDriver(
                store=store, grounds=grounds, mirrors=inputs.mirrors, clock=clock, reporter=reporter, cancel=cancel
            ),
            candidates=CandidateDriver(
                store=store, profile=profile, clock=clock, reporter=reporter, forge=inputs.forge
            ),
        )


@contextmanager
def _grounds(store: Store, runtime: Runtime, notice: Callable[[str], None]) -> Iterator[Grounds]:
    """One sandbox for all bases where it chooses paths, else one at real paths of its own for each base."""
    plain = store.cache / "plain"
    try:
        choice = choose(plain, only="docker" if runtime is Runtime.DOCKER else None)
    except SandboxError as error:
        raise InfrastructureError(str(error)) from error
    if choice.reason is not None:
        lacking, refused = choice.sandbox.isolation.not_enforced, refused_by(choice.sandbox.name)
        notice(f"note: {choice.reason}. Without it: {'; '.join(lacking)}. Refused here: {'; '.join(refused)}.")
    with ExitStack() as stack:
        made: dict[str, Ground] = {}

        def ground(name: str) -> Ground:
            apart = "" if choice.sandbox.isolation.fixed_paths else name
            if apart not in made:
                sandbox = ToldSandbox(choice.sandbox if not apart else PlainSandbox(plain / apart))
                made[apart] = Ground(sandbox, stack.enter_context(Workspaces(store.cache, sandbox)))
            return made[apart]

        yield ground


@contextmanager
def reopener(
    store: Store,
    runtime: Runtime,
    mirrors: Sequence[str],
    *,
    reporter: Reporter,
    cancel: threading.Event,
    notice: Callable[[str], None],
) -> Iterator[Callable[[VariantBase], BaseOnHand]]:
    """Gives the bases of tasks, also those that another of their name has replaced, from the cache where they stand.

    Both raise InputError, InfrastructureError and InfrastructureFault.
    """
    inputs = Inputs(bases={}, candidates=(), forge={}, mirrors=read_mirrors(mirrors))
    with open_session(store, runtime, Profile.FULL, inputs, reporter=reporter, cancel=cancel, notice=notice) as session:

        def reopen(wanted: VariantBase) -> BaseOnHand:
            base = store.base_with_key(wanted.name, wanted.key) or store.base(wanted.name)
            if base is None or not is_ready(base):
                raise InputError(
                    f"there is no base {wanted.name} that is ready in {store.path}; run its manifest first"
                )
            for unread in unread_mirrors(replace(inputs, bases={wanted.name: base})):
                notice(f"note: {unread}")
            return session.bases.reopen(base)

        yield reopen


@contextmanager
def open_rewards(
    store: Store,
    runtime: Runtime,
    mirrors: Sequence[str],
    *,
    reporter: Reporter,
    cancel: threading.Event,
    notice: Callable[[str], None],
) -> Iterator[Rewards]:
    """Grades of many answers to a store's tasks; raises as ``reopener`` does, and per answer nothing."""

    def find(name: str) -> TaskVariant:
        try:
            return stored_variant(store, name)
        except InputError as error:
            raise TaskUnusable(str(error)) from error

    with reopener(store, runtime, mirrors, reporter=reporter, cancel=cancel, notice=notice) as reopen:

        def base_of(wanted: VariantBase) -> BaseOnHand:
            try:
                return reopen(wanted)
            except InputError as error:
                raise TaskUnusable(str(error)) from error

        yield Rewards(store=store, find=find, reopen=base_of, cancel=cancel)
