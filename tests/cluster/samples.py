"""One resource of each kind with every field of its spec set, and for each field another value that is allowed too."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Spec = dict[str, Any]

DIGEST, OTHER = "ab" * 32, "cd" * 32
COUNTS = {"files": 1, "hunks": 2, "lines": 3, "symbols": 1, "targetChecks": 1, "regressionChecks": 4}
PATCH = {"encoding": "text", "data": "--- a/x\n+++ b/x\n", "digest": DIGEST, "size": 16}
ORACLE = {"gone": ["old.name"], "used": ["new.name"], "paths": ["src/**/*.py"]}
SCRIPT = {"command": ["sh", "check.sh"], "files": {"check.sh": "exit 0\n"}}
STORED_SCRIPT = {**SCRIPT, "artifacts": {"large.txt": DIGEST}}

MODERN_BASE: Spec = {
    "repository": {"url": "https://git.example.org/x.git", "credentialsSecretRef": {"name": "git-read"}},
    "revision": {"healthy": "v1.2", "target": "main", "strict": True},
    "environment": {
        "image": "python:3.12",
        "asOf": "2026-01-31",
        "setup": ["uv pip install -e ."],
        "setupTimeoutSeconds": 60,
        "rebuild": ["make"],
        "systemPackages": ["libxml2"],
        "env": {"LANG": "C.UTF-8"},
        "lock": "x==1\n",
    },
    "checks": {
        "command": ["sh", "check.sh"],
        "format": "junit",
        "reports": ["out/*.xml"],
        "timeoutSeconds": 600,
        "testTimeoutSeconds": 30,
    },
    "scope": {
        "source": ["src/**"],
        "tests": ["tests/**"],
        "docs": ["docs/**"],
        "generated": ["gen/**"],
        "protected": ["ci/**"],
    },
    "history": {"depth": 100},
    "build": {"builder": "dind", "registry": "registry.example.org/bases", "cache": False},
    "podTemplate": {
        "resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}},
        "nodeSelector": {"pool": "tests"},
        "tolerations": [
            {
                "key": "pool",
                "operator": "Equal",
                "value": "tests",
                "effect": "NoExecute",
                "tolerationSeconds": 60,
            }
        ],
        "priorityClassName": "low",
        "serviceAccountName": "checks",
        "imagePullSecrets": [{"name": "pull"}],
        "labels": {"team": "a"},
    },
    "retention": {"finishedJobsSeconds": 60},
    "mining": {"since": "2025-01-01", "limit": 10, "families": ["BugFix"], "minimumScore": 0.5},
}
MODERN_BASE_CHANGES: Spec = {
    "repository": {"url": "https://git.example.org/y.git"},
    "revision": {"healthy": "v1.3"},
    "environment": {"image": "python:3.13"},
    "checks": {"command": ["pytest", "-q"]},
    "scope": {"source": ["lib/**"]},
    "history": {"depth": 7},
    "build": {"builder": "podman"},
    "podTemplate": {"labels": {"team": "b"}},
}

TASK_CANDIDATE: Spec = {
    "baseRef": {"name": "base"},
    "change": {"pullRequest": 603},
    "family": "BugFix",
    "intent": {"title": "Repair it", "body": "It is broken."},
    "checks": [
        {"id": "tests/test_x.py::test_it", "kind": "test", "role": "target"},
        {"id": "no-old-name", "kind": "static", "role": "target", "static": ORACLE},
        {"id": "script", "kind": "script", "role": "regression", "script": SCRIPT},
    ],
    "construction": {"profile": "full", "levels": [1, 2], "attempts": 2},
    "validation": {"taskRepeats": 2, "healthyRepeats": 1, "oracle": {"parts": 3, "minimum": 0.5}},
    "suspend": False,
}
TASK_CANDIDATE_CHANGES: Spec = {
    "baseRef": {"name": "other"},
    "change": {"commit": "v1.2"},
    "family": "Auto",
    "intent": {"title": "Another"},
    "checks": [],
    "construction": {"levels": [1]},
    "validation": {"taskRepeats": 5},
}

TASK_VARIANT: Spec = {
    "base": {
        "name": "base",
        "key": "k1",
        "repository": "https://git.example.org/x.git",
        "commit": "c1",
        "tree": "t1",
        "environmentKey": "e1",
        "imageDigest": f"sha256:{DIGEST}",
    },
    "sourceChange": {
        "commit": "c0",
        "parent": "c",
        "pullRequest": 603,
        "title": "Repair",
        "patchDigest": DIGEST,
        "advisories": ["CVE-2024-1234"],
    },
    "family": "BugFix",
    "goal": "Repair the bug.",
    "statement": {
        "title": "It is broken",
        "body": "Repair it.",
        "provenance": "intent",
        "interface": [{"name": "half", "path": "src/toolbox.py"}],
        "codeCut": 1,
    },
    "output": {"output": "patch", "permitted": ["src/**"], "protected": ["tests/**"]},
    "taskPatch": PATCH,
    "hidingPatch": PATCH,
    "restorationPatch": PATCH,
    "trees": {"healthy": "t1", "task": "t2", "agent": "t3"},
    "checks": {
        "targets": [
            {"id": "t", "kind": "static", "role": "target", "hidden": True, "static": ORACLE},
            {"id": "s", "kind": "script", "role": "target", "hidden": True, "script": STORED_SCRIPT},
        ],
        "observers": [{"id": "o", "kind": "static", "role": "observer", "hidden": True, "static": ORACLE}],
        "regression": [
            {"id": "r", "kind": "static", "role": "regression", "hidden": False, "static": ORACLE},
            {"id": "q", "kind": "script", "role": "regression", "hidden": True, "script": STORED_SCRIPT},
        ],
        "regressionDigest": DIGEST,
        "regressionCount": 4,
        "hiddenFiles": {"tests/test_x.py": "b1"},
        "hiddenRegression": ["tests/test_x.py::test_also"],
    },
    "traces": {"CHANGES.md": "1 lines of the change removed"},
    "tracesLeft": {"README.md": "checks need it"},
    "labels": ["exact-value"],
    "oracle": {
        "parts": 2,
        "noticed": 1,
        "untried": 1,
        "unnoticed": [{"kind": "function", "path": "src/x.py", "line": 3, "name": "half", "idle": True}],
    },
    "shared": ["half"],
    "level": 1,
    "strategy": "ExactReversal",
    "fidelity": {
        "files": 1.0,
        "hunks": 1.0,
        "lines": 1.0,
        "symbols": 1.0,
        "targetChecks": 1.0,
        "regressionChecks": 1.0,
        "score": 1.0,
        "lineRatio": 1.0,
        "regressionRatio": 1.0,
        "source": COUNTS,
        "modern": COUNTS,
    },
    "toolVersion": "0.1.0",
}
TASK_VARIANT_CHANGES: Spec = {
    "base": {**TASK_VARIANT["base"], "commit": "c2"},
    "sourceChange": {**TASK_VARIANT["sourceChange"], "title": "Other"},
    "family": "SecurityRepair",
    "goal": "Another.",
    "statement": {**TASK_VARIANT["statement"], "body": "Another."},
    "output": {**TASK_VARIANT["output"], "permitted": ["lib/**"]},
    "taskPatch": {**PATCH, "digest": OTHER},
    "hidingPatch": {**PATCH, "digest": OTHER},
    "restorationPatch": {**PATCH, "digest": OTHER},
    "trees": {**TASK_VARIANT["trees"], "task": "t9"},
    "checks": {**TASK_VARIANT["checks"], "regressionCount": 5},
    "traces": {"NEWS.md": "removed: the change brought it"},
    "tracesLeft": {"setup.cfg": "the build needs it"},
    "labels": ["release-sized"],
    "oracle": {"parts": 2, "noticed": 2},
    "shared": ["third"],
    "level": 2,
    "strategy": "UniqueBlock",
    "fidelity": {**TASK_VARIANT["fidelity"], "score": 0.9},
    "toolVersion": "0.2.0",
}

SPECS: dict[str, Spec] = {"modernbases": MODERN_BASE, "taskcandidates": TASK_CANDIDATE, "taskvariants": TASK_VARIANT}
CHANGES: dict[str, Spec] = {
    "modernbases": MODERN_BASE_CHANGES,
    "taskcandidates": TASK_CANDIDATE_CHANGES,
    "taskvariants": TASK_VARIANT_CHANGES,
}
KINDS = {"modernbases": "ModernBase", "taskcandidates": "TaskCandidate", "taskvariants": "TaskVariant"}


def resource(plural: str, spec: Spec | None = None) -> dict[str, Any]:
    """A resource of a kind, with the whole sample as its spec or with another."""
    return {
        "apiVersion": "change2task.dev/v1alpha1",
        "kind": KINDS[plural],
        "metadata": {"name": "sample"},
        "spec": deepcopy(SPECS[plural] if spec is None else spec),
    }


def replaced(spec: Spec, path: tuple[str | int, ...], value: Any) -> Spec:
    """A copy of a spec with another value in one place."""
    copy = deepcopy(spec)
    place: Any = copy
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return copy
