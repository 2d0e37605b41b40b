"""``change2task lock``: write what a base's setup resolved into its manifest, so that later builds get the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import Profile, TaskCandidate
from change2task.cli.choices import Choices, Runtime
from change2task.cli.desk import Desk
from change2task.cli.failures import InputError
from change2task.cli.inputs import read_inputs
from change2task.cli.lookup import STORE
from change2task.cli.rewriting import with_lock
from change2task.cli.sessions import open_session
from change2task.corpus.files import write_whole
from change2task.corpus.store import Store
from change2task.pipeline.status import is_ready, message_of, reason_of


def lock(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="File with one or more ModernBases.")],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder; made when missing.")] = STORE,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands run.")] = Runtime.PROCESS,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Show what is run.")] = 0,
) -> None:
    """Build the bases of MANIFEST and write the lock of their dependencies into the file."""
    desk = Desk(verbose)
    if not manifest.is_file():
        raise InputError(f"{manifest}: a lock is written into a file, and this is none")
    inputs = read_inputs([str(manifest)], mirror or (), Choices(runtime))
    opened = Store.open(store, create=True)
    with (
        desk.at_work(opened, alone=True) as cancel,
        open_session(
            opened, runtime, Profile.FULL, inputs, reporter=desk.watch, cancel=cancel, notice=desk.say
        ) as session,
    ):
        done = [session.bases.drive(base).base for base in inputs.bases.values()]
    locks = {base.metadata.name: _lock(opened, base) for base in done}
    for base in inputs.bases.values():
        if warning := _of_what_rests(opened, base, locks[base.metadata.name]):
            desk.say(warning)
    text = manifest.read_bytes()
    for base in inputs.bases.values():
        try:
            text = with_lock(text, base, locks[base.metadata.name])
        except ValueError as error:
            raise InputError(f"{manifest}: {error}; write it as one, so that it can be given a lock") from error
    write_whole(manifest.resolve(), text)
    print(f"{manifest}: spec.environment.lock holds the dependencies of {', '.join(locks)}")  # noqa: T201 - the answer


def _of_what_rests(store: Store, base: ModernBase, lock: str) -> str | None:
    """A warning where verdicts in the store rest on the base as it was before this lock."""
    name, given = base.metadata.name, base.spec.environment.lock
    if given is not None and given.strip() == lock.strip():
        return None
    candidates = (store.candidate(other) for other in store.names(TaskCandidate))
    decided = [one for one in candidates if one and one.spec.base_ref.name == name and one.status.accepted is not None]
    if not decided:
        return None
    tasks = sum(one.status.accepted is True for one in decided)
    return (
        f"warning: a lock makes another base of {name}; {len(decided)} verdicts in {store.path}, {tasks} of them tasks,"
        " rest on the one without it: the next run builds the base again and judges its candidates anew, and until then"
        " those tasks are graded on the base that they were made on; give another --store to keep both"
    )


def _lock(store: Store, base: ModernBase) -> str:
    name, digest = base.metadata.name, base.status.evidence.get("lock")
    if not is_ready(base):
        raise InputError(f"ModernBase {name}: not ready ({reason_of(base).value}): {message_of(base)}")
    if digest is None:
        raise InputError(f"ModernBase {name}: its setup installed no package that a lock could hold")
    return store.evidence(digest).decode()
