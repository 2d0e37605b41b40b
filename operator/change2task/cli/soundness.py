"""What is wrong with sound documents on this machine: repositories that are not there, formats that nobody reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from change2task.api.manifests import Origin, ParsedManifests, Resource
from change2task.api.modernbase import ModernBase
from change2task.api.problems import Problem, bounded, listed
from change2task.api.taskvariant import TaskVariant
from change2task.base import lock
from change2task.checks.reader import readers
from change2task.vcs.errors import PathNotFound
from change2task.vcs.mirror import local_path


def faults(parsed: ParsedManifests, mirrored: Collection[str]) -> Iterator[Problem]:
    """Faults of resources; ``mirrored`` are the URLs that are read elsewhere."""
    yield from _one_name_each(parsed)
    for resource, origin in zip(parsed.resources, parsed.origins, strict=True):
        if isinstance(resource, TaskVariant):
            yield _fault(resource, origin, "kind", "TaskVariant", "tasks are made by change2task; remove the document")
        if isinstance(resource, ModernBase):
            yield from _of_base(resource, origin, mirrored)


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
    if form not in readers():
        said = f"results of this format cannot be read; the formats are {listed(readers())}"
        yield _fault(base, origin, "spec.checks.format", bounded(form), said)
    for problem in lock.problems(base.spec.environment.lock or ""):
        yield _fault(base, origin, "spec.environment.lock", None, problem)


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
