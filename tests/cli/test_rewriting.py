"""A lock goes into a manifest without touching what else its author wrote."""

from __future__ import annotations

import json

import pytest
import yaml

from change2task.api.manifests import parse_manifests
from change2task.api.modernbase import ModernBase
from change2task.cli.rewriting import with_lock

LOCK = "one==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\ntwo==2.0 \\\n    --hash=sha256:cc\n"
HEAD = "apiVersion: change2task.dev/v1alpha1\nkind: ModernBase\nmetadata: {name: mine}  # my base\n"
CANDIDATE = """\
---
# a change that we like
apiVersion: change2task.dev/v1alpha1
kind: TaskCandidate
metadata: {name: one}
spec:
  baseRef: {name: mine}
  change: {commit: abc1234}
"""
BASES = {
    "nothing said": HEAD + "spec:\n  # where it is\n  repository: {url: https://example.org/a}\n",
    "something said": HEAD + "spec:\n  repository:\n    url: https://example.org/a\n  environment:\n    # kept\n"
    "    asOf: 2024-01-31  # this too\n    setup:\n    - pip install x\n  scope: {source: [a/**]}\n",
    "in braces": HEAD + "spec: {repository: {url: https://example.org/a}, environment: {asOf: 2024-01-31}}\n",
    "in braces, nothing said": HEAD + "spec: {repository: {url: https://example.org/a}}\n",
    "empty braces": HEAD + "spec:\n  repository: {url: https://example.org/a}\n  environment: {}\n",
    "no value": HEAD + "spec:\n  repository: {url: https://example.org/a}\n  environment:\n  scope: {}\n",
    "an older lock": HEAD + "spec:\n  repository: {url: https://example.org/a}\n  environment:\n    lock: |\n"
    "      one==0.9 \\\n          --hash=sha256:dd\n\n    # kept\n    asOf: 2024-01-31\n",
    "an older lock in braces": HEAD + "spec: {repository: {url: https://example.org/a}, environment: {lock: x==1}}\n",
    "json": json.dumps(yaml.safe_load(HEAD + "spec: {repository: {url: https://example.org/a}}\n"), indent=2)
    + "\n",
    "an alias": HEAD + "spec:\n  repository: {url: https://example.org/a}\n  environment: &e\n    env: {A: b}\n"
    "  checks: {}\n",
}  # fmt: skip


@pytest.mark.parametrize("around", ["alone", "before", "after"])
@pytest.mark.parametrize("text", BASES.values(), ids=BASES)
def test_the_lock_stands_in_its_field_and_all_else_says_what_it_said(text: str, around: str) -> None:
    whole = {"alone": text, "before": text + CANDIDATE, "after": CANDIDATE + "---\n" + text}[around]
    before = parse_manifests(whole.encode(), "before")
    assert before.problems == ()
    [base] = [one for one in before.resources if isinstance(one, ModernBase)]
    after = parse_manifests(with_lock(whole.encode(), base, LOCK), "after")
    assert after.problems == ()
    expected = [
        one.replacing(spec=one.spec.replacing(environment=one.spec.environment.replacing(lock=LOCK)))
        if isinstance(one, ModernBase)
        else one
        for one in before.resources
    ]
    assert list(after.resources) == expected


@pytest.mark.parametrize("name", ["nothing said", "something said", "in braces", "an alias"])
def test_comments_and_order_stay(name: str) -> None:
    text = BASES[name]
    [base] = parse_manifests(text.encode(), "").resources
    assert isinstance(base, ModernBase)
    after = iter(with_lock(text.encode(), base, LOCK).decode().splitlines())
    kept = text.splitlines() if name != "in braces" else text.splitlines()[:3]
    assert all(line in after for line in kept)


def test_a_lock_is_replaced_by_itself_without_a_trace() -> None:
    text = BASES["something said"]
    [base] = parse_manifests(text.encode(), "").resources
    assert isinstance(base, ModernBase)
    once = with_lock(text.encode(), base, LOCK)
    [locked] = parse_manifests(once, "").resources
    assert isinstance(locked, ModernBase)
    assert with_lock(once, locked, LOCK) == once


def test_a_base_within_a_list_is_refused() -> None:
    [base] = parse_manifests(BASES["nothing said"].encode(), "").resources
    assert isinstance(base, ModernBase)
    listed = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [base.document(), base.document()]})
    with pytest.raises(ValueError, match="no document of its own"):
        with_lock(listed.encode(), base, LOCK)
