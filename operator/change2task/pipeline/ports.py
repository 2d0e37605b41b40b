"""What the pipeline needs from the outside, as it needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from change2task.api.modernbase import Scope
from change2task.checks.naming import naming
from change2task.checks.passes import PassRunner, ScriptCall
from change2task.families.contract import Surface
from change2task.history.files import roles_of
from change2task.history.models import Role
from change2task.history.roles import Roles
from change2task.patch.paths import quote
from change2task.runtime.sandbox import Sandbox
from change2task.runtime.workspace import Workspaces
from change2task.validate.written import files_with_checks
from change2task.vcs.repository import Repository


@dataclass(frozen=True)
class Ground:
    """Where the commands of one base run."""

    sandbox: Sandbox
    workspaces: Workspaces


Clock = Callable[[], datetime]
"""The time now, aware of its zone."""

Grounds = Callable[[str], Ground]
"""The ground of a base by its name: one for all where a sandbox chooses paths, one each where it cannot."""


@dataclass(frozen=True)
class BaseOnHand:
    """A healthy base ready for candidates: trees and commits as git ids, checks by id."""

    name: str
    url: str
    key: str
    commit: str
    tree: str
    environment_key: str
    inventory_digest: str
    healthy: frozenset[str]
    other: dict[str, str]
    check_format: str
    scope: Scope
    repository: Repository
    runner: PassRunner
    modules: frozenset[str] = frozenset()
    """Names under which its checks find Python modules outside of the project."""
    build: ScriptCall | None = None
    """What finds out whether all of it builds, where checks do not say."""

    def roles(self) -> Roles:
        """Roles of the base's files."""
        return roles_of(self.repository, self.repository.tree(self.tree), self.scope, self.check_files)

    @cached_property
    def check_files(self) -> frozenset[bytes]:
        """Files in which checks are written, though by their names they would be no tests."""
        return files_with_checks(
            self.repository, self.tree, self.scope, (*self.healthy, *self.other), naming(self.check_format)
        )

    def sources(self) -> frozenset[str]:
        """Quoted paths of the base's permitted source."""
        roles = self.roles()
        return frozenset(
            quote(path)
            for path in self.repository.tree(self.tree)
            if roles.role(path) is Role.SOURCE and not roles.protected(path)
        )

    def surface(self) -> Surface:
        """The base's files by what a task may do to them."""
        roles = self.roles()
        found: dict[str, list[str]] = {"source": [], "tests": [], "protected": [], "others": []}
        names = naming(self.check_format)
        checks = {names.name(identity).scope for identity in (*self.healthy, *self.other)}
        for path in self.repository.tree(self.tree):
            name, role = quote(path), roles.role(path)
            if role in {Role.METADATA, Role.GENERATED} or roles.protected(path):
                found["protected"].append(name)
            elif role is Role.TESTS or (role is Role.DOCS and name in checks):
                found["tests"].append(name)
            else:
                found["source" if role is Role.SOURCE else "others"].append(name)
        return Surface.model_validate({part: tuple(sorted(paths)) for part, paths in found.items()})
