"""The vault's changes made into tasks, once a session for every worker, and answers to them graded in this process."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from change2task.api.manifests import parse_manifests
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import Profile, TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.cli.choices import Runtime
from change2task.cli.inputs import Inputs
from change2task.cli.sessions import Session, open_session
from change2task.corpus.store import Store
from change2task.corpus.verdicts import Grade
from change2task.pipeline.grading import Replay, grade_patch, replay
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.run import Run
from change2task.vcs.trees import FILE, Entry, Tree
from tests.support.packages import package_index
from tests.support.silent import Silent
from tests.support.vault import URL, candidates, tell
from tests.support.world import PYTEST, base, documents


@dataclass
class Vault:
    """The tasks made, and everything to grade answers to them."""

    store: Store
    base: BaseOnHand

    def status(self, name: str) -> Any:
        """The status of a candidate."""
        found = self.store.candidate(name)
        assert found is not None
        return found.status

    def variant(self, name: str) -> TaskVariant:
        """The task of a candidate, which must have been accepted."""
        status = self.status(name)
        assert status.accepted, f"{name}: {status.reason}: {status.message}"
        found = self.store.variant(status.variant_ref.name)
        assert found is not None
        return found

    def answer(self, name: str, files: dict[str, str | None]) -> bytes:
        """The patch that gives these files of a task's tree this content."""
        repository, tree = self.base.repository, self.variant(name).spec.trees.agent
        entries = dict(repository.tree(tree))
        for path, text in files.items():
            if text is None:
                del entries[path.encode()]
            else:
                entries[path.encode()] = Entry(FILE, repository.write_blob(text.encode()))
        return repository.diff(tree, repository.write_tree(Tree(entries)))

    def grade(self, name: str, patch: bytes | dict[str, str | None]) -> Grade:
        """The grade of a patch, or of files."""
        content = patch if isinstance(patch, bytes) else self.answer(name, patch)
        return grade_patch(self.store, self.base, self.variant(name), content)

    def source(self, name: str, path: str) -> str:
        """A file as the agent is given it."""
        repository = self.base.repository
        entry = repository.entry(self.variant(name).spec.trees.agent, path.encode())
        assert entry is not None
        return repository.blob(entry.oid).decode()

    def restoration(self, name: str) -> bytes:
        """The reference answer of a task whose answer is a patch."""
        trees = self.variant(name).spec.trees
        return self.base.repository.diff(trees.task, trees.healthy)

    def hidden_tests(self, name: str) -> bytes:
        """The reference answer of a task whose answer is tests: what was hidden."""
        trees = self.variant(name).spec.trees
        return self.base.repository.diff(trees.agent, trees.task)

    def replay(self, name: str) -> Replay:
        """The three states once more."""
        return replay(self.store, self.base, self.variant(name))


def _run(folder: Path, store: Store, session: Session, inputs: Inputs, cancel: threading.Event) -> None:
    run = Run(session.bases, session.candidates, Silent(), jobs=2, cancel=cancel)
    whole = run.run(inputs.bases.values(), inputs.candidates)
    assert not whole.faults, whole.faults
    (folder / "done").write_text("")


def _inputs(folder: Path) -> Inputs:
    parsed = parse_manifests((folder / "vault.yaml").read_bytes(), "vault.yaml")
    assert not parsed.problems, parsed.problems
    return Inputs(
        bases={r.metadata.name: r for r in parsed.resources if isinstance(r, ModernBase)},
        candidates=tuple(r for r in parsed.resources if isinstance(r, TaskCandidate)),
        forge={},
        mirrors={URL: str(folder / "repo")},
    )


@pytest.fixture(scope="session")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """The history told and run."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / "vault"
    with ExitStack() as stack:
        served = stack.enter_context(package_index())
        for name in PYTEST:
            served.add_installed(name, uploaded="2020-01-01")
        # Other tests of this worker have an index of their own: it is set back before they run.
        variables = pytest.MonkeyPatch()
        stack.callback(variables.undo)
        variables.setenv("UV_DEFAULT_INDEX", served.url)
        cancel = threading.Event()
        with FileLock(f"{folder}.lock"):
            done = (folder / "done").is_file()
            if not done:
                shutil.rmtree(folder, ignore_errors=True)
                commits = tell(folder / "repo")
                vaults = base("vault", repository={"url": URL}, scope={})
                (folder / "vault.yaml").write_text(documents(vaults, *candidates(commits)))
            store, inputs = Store.open(folder / "store", create=True), _inputs(folder)
            session = stack.enter_context(
                open_session(
                    store, Runtime.PROCESS, Profile.FULL, inputs, reporter=Silent(), cancel=cancel, notice=print
                )
            )
            if not done:
                _run(folder, store, session, inputs, cancel)
        stored = store.base("vault")
        assert stored is not None
        reopened = Vault(store=store, base=session.bases.reopen(stored))
        variables.undo()
        yield reopened
