"""One build of an environment in a folder of its own: steps, the search for copies, the lock, the record.

It exists apart from ``build`` so that what is done once for a key is apart from how it is done. Faults of the base
end the build unless a poorer recipe is left; an index that keeps no dates makes it start again without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from packaging.version import Version

from change2task.api.modernbase import Scope
from change2task.api.reasons import Reason
from change2task.base import compilers, copies, dating, disk, leftovers, lock
from change2task.base.dating import Index
from change2task.base.environment import DOCUMENT, LEFTOVERS, Environment, runtime_environment
from change2task.base.faults import IndexRefused, built_fault
from change2task.base.freeze import Frozen, freeze
from change2task.base.known import Held
from change2task.base.places import Tools, mount
from change2task.base.recipe import Recipe
from change2task.base.site import Site
from change2task.base.steps import Bench, StepFailed
from change2task.checks.passes import InfrastructureFault
from change2task.history.models import Role
from change2task.history.roles import Roles
from change2task.patch.paths import quote
from change2task.runtime import trees
from change2task.runtime.models import Mount
from change2task.vcs.materialise import materialise
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Tree

if TYPE_CHECKING:
    from change2task.base.build import Builder

_log = structlog.get_logger(__name__)
_PIP = re.compile(r"(?<!uv )\bpip3?\s+(?:install|download|wheel)\b|-m\s+pip\b")
_DATING_PIP = Version("26")


class Attempt:
    """One build in its staging folder."""

    def __init__(
        self, builder: Builder, site: Site, repository: Repository, url: str, tree: str, tools: Tools, key: str,
        staging: Path, held: Held | None = None,
    ) -> None:  # fmt: skip
        self.builder, self.site, self.repository = builder, site, repository
        self.tools, self.key, self.staging, self.held = tools, key, staging, held
        self.layout = builder.sandbox.layout
        self.tree_id, self.tree = tree, repository.tree(tree)
        self.content, self.work, self.home = site.content, site.work, site.home
        self.downloads = builder.cache / "uv" / sha256(url.encode()).hexdigest()[:16]
        self.notes: list[str] = []

    def run(self, recipe: Recipe) -> None:
        """Build, and leave everything with its record in the staging folder.

        Raises Faulted, ToolchainMissing, InfrastructureFault, Cancelled.
        """
        dated = True
        if self.held is not None:
            recipe, dated = self.held.recipe(recipe), self.held.dated
        while True:
            try:
                self._attempt(recipe, dated=dated)
                return
            except StepFailed as failed:
                index = self._whose_fault(recipe, failed)
                if index is Index.UNDATED and dated:
                    _log.warning("the package index keeps no upload dates", key=self.key[:12])
                    dated = False
                    continue
                poorer = recipe.falling_back(failed.tail.splitlines()[-1][:200])
                if poorer is None:
                    raise built_fault(Reason.SETUP_FAILED, f"{failed}{self._hint(recipe)}") from failed
                _log.info("setup is tried in a poorer way", key=self.key[:12], setup=poorer.setup)
                recipe = poorer

    def _hint(self, recipe: Recipe) -> str:
        if self.held is not None:
            return "\nIt was held to the packages of the lock that is stored with the base."
        return "\nThe step was inferred; spec.environment.setup can give others." if recipe.inferred else ""

    def _attempt(self, recipe: Recipe, *, dated: bool) -> None:
        self._prepare()
        try:
            self._make(recipe, dated=dated)
        except BaseException:
            self.site.take_back()
            raise

    def _prepare(self) -> None:
        self.notes = []
        for folder in (self.staging, self.content, self.work, self.home):
            remove(folder)
        for folder in (self.staging / "logs", self.staging / "lock", self.content, self.home, self.downloads):
            folder.mkdir(parents=True, exist_ok=True)
        self.site.begin()
        materialise(self.repository, self.tree, self.work)

    def _make(self, recipe: Recipe, *, dated: bool) -> None:
        self.bench = bench = self._bench(recipe, dated=dated)
        if self.tools.interpreter is not None:
            self._virtual_environment(bench, recipe, self.tools.interpreter.executable)
        for step in recipe.setup:
            _log.info("setup", key=self.key[:12], step=step)
            bench.step(step)
        frozen = self._freeze(bench)
        if self.held is not None:
            frozen = frozen._replace(text=self.held.locked(frozen.text))
        self.site.take_back()
        left = self._clean_and_check()
        self._compile(bench)
        self.site.take_back()
        whole, detail = self._dating(recipe, frozen, dated=dated)
        image = self.site.settle()
        size = disk.taken(self.content, self.staging / LEFTOVERS) + (0 if image is None else image.bytes)
        for folder in (self.work, self.home, self.staging / "lock"):
            remove(folder)
        environment = Environment(
            key=self.key, recipe=recipe, tools=self.tools, layout=self.layout, dated=whole, dated_detail=detail,
            lock=frozen.text or None, unlocked=frozen.unlocked, leftovers=left,
            notes=(*self.notes, *frozen.notes), steps=tuple(bench.records),
            bytes=size, image=image,
        )  # fmt: skip
        (self.staging / DOCUMENT).write_bytes(environment.canonical())

    def _bench(self, recipe: Recipe, *, dated: bool) -> Bench:
        sandbox, index = self.site.sandbox, self.site.index
        program = mount(sandbox, self.site.uv, "tools/uv")
        downloads = mount(sandbox, self.downloads, "downloads", writable=True)
        locks = mount(sandbox, self.staging / "lock", "lock")
        inside = runtime_environment(self.tools, self.layout, self.content, None, {})
        shown = {one.target: one for one in inside.mounts(self.layout, writable=True)}
        shown |= {one.target: one for one in self.site.files}
        variables = inside.command_env(self.layout)
        for name in ("UV_OFFLINE", "GOPROXY", *compilers.OFFLINE):
            variables.pop(name, None)
        variables |= index.variables
        variables |= {
            "UV_CACHE_DIR": downloads.target, "UV_LINK_MODE": "copy", "UV_NO_CONFIG": "1", "UV_NO_PROGRESS": "1",
            "UV_PYTHON_DOWNLOADS": "never", "UV_PROJECT_ENVIRONMENT": self.layout.env, "PIP_NO_INPUT": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1", "DEBIAN_FRONTEND": "noninteractive", "GIT_TERMINAL_PROMPT": "0",
        }  # fmt: skip
        variables["PATH"] = f"{variables['PATH']}:{Path(program.target).parent}"
        variables |= dating.variables(recipe.as_of) if dated else {}
        pinned = recipe.lock if self.held is None else self.held.lock
        if pinned is not None:
            (locks.source / "lock.txt").write_text(pinned)
            (locks.source / "pins.txt").write_text(lock.without_hashes(pinned))
            variables |= {"UV_CONSTRAINT": f"{locks.target}/lock.txt", "PIP_CONSTRAINT": f"{locks.target}/pins.txt"}
        writable = ((self.work, self.layout.work), (self.home, self.layout.home))
        mounts = (
            *(Mount(source=source, target=target, writable=True) for source, target in writable),
            program, downloads, locks, *shown.values(),
        )  # fmt: skip
        return Bench(
            sandbox=sandbox, mounts=mounts, variables={**variables, **recipe.env}, index=index.knowing(recipe.env),
            limits=self.builder.limits, logs=self.staging / "logs", uv=program.target, cancel=self.builder.cancel,
        )  # fmt: skip

    def _virtual_environment(self, bench: Bench, recipe: Recipe, program: Path) -> None:
        uses_pip = any(_PIP.search(step) for step in recipe.setup)
        self._prelude(
            bench, "venv", "--allow-existing", "--no-project", *(("--seed",) if uses_pip else ()),
            "--python", str(program), self.layout.env,
        )  # fmt: skip
        if uses_pip:
            # Older pips know no dates; which one installs changes nothing in what is installed.
            self._prelude(bench, "pip", "install", "--upgrade", "pip", undated=True)

    def _prelude(self, bench: Bench, *words: str, undated: bool = False) -> None:
        without = dating.VARIABLES if undated else frozenset[str]()
        outcome = bench.run((bench.uv, "-q", *words), log=bench.logs / "venv.log", without=without)
        if not outcome.succeeded:
            raise StepFailed(f"uv {' '.join(words)}", f"exit code {outcome.exit_code}", bench.tail("venv.log"))

    def _dating(self, recipe: Recipe, frozen: Frozen, *, dated: bool) -> tuple[bool, str]:
        if self.held is not None:
            return self.held.dated, "packages are those of the lock that is stored with the base"
        return _dating(recipe, frozen, self._undatable(recipe), dated=dated)

    def _undatable(self, recipe: Recipe) -> str | None:
        """Why steps could not be held to the date though the index keeps dates; None where they were."""
        if not any(_PIP.search(step) for step in recipe.setup):
            return None
        found = next(self.content.glob("lib/python*/site-packages/pip-*.dist-info"), None)
        version = Version(found.name.split("-")[1].removesuffix(".dist")) if found is not None else None
        if version is not None and version >= _DATING_PIP:
            return None
        return (
            f"setup uses pip {version or 'of its own'}, which knows no dates; use uv pip, or a lock (change2task lock)"
        )

    def _freeze(self, bench: Bench) -> Frozen:
        if self.tools.interpreter is None:
            return Frozen("", (), ())
        scratch = self.staging / "scratch"
        scratch.mkdir()
        frozen = freeze(bench, mount(self.site.sandbox, scratch, "scratch", writable=True))
        remove(scratch)
        return frozen

    def _clean_and_check(self) -> tuple[str, ...]:
        for folder in (self.work, self.content):
            leftovers.open_up(folder)
        leftovers.drop_bytecode(self.content)
        kept = leftovers.keep(self.work, self.tree, self.staging / LEFTOVERS)
        installed = copies.installed(self.content, self.layout.work)
        prints = copies.Fingerprints(_sources(self.repository, self.tree))
        found = [
            *_located(copies.in_folder(prints, self.staging / LEFTOVERS), "the work folder"),
            *_located(copies.compiled_leftovers(kept), "the work folder"),
            *_located(copies.in_folder(prints, self.content, installed.foreign), "the environment"),
            *_located(copies.compiled_of_project(installed.own), "the environment"),
            *self._copies_in_layers(prints),
        ]
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            raise built_fault(
                Reason.PROJECT_IN_ENVIRONMENT,
                f"setup left {found[0]}{more}; install the project editable (uv pip install -e .), and move what"
                " compiles or copies it to spec.environment.rebuild, which runs in every state",
            )
        return kept

    def _copies_in_layers(self, prints: copies.Fingerprints) -> Iterator[str]:
        for layer in self.site.layers():
            installed = copies.installed(layer, self.layout.work)
            yield from _located(copies.in_folder(prints, layer, installed.foreign), "the image")
            yield from _located(copies.compiled_of_project(installed.own), "the image")

    def _compile(self, bench: Bench) -> None:
        """Byte-code for what is installed, so that states, which cannot write there, need not compile it each time."""
        if self.tools.interpreter is None:
            return
        words = (f"{self.layout.env}/bin/python", "-I", "-m", "compileall", "-q", "--invalidation-mode",
                 "unchecked-hash", f"{self.layout.env}/lib")  # fmt: skip
        outcome = bench.run(words, log=bench.logs / "compile.log", network=False)
        if not outcome.succeeded:
            _log.debug("some installed files do not compile", key=self.key[:12], log=bench.tail("compile.log"))

    def _whose_fault(self, recipe: Recipe, failed: StepFailed) -> Index:
        """Whether the index lacks dates; raises InfrastructureFault where it cannot be reached, or refuses us."""
        if self.tools.go_root is not None and dating.go_unreachable(failed.tail):
            raise InfrastructureFault(f"the module proxy cannot be reached: {failed}")
        if self.tools.compiler is not None and dating.registry_unreachable(failed.tail):
            raise InfrastructureFault(f"the package registry cannot be reached: {failed}")
        if self.tools.interpreter is None:
            return Index.DATED
        found = dating.probe(self.bench)
        if found is Index.UNREACHABLE:
            raise InfrastructureFault(
                f"the package index cannot be reached, so nothing is known of this base: {failed}\n"
                f"The index says: {self.bench.tail('probe.log')}"
            )
        if found is Index.REFUSED:
            raise IndexRefused(
                "the package index does not let us in, so nothing is known of this base; check the account that its"
                f" address or its Secret names.\nIt says: {self.bench.tail('probe.log')}"
            )
        return found


def _dating(recipe: Recipe, frozen: Frozen, undatable: str | None, *, dated: bool) -> tuple[bool, str]:
    if recipe.lock is not None:
        beside = lock.names(frozen.text) - lock.names(recipe.lock)
        if not beside:
            return True, "every package installed is held by the lock"
        if not dated:
            some = ", ".join(sorted(beside)[:5])
            return False, f"the index keeps no upload dates and the lock does not hold {some}; run change2task lock"
    if recipe.held is not None or recipe.loose is not None:
        return recipe.loose is None, recipe.loose or recipe.held or ""
    if dated and undatable is not None:
        return False, undatable
    if dated:
        before = dating.cutoff(recipe.as_of)
        return True, f"packages published before {before}, the end of the day after {recipe.as_of}"
    return False, (
        "the package index keeps no upload dates, so the newest packages were installed; another index, or a lock"
        " (change2task lock), would hold them"
    )


def _sources(repository: Repository, tree: Tree) -> Iterator[tuple[str, bytes]]:
    """The project's source and tests; documents and their helpers are nobody's answer, and often copied."""
    regular = {path: entry.oid for path, entry in tree.items() if entry.mode in {FILE, EXECUTABLE}}
    attributes = {path: repository.blob(oid) for path, oid in regular.items() if path.endswith(b".gitattributes")}
    roles = Roles(Scope(), tree, attributes)
    wanted = {path: oid for path, oid in regular.items() if roles.role(path) in {Role.SOURCE, Role.TESTS}}
    for path, data in zip(wanted, repository.blobs(wanted.values()), strict=True):
        yield quote(path), data


def _located(findings: Iterator[copies.Finding], where: str) -> Iterator[str]:
    for finding in findings:
        yield f"a copy of {finding.source} ({finding.why}) at {finding.where} in {where}"


def remove(path: Path) -> None:
    """Remove whatever lies at a path, if anything does. Raises InfrastructureFault for what will not go."""
    stubborn = trees.remove(path)
    if stubborn:
        raise InfrastructureFault(f"{path / stubborn[0].path} cannot be removed ({stubborn[0].reason}); remove it")
