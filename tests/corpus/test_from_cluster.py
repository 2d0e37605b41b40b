"""What stands on a cluster, as files of a store: what people and the pipeline said, nothing of the cluster's own."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, ModernBaseSpec, ModernBaseStatus, Repository
from change2task.api.progress import BaseProgress, Progress
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec, TaskCandidateStatus
from change2task.corpus.from_cluster import bring
from change2task.corpus.store import Store
from tests.support.kube import Api
from tests.support.variants import variant

WORDS = {"of-one": b"what one rests on", "of-base": b"what the base rests on"}


def evidence(reference: str) -> dict[str, bytes]:
    return {hashlib.sha256(WORDS[reference]).hexdigest(): WORDS[reference]}


@pytest.fixture
def api() -> Api:
    api = Api()
    base = ModernBaseSpec(repository=Repository(url="https://example.org/ada/toolbox"))
    told = ModernBaseStatus(progress=BaseProgress(key="k", outcome="of-base"))
    api.put(ModernBase(metadata=ObjectMeta(name="base", namespace="team"), spec=base, status=told).document())
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "team": "ours"}
    for name, of, outcome in (("one", "base", "of-one"), ("two", "other", None)):
        meta = ObjectMeta(name=name, namespace="team", annotations=annotations)
        status = TaskCandidateStatus(
            progress=Progress(key="k", outcome=outcome), variant_ref=Reference(name="tv-x") if outcome else None
        )
        spec = TaskCandidateSpec(base_ref=Reference(name=of), change=Change(pull_request=1))
        api.put(TaskCandidate(metadata=meta, spec=spec, status=status).document())
    task = variant()
    api.put(task.replacing(metadata=task.metadata.replacing(namespace="team")).document())
    return api


def brought(api: Any, folder: Path, *names: str) -> tuple[Store, tuple[str, ...]]:
    store = Store.open(folder / "store", create=True)
    return store, bring(api, "team", names, evidence, store)


def test_everything_of_a_namespace_comes_with_its_evidence(api: Api, tmp_path: Path) -> None:
    store, names = brought(api, tmp_path)
    assert names == ("one", "two", "base")
    assert store.variant("tv-x") is not None
    assert {path.read_bytes() for path in (store.path / "evidence").iterdir()} == set(WORDS.values())


@pytest.mark.parametrize("name", ["one", "base", "tv-x"])
def test_a_candidate_comes_by_its_own_name_its_bases_or_its_tasks(api: Api, tmp_path: Path, name: str) -> None:
    store, names = brought(api, tmp_path, name)
    assert names == ("one", "base")
    assert store.candidate("two") is None


def test_a_name_that_is_not_there_brings_nothing(api: Api, tmp_path: Path) -> None:
    assert brought(api, tmp_path, "three")[1] == ()


def test_what_the_cluster_keeps_for_itself_stays_there(api: Api, tmp_path: Path) -> None:
    store, _ = brought(api, tmp_path)
    text = (store.path / "candidates/one.yaml").read_text()
    assert "uid" not in text
    assert "last-applied" not in text
    assert "team: ours" in text
    assert "namespace" not in text
