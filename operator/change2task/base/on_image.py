"""Environments in images: an image to start from, and one base image a key with everything that setup left.

It exists beside ``on_machine``; see ``site`` for what the two have in common. While setup runs, the environment, the
work folder and home are folders of this machine, so that they are looked through as ever; then the environment becomes
the last layer.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import structlog
from packaging.version import Version

from change2task.api.reasons import Reason
from change2task.base import compilers, system_packages, toolchains
from change2task.base.attempt import remove
from change2task.base.environment import Environment, PlacedEnvironment, installed_modules, runtime_environment
from change2task.base.faults import ToolchainMissing, built_fault
from change2task.base.index import IndexSettings
from change2task.base.places import BaseImage, StartImage, Tools
from change2task.base.recipe import Recipe
from change2task.base.refusals import NO_IMAGE
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime import errors as runtime_errors
from change2task.runtime.docker import images
from change2task.runtime.docker.engine import FAULTS
from change2task.runtime.docker.growing import GrowingImage
from change2task.runtime.docker.sandbox import IMAGE_VARIABLE, NETWORK_VARIABLE, DockerSandbox
from change2task.runtime.models import Command, Limits, Mount
from change2task.runtime.sandbox import Sandbox

NAME = "change2task-base"
KEY_LABEL = "change2task.dev/key"
START_LABEL = "change2task.dev/start-image"
_ASK_SECONDS = 120
_OURS = ("PATH", "HOME", "HOSTNAME", "USER", "LOGNAME", "TMPDIR", "TZ")
# Names only: a script in front, or a program that merely begins so, is found out by its answer.
_PYTHONS = """
for name in python3 python $(ls /usr/bin /usr/local/bin /opt/*/bin 2>/dev/null | grep -E '^python3[.][0-9]+$' | sort -u)
do
    for folder in $(echo "$PATH" | tr : ' ') /opt/*/bin; do
        [ -x "$folder/$name" ] && "$folder/$name" -I -S -c "$1" 2>/dev/null
    done
done
:
"""
_GO = "cd / && GOTOOLCHAIN=local HOME=/tmp go env GOROOT GOVERSION"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ImageFoundation:
    """Images of the engine of ``sandbox``."""

    sandbox: DockerSandbox
    cache: Path
    index: IndexSettings
    environ: Mapping[str, str]
    limits: Limits
    cancel: threading.Event | None

    def tools(self, recipe: Recipe) -> Tools:
        """See Foundation.tools."""
        start, image = self._start(recipe)
        place = f"image {start.reference}"
        if recipe.toolchain == "python":
            found = self._interpreters(start, image)
            return Tools(interpreter=toolchains.choose(recipe.python, recipe.as_of, found, place), image=start)
        if recipe.toolchain == "go":
            told = self._ask(start, image, "sh", "-c", _GO).split()
            if len(told) < 2:
                raise ToolchainMissing(f"the checks need Go, and {place} has none on PATH; take one that has")
            version = told[1].removeprefix("go")
            toolchains.check_go(recipe.go, version, place)
            return Tools(go_root=Path(told[0]), go_version=version, image=start)
        if compilers.known(recipe.toolchain):
            here = compilers.found(
                recipe.toolchain, lambda line: self._ask(start, image, "sh", "-c", line), place, recipe.least
            )
            return Tools(compiler=here, image=start)
        return Tools(image=start)

    def placed(self, environment: Environment, folder: Path) -> PlacedEnvironment | None:
        """See Foundation.placed; an image that was removed from the engine is made again."""
        try:
            there = environment.image is not None and images.stands(self.sandbox.engine, environment.image.id)
        except runtime_errors.SandboxError as error:
            raise InfrastructureFault(str(error)) from error
        return PlacedEnvironment(environment=environment, folder=folder, content=None) if there else None

    @contextmanager
    def site(self, tools: Tools, recipe: Recipe, key: str, staging: Path) -> Iterator[ImageSite]:
        """See Foundation.site."""
        start, image = self._start(recipe)
        index, files = self._index()
        uv = self._uv(start, image) if recipe.toolchain == "python" else toolchains.uv_program()
        with TemporaryDirectory(prefix=f"{staging.name}-image-", dir=staging.parent) as folder:
            site = ImageSite(self, tools, start, image, key, staging, Path(folder), uv, index, files)
            try:
                yield site
            finally:
                site.end()

    def _start(self, recipe: Recipe) -> tuple[StartImage, str]:
        """The recipe's image, and the id of what it becomes with its system packages."""
        reference = recipe.image or self.sandbox.image
        if reference is None:
            raise built_fault(
                Reason.RECIPE_UNKNOWN,
                f"spec.environment.image {NO_IMAGE}; say one there, or one for every base in the variable"
                f" {IMAGE_VARIABLE}",
            )
        try:
            source = self.sandbox.sources.get(reference)
            found = images.find(self.sandbox.engine, reference, self.cancel, source=source)
        except runtime_errors.Cancelled as error:
            raise Cancelled(str(error)) from error
        except runtime_errors.SandboxError as error:
            raise ToolchainMissing(f"spec.environment.image: {error}") from error
        start = StartImage(
            reference=reference,
            id=found.id,
            path=tuple(folder for folder in found.variables.get("PATH", "").split(":") if folder),
            variables={name: value for name, value in found.variables.items() if name not in _OURS},
            user=self.sandbox.user,
        )
        if not recipe.system_packages:
            return start, start.id
        index, files = self._index()
        image = system_packages.installed(
            self.sandbox,
            found,
            recipe.system_packages,
            cache=self.cache / "packages",
            index=index,
            files=files,
            limits=self.limits,
            cancel=self.cancel,
        )
        return start, image

    def _index(self) -> tuple[IndexSettings, tuple[Mount, ...]]:
        here = self.index.loopback()
        if here is not None and self.sandbox.network != "host":
            raise InfrastructureFault(
                f"{here} is this machine's own loopback, which containers on Docker's network {self.sandbox.network!r}"
                f" do not reach; set {NETWORK_VARIABLE}=host, or give what is there an address that others reach"
            )
        index, places = self.index.moved("/c2t/index")
        return index, tuple(Mount(source=source, target=target) for source, target in places.items())

    def _interpreters(self, start: StartImage, image: str) -> list[toolchains.Interpreter]:
        told = self._ask(start, image, "sh", "-c", _PYTHONS, "ask", toolchains.ASK_PYTHON)
        found = (toolchains.answered(line) for line in told.splitlines())
        known = {one for one in found if one is not None}
        return sorted(known, key=lambda one: (Version(one.version), str(one.executable)), reverse=True)

    def _uv(self, start: StartImage, image: str) -> Path:
        """A uv that runs in the image: this machine's, or one that needs no C library."""
        program = toolchains.uv_program()
        if self._runs(start, image, program):
            return program
        _log.info("uv needs another C library than the image has", image=start.reference)
        program = toolchains.static_uv(self.cache / "tools", self.environ)
        if not self._runs(start, image, program):
            raise ToolchainMissing(f"uv does not run in image {start.reference}, with its own C library or without one")
        return program

    def _runs(self, start: StartImage, image: str, program: Path) -> bool:
        mount = Mount(source=program, target="/c2t/tools/uv")
        return self._ask(start, image, mount.target, "--version", mounts=(mount,)).startswith("uv ")

    def _ask(self, start: StartImage, image: str, *argv: str, mounts: tuple[Mount, ...] = ()) -> str:
        """What a command prints in an image, without network; nothing where it fails.

        An image never changes, so the same question is asked of it once.
        """
        question = json.dumps([image, argv, [str(mount.source) for mount in mounts]])
        known = self.cache / "asked" / hashlib.sha256(question.encode()).hexdigest()[:32]
        if known.is_file():
            return known.read_text()
        known.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".asking-", dir=known.parent) as folder:
            log = Path(folder) / "log"
            environment = runtime_environment(Tools(image=start), self.sandbox.layout, None, None, {})
            command = Command(
                argv=argv,
                env=environment.command_env(self.sandbox.layout),
                cwd="/",
                mounts=mounts,
                image=image,
                limits=Limits(seconds=_ASK_SECONDS),
                log=log,
            )
            outcome = self.sandbox.run(command, cancel=self.cancel)
            if outcome.infrastructure is not None:
                raise InfrastructureFault(f"asking image {start.reference}: {outcome.infrastructure}")
            if outcome.stopped_by == "cancelled":
                raise Cancelled("stopped while an image was asked what it has")
            if not outcome.succeeded:
                return ""
            told = log.read_text(errors="replace")
            log.write_text(told)
            log.replace(known)
            return told


