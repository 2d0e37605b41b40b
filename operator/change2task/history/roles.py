"""Which part a file plays: source, tests, docs, metadata or generated; only source is ever undone.

The order of trust is: globs of the manifest, what the runner found, attributes of the repository, then conventions of
the language, weighed with what lies around the file (a folder ``test`` without a single test in it ships with the
product). It reads no repository itself: paths, attributes and contents are given.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping

from change2task.api.modernbase import Scope
from change2task.history import names
from change2task.history.attributes import Attributes
from change2task.history.contents import has_generator_banner, only_states_version
from change2task.history.fragments import Fragments
from change2task.history.globs import as_text, is_folder_glob, matches
from change2task.history.models import Role

_SOURCE_ROOTS = frozenset(("src", "lib", "pkg", "internal", "cmd", "app", "crates", "packages", "source", "sources"))
_VERSION_MODULE = re.compile(r"_?_?version_?_?\.py")


class Roles:
    """The roles of one repository's files."""

    def __init__(
        self,
        scope: Scope,
        paths: Iterable[bytes] = (),
        attributes: Mapping[bytes, bytes] | None = None,
        checks: Container[bytes] = (),
        fragments: Fragments | None = None,
    ) -> None:
        """``paths``: all paths of the tree, for context; ``attributes``: its ``.gitattributes`` by path.

        ``checks``: files in which the runner found tests, whatever they are called; ``fragments``: where the project
        itself says that its news fragments lie.
        """
        self._fragments = fragments or Fragments()
        self._scope = scope
        self._checks = checks
        self._attributes = Attributes(attributes or {})
        self._packages: set[str] = set()
        self._test_folders: set[str] = set()
        self._code_folders: set[str] = set()
        for path in paths:
            folder, _, name = as_text(path).rpartition("/")
            if name == "__init__.py":
                self._packages.add(folder)
            elif folder and names.suffix(name) in names.CODE_SUFFIXES and not names.is_test_file_name(name):
                self._code_folders.add(folder)
            if names.is_test_file_name(name):
                self._test_folders.update(_and_above(folder))

    def role(self, path: bytes, content: bytes | None = None) -> Role:
        """The role of a file; its content (any side of the change) settles what the name leaves open."""
        scope = self._scope
        for globs, role in ((scope.generated, Role.GENERATED), (scope.tests, Role.TESTS), (scope.docs, Role.DOCS)):
            if matches(path, globs):
                return role
        if path in self._checks:
            return Role.TESTS
        if matches(path, (g for g in scope.source if not is_folder_glob(g))):
            return Role.SOURCE
        role = self._by_attributes(path) or self._by_convention(path, content)
        if role is Role.SOURCE and scope.source and not matches(path, scope.source):
            return Role.METADATA
        return role

    def protected(self, path: bytes) -> bool:
        """Whether the manifest forbids every task to touch the file."""
        return matches(path, self._scope.protected)

    def in_product(self, path: bytes) -> bool:
        """Whether the file lies where the product may read it, whatever it is called; news fragments are not read."""
        *above, name = as_text(path).split("/")
        folders = tuple(above)
        return self._beside_code(folders) and not self._is_fragment(path, folders, name)

    def _by_attributes(self, path: bytes) -> Role | None:
        if self._attributes.says(path, "linguist-generated") or self._attributes.says(path, "linguist-vendored"):
            return Role.GENERATED
        return Role.DOCS if self._attributes.says(path, "linguist-documentation") else None

    def _by_convention(self, path: bytes, content: bytes | None) -> Role:
        *above, name = as_text(path).split("/")
        folders = tuple(above)
        kept = self._attributes.says(path, "linguist-generated") is False
        if not kept and names.is_generated_name(folders, name):
            return Role.GENERATED
        if self._is_test(folders, name):
            return Role.TESTS
        if self._is_news(path, folders, name):
            return Role.DOCS
        if names.is_metadata_name(folders, name):
            return Role.METADATA
        if content is not None:
            if not kept and has_generator_banner(content):
                return Role.GENERATED
            if _VERSION_MODULE.fullmatch(name) and only_states_version(content):
                return Role.METADATA
        return self._of_what_is_left(folders, name)

    def _is_news(self, path: bytes, folders: tuple[str, ...], name: str) -> bool:
        if not self._in_product(folders) and (names.is_news_file(folders, name) or names.is_news_fragment(name)):
            return True
        return self._is_fragment(path, folders, name)

    def _is_fragment(self, path: bytes, folders: tuple[str, ...], name: str) -> bool:
        said = self._fragments.says(path)
        return said if said is not None else names.is_news_fragment(name) and not self._holds_code(folders)

    def _is_test(self, folders: tuple[str, ...], name: str) -> bool:
        if names.is_test_file_name(name) or (not folders and name == "test.py"):
            return True
        for depth, folder in enumerate(folders):
            if names.is_test_folder(folder):
                return True
            if names.may_be_test_folder(folder):
                inside = "/".join(folders[: depth + 1])
                if inside not in self._packages or inside in self._test_folders:
                    return True
        return False

    def _of_what_is_left(self, folders: tuple[str, ...], name: str) -> Role:
        inside = self._in_product(folders)
        code = names.suffix(name) in names.CODE_SUFFIXES
        documented = any(names.is_doc_folder(f) for f in (folders[:1] if code and inside else folders))
        if documented and not (code and "/".join(folders) in self._packages):
            return Role.DOCS
        if code:
            return Role.SOURCE
        template = any(f.lower() in {"templates", "template", "_templates"} for f in folders)
        if names.is_document_by_itself(name):
            return Role.DOCS
        if names.is_doc_name(name):
            if not self._beside_code(folders):
                return Role.DOCS
            inside = inside or names.suffix(name) in names.PROSE_SUFFIXES
        if inside and (template or names.suffix(name) in names.DATA_SUFFIXES):
            return Role.SOURCE
        return Role.METADATA

    def _in_product(self, folders: tuple[str, ...]) -> bool:
        """Whether the folder travels with the product: below a package or a customary source root."""
        if any("/".join(folders[: n + 1]) in self._packages for n in range(len(folders))):
            return True
        return any(f in _SOURCE_ROOTS for f in folders) and not names.is_doc_folder(folders[0])

    def _beside_code(self, folders: tuple[str, ...]) -> bool:
        """Whether it lies in the product, or below a folder of code that is no package by name (Go, namespaces)."""
        if self._in_product(folders):
            return True
        if any(names.is_doc_folder(f) for f in folders):
            return False
        return any("/".join(folders[: n + 1]) in self._code_folders for n in range(len(folders)))

    def _holds_code(self, folders: tuple[str, ...]) -> bool:
        folder = "/".join(folders)
        return folder in self._packages or folder in self._code_folders


def _and_above(folder: str) -> set[str]:
    parts = folder.split("/")
    return {"/".join(parts[: n + 1]) for n in range(len(parts))}
