"""What is wrong with documents that are sound by themselves, on this machine and as they are to be run.

Repositories that are not there, formats that nobody reads, check commands their format cannot use, recipes that the
chosen runtime refuses, levels at which nothing is done: whoever will act on a field is asked, and nothing is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from typing import Final

from change2task.api.manifests import Origin, ParsedManifests, Resource
from change2task.api.modernbase import Checks, ModernBase, ModernBaseSpec
from change2task.api.problems import Problem, bounded, listed
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.base import lock
from change2task.base.refusals import NO_IMAGE, refusals
from change2task.checks.defaults import default_command
from change2task.checks.plan import CheckRequest
from change2task.checks.reader import plan_pass, suites
from change2task.cli.choices import Choices, Runtime
from change2task.construct.ladder import strategies
from change2task.history.globs import may_match
from change2task.runtime.choose import bubblewrap
from change2task.runtime.docker.sandbox import IMAGE_VARIABLE
from change2task.vcs.errors import PathNotFound
from change2task.vcs.mirror import local_path

_NO_PASS: Final = "0" * 16
_LEVELS: Final = (1, 2, 3)
_VARIABLE: Final = re.compile(r"[A-Za-z_.-][A-Za-z0-9_.-]*")
"""As Kubernetes has them; shells keep to letters, digits and _."""


def faults(parsed: ParsedManifests, mirrored: Collection[str], choices: Choices) -> Iterator[Problem]:
    """Faults of resources; ``mirrored`` are the URLs that are read elsewhere, ``choices`` how they are to be run."""
    yield from _one_name_each(parsed)
    for resource, origin in zip(parsed.resources, parsed.origins, strict=True):
        if isinstance(resource, TaskVariant):
            yield _fault(resource, origin, "kind", "TaskVariant", "tasks are made by change2task; remove the document")
        if isinstance(resource, ModernBase):
            yield from _of_base(resource, origin, mirrored)
            yield from _of_recipe(resource, origin, choices)
        if isinstance(resource, TaskCandidate):
            yield from _of_construction(resource, origin, choices)


def _one_name_each(parsed: ParsedManifests) -> Iterator[Problem]:
    """A cluster has a namespace for each of two equal names, a store has not."""
    seen: dict[tuple[str, str], str | None] = {}
    for one, origin in zip(parsed.resources, parsed.origins, strict=True):
        namespace = one.metadata.namespace
        first = seen.setdefault((one.kind, one.metadata.name), namespace)
        if first != namespace:
            said = (
                f"the name is taken in namespace {first or '(none)'}, and a store has no namespaces; use a --store each"
            )
            yield _fault(one, origin, "metadata.namespace", bounded(namespace), said)


def _of_base(base: ModernBase, origin: Origin, mirrored: Collection[str]) -> Iterator[Problem]:
    url, form = base.spec.repository.url, base.spec.checks.format
    if url not in mirrored and not _may_be_there(url):
        said = f"there is nothing at that path; correct it, or give --mirror {url}=PATH"
        yield _fault(base, origin, "spec.repository.url", bounded(url), said)
    if form not in suites():
        said = f"results of this format cannot be read; the formats are {listed(suites())}"
        yield _fault(base, origin, "spec.checks.format", bounded(form), said)
    elif unusable := _unusable(base.spec.checks):
        yield _fault(base, origin, "spec.checks.command", None, unusable)
    for name in base.spec.environment.env:
        if not _VARIABLE.fullmatch(name):
            said = "no environment variable can be called so; its name is letters, digits and _, no digit first"
            yield _fault(base, origin, "spec.environment.env", bounded(name), said)
    for field, globs in base.spec.scope.document().items():
        for place, pattern in enumerate(globs):
            if not may_match(pattern):
                said = "no path of a repository looks so; write it from the repository's root, like src/**"
                yield _fault(base, origin, f"spec.scope.{field}[{place}]", bounded(pattern), said)
    for problem in lock.problems(base.spec.environment.lock or ""):
        yield _fault(base, origin, "spec.environment.lock", None, problem)


def _unusable(checks: Checks) -> str | None:
    """What the format's reader says of a check command that it cannot plan a pass with."""
    said = "command" in checks.model_fields_set
    command = checks.command if said else default_command(checks.format) or checks.command
    request = CheckRequest(command=command, format=checks.format, reports=checks.reports, nonce=_NO_PASS)
    try:
        plan_pass("validate", request)
    except ValueError as error:
        return f"format {checks.format} cannot use it: {error}"
    return None


def _of_recipe(base: ModernBase, origin: Origin, choices: Choices) -> Iterator[Problem]:
    kind = "docker" if choices.runtime is Runtime.DOCKER else _process(base.spec)
    for refusal in refusals(base.spec, kind):
        yield _fault(base, origin, refusal.field, bounded(refusal.value), refusal.message)
    if kind == "docker" and base.spec.environment.image is None and not os.environ.get(IMAGE_VARIABLE):
        said = f"it {NO_IMAGE}; say one, or one for every base in the variable {IMAGE_VARIABLE}"
        yield _fault(base, origin, "spec.environment.image", None, said)


def _process(spec: ModernBaseSpec) -> str:
    """The kind of sandbox on this machine; it is tried only for a recipe that would notice."""
    if list(refusals(spec, "plain")) == list(refusals(spec, "bubblewrap")):
        return "bubblewrap"
    found = bubblewrap()
    return "plain" if isinstance(found, str) else found.name


def _of_construction(candidate: TaskCandidate, origin: Origin, choices: Choices) -> Iterator[Problem]:
    wanted = candidate.spec.construction
    profile = wanted.profile or choices.profile
    if strategies(profile, wanted.levels):
        return
    there = sorted({strategy.level for strategy in strategies(profile, _LEVELS)})
    said = f"no strategy of profile {profile.value} works at this level; there are some at {listed(map(str, there))}"
    yield _fault(candidate, origin, "spec.construction.levels", bounded(list(wanted.levels)), said)


def _may_be_there(url: str) -> bool:
    try:
        path = local_path(url)
    except PathNotFound:
        return False
    return path is None or path.exists()


def _fault(resource: Resource, origin: Origin, field: str, value: str | None, message: str) -> Problem:
    return Problem(
        source=origin.source,
        document_index=origin.document,
        line=origin.line,
        kind=resource.kind,
        name=resource.metadata.name,
        field=field,
        value=value,
        message=message,
    )