@dataclass
class ImageSite:
    """Folders of this machine over an image that grows."""

    foundation: ImageFoundation
    tools: Tools
    start: StartImage
    image: str
    key: str
    staging: Path
    folder: Path
    uv: Path
    index: IndexSettings
    files: tuple[Mount, ...]
    growing: GrowingImage = field(init=False)

    def __post_init__(self) -> None:
        self.growing = self._grow()

    @property
    def sandbox(self) -> Sandbox:
        """See Site.sandbox."""
        return self.growing

    @property
    def content(self) -> Path:
        """See Site.content."""
        return self.staging / "env"

    @property
    def work(self) -> Path:
        """See Site.work."""
        return self.staging / "work"

    @property
    def home(self) -> Path:
        """See Site.home."""
        return self.staging / "home"

    def begin(self) -> None:
        """See Site.begin."""
        # Files of root's that setup made to run as root must not be reached by other users of this machine.
        self.staging.chmod(0o700)
        self.end()
        self.growing = self._grow()

    def take_back(self) -> None:
        """See Site.take_back."""
        self.growing.take_back()

    def layers(self) -> tuple[Path, ...]:
        """See Site.layers."""
        return tuple(sorted(self.growing.layers.iterdir()))

    def settle(self) -> BaseImage | None:
        """See Site.settle: one more layer, and a name after the key."""
        engine, layout = self.foundation.sandbox.engine, self.foundation.sandbox.layout
        called = f"{NAME}:{self.key[:12]}"
        inside = runtime_environment(self.tools, layout, None, None, {})
        try:
            made = images.put_on(
                engine,
                self.growing.image,
                self.content,
                called=called,
                labels={KEY_LABEL: self.key, START_LABEL: self.start.id},
                variables=inside.command_env(layout),
                user=self.start.user,
                layout=layout,
            )
            added = images.size(engine, made) - images.size(engine, self.start.id)
        except FAULTS as error:
            raise InfrastructureFault(f"the base image cannot be made: {error}") from error
        modules = tuple(sorted(installed_modules(self.content)))
        remove(self.content)
        return BaseImage(name=called, id=made, bytes=added, modules=modules)

    def end(self) -> None:
        """Let go of layers that no image stands on."""
        self.growing.discard()

    def _grow(self) -> GrowingImage:
        folder = Path(mkdtemp(prefix="attempt-", dir=self.folder))
        return GrowingImage(self.foundation.sandbox, self.image, folder)
