"""The version of a revision whose tree carries no ``.git``, told to the tools that would ask git for it.

It exists because sandboxes see a project's files and never its repository, while setuptools-scm and its kin refuse
to build without one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from change2task.vcs.repository import Repository
from change2task.vcs.walk import Walk

NO_TAG = "0.1.dev0"
WITHOUT_VARIABLE = frozenset({"versioningit", "setuptools-git-versioning", "dunamai"})
_VARIABLES = {
    "pdm-backend": "PDM_BUILD_SCM_VERSION",
    "pbr": "PBR_VERSION",
    "poetry-dynamic-versioning": "POETRY_DYNAMIC_VERSIONING_BYPASS",
    "uv-dynamic-versioning": "UV_DYNAMIC_VERSIONING_BYPASS",
}
_RELEASE = re.compile(r"\d+(?:\.\d+)+\S*$|\d+$")
_TAGS = "refs/tags/"


class Described(NamedTuple):
    """The nearest tag that holds a version, and how many commits came after it."""

    tag: str
    distance: int


def nearest(repository: Repository, commit: str) -> Described | None:
    """The newest tagged ancestor whose tag holds a version; of several tags on it the highest. Raises MissingObject."""
    tags: dict[str, str] = {}
    for name, oid in repository.refs().items():
        version = _version(name.removeprefix(_TAGS)) if name.startswith(_TAGS) else None
        if version is not None:
            known = _version(tags.get(oid, ""))
            if known is None or version > known:
                tags[oid] = name.removeprefix(_TAGS)
    for oid in repository.walk_oids(Walk((commit,))):
        if oid in tags:
            after = Walk((commit,), excluded=(oid,))
            return Described(tags[oid], sum(1 for _ in repository.walk_oids(after)))
    return None


def version_of(described: Described | None) -> str:
    """PEP 440: the tag's own version, or the next development version past it, as setuptools-scm guesses it."""
    tagged = None if described is None else _version(described.tag)
    if described is None or tagged is None:
        return NO_TAG
    if described.distance == 0:
        return str(tagged)
    if tagged.pre is not None:
        return f"{tagged.base_version}{tagged.pre[0]}{tagged.pre[1] + 1}.dev{described.distance}"
    release = list(tagged.release)
    release[-1] += 1
    return f"{'.'.join(map(str, release))}.dev{described.distance}"


def _version(tag: str) -> Version | None:
    found = _RELEASE.search(tag)
    if found is None:
        return None
    try:
        return Version(found[0])
    except InvalidVersion:
        return None


def pretending(tools: tuple[str, ...], name: str | None, version: str) -> dict[str, str]:
    """Environment variables that make version tools answer ``version`` for the project ``name`` alone.

    hatch-vcs and unnamed projects know no per-project form and get the general one.
    """
    variables: dict[str, str] = {}
    for tool in tools:
        if tool in {"setuptools-scm", "hatch-vcs"} and name is not None:
            own = canonicalize_name(name).replace("-", "_").upper()
            variables[f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{own}"] = version
        if tool == "hatch-vcs" or (tool == "setuptools-scm" and name is None):
            variables["SETUPTOOLS_SCM_PRETEND_VERSION"] = version
        if tool in _VARIABLES:
            variables[_VARIABLES[tool]] = version
    return variables
