"""The product's drivers as the command line makes them, on a store of the benchmark's own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from change2task.api.taskcandidate import Profile
from change2task.cli.choices import Runtime
from change2task.cli.inputs import Inputs
from change2task.cli.sessions import Session, open_session
from change2task.corpus.store import Store
from tests.bench.histories.cases import History
from tests.support.silent import Silent


@contextmanager
def opened(history: History, mirror: Path, folder: Path) -> Iterator[Session]:
    """Drivers for one repository on the store in ``folder``, held alone."""
    store = Store.open(folder, create=True)
    inputs = Inputs(
        bases={history.base.metadata.name: history.base},
        candidates=tuple(case.candidate for case in history.cases),
        forge={},
        mirrors={history.url: str(mirror)},
    )
    with (
        store.exclusive(),
        open_session(
            store,
            Runtime.PROCESS,
            Profile.FULL,
            inputs,
            reporter=Silent(),
            cancel=threading.Event(),
            notice=lambda text: print(text, file=sys.stderr),  # noqa: T201
        ) as session,
    ):
        yield session
