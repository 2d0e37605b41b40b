"""What an environment is made from: interpreter, steps, date, check command, and why it was chosen so.

It exists so that a manifest's own words and an inferred recipe are one thing to the builder, to the key of an
environment and to the evidence. Inference is left to the modules for each language, running to ``build``.
"""

from __future__ import annotations

import posixpath
from datetime import UTC, date, datetime
from typing import Literal

from pydantic import Field

from change2task.api.model import Model
from change2task.api.modernbase import ModernBaseSpec
from change2task.base import infer_cmake, infer_go, infer_java, infer_node, infer_python, infer_rust, lock
from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles, UnreadableFile
from change2task.checks.defaults import default_command

Toolchain = Literal["python", "go", "node", "rust", "java", "cmake", "none"]
_BY_FORMAT: dict[str, Toolchain] = {
    "pytest": "python",
    "unittest": "python",
    "cargo": "rust",
    **dict.fromkeys(("node", "jest", "vitest", "mocha"), "node"),
}
_BY_PROGRAM: dict[str, Toolchain] = {
    **dict.fromkeys(("mvn", "mvnw"), "java"),
    **dict.fromkeys(("cmake", "ctest"), "cmake"),
    **dict.fromkeys(("node", "npx", "npm", "yarn", "pnpm"), "node"),
    "cargo": "rust",
}


class PythonWish(Model):
    """Which interpreters fit: a PEP 440 specifier and the minors the project lists, oldest first.

    ``exact`` is a minor such as 3.12 that was asked for in so many words.
    """

    specifier: str = ""
    listed: tuple[str, ...] = ()
    exact: str | None = None


class Recipe(Model):
    """How one environment is made and its checks are run. Steps are lines for ``sh``, run in the work folder.

    ``least`` is the compiler's least version; ``held`` and ``loose`` are as in InferredSetup.
    ``env`` holds for setup, rebuild and checks alike. ``as_of`` is the date whose packages are installed.
    ``evidence`` says in sentences what each choice rests on and is no part of the environment's key.
    ``fallbacks`` are poorer ways of setup, tried in order if ``setup`` fails; only an inferred recipe has them.
    """

    toolchain: Toolchain
    python: PythonWish = PythonWish()
    go: str = ""
    least: str | None = None
    held: str | None = None
    loose: str | None = None
    setup: tuple[str, ...] = ()
    rebuild: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    system_packages: tuple[str, ...] = ()
    image: str | None = None
    lock: str | None = None
    as_of: date
    command: tuple[str, ...]
    format: str
    inferred: bool
    evidence: tuple[str, ...] = ()
    fallbacks: tuple[InferredSetup, ...] = ()

    def identity(self) -> dict[str, object]:
        """What of this recipe decides the environment's content; the check command does not."""
        return self.replacing(evidence=(), fallbacks=(), command=(), format="", held=None, loose=None).document()

    def falling_back(self, because: str) -> Recipe | None:
        """The next poorer recipe, with the reason among its evidence; None where there is none."""
        if not self.fallbacks:
            return None
        poorer, *rest = self.fallbacks
        return self.replacing(
            setup=poorer.setup,
            evidence=(*self.evidence, f"{poorer.note}, because the richer setup failed: {because}"),
            fallbacks=tuple(rest),
        )


class RecipeUnknown(Exception):
    """Nothing in the repository says how it is installed; the message says what the manifest must give."""


def recipe_for(spec: ModernBaseSpec, project: ProjectFiles, committed: datetime, version: str | None) -> Recipe:
    """The recipe of a base: the manifest's words, the rest inferred from the revision's files.

    ``committed`` is the revision's committer time, ``version`` what its nearest tag says it is (PEP 440).
    Raises RecipeUnknown.
    """
    environment = spec.environment
    if environment.lock is not None and (wrong := lock.problems(environment.lock)):
        raise RecipeUnknown(f"spec.environment.lock: {'; '.join(wrong[:3])}")
    as_of = environment.as_of or committed.astimezone(UTC).date()
    toolchain = _toolchain(spec, project)
    try:
        inferred = _inferred(toolchain, spec, project, version, as_of)
    except UnreadableFile as error:
        raise RecipeUnknown(f"{error}; mend it on the base, or pick another revision") from error
    if environment.setup is None and inferred is None:
        raise RecipeUnknown(
            "no pyproject.toml, setup.py, setup.cfg, requirements file, go.mod, package.json, Cargo.toml, pom.xml,"
            " CMakeLists.txt or importable Python package with tests at the root that fits checks.format; say in"
            " spec.environment.setup how dependencies are installed (an empty list: none are)"
        )
    evidence = [] if inferred is None else list(inferred.evidence)
    setup = () if inferred is None else inferred.setup
    fallbacks = () if inferred is None else inferred.fallbacks
    arguments = () if inferred is None or "command" in spec.checks.model_fields_set else inferred.arguments
    if environment.setup is not None:
        evidence.append("setup steps are the manifest's own")
        setup, fallbacks = environment.setup, ()
    return Recipe(
        toolchain=toolchain,
        python=_python_wish(environment.image, inferred),
        go="" if inferred is None else inferred.go,
        least=None if inferred is None else inferred.least,
        held=None if inferred is None or environment.setup is not None else inferred.held,
        loose=None if inferred is None or environment.setup is not None else inferred.loose,
        setup=setup,
        rebuild=(*(() if inferred is None else inferred.rebuild), *environment.rebuild),
        env={**({} if inferred is None else inferred.env), **environment.env},
        system_packages=environment.system_packages,
        image=environment.image,
        lock=environment.lock,
        as_of=as_of,
        command=(*_command(spec, inferred), *arguments),
        format=spec.checks.format,
        inferred=environment.setup is None,
        evidence=tuple(evidence),
        fallbacks=fallbacks,
    )


def _command(spec: ModernBaseSpec, inferred: InferredSetup | None) -> tuple[str, ...]:
    """The manifest's command, else what its files call for, else its format's usual one."""
    if "command" in spec.checks.model_fields_set:
        return spec.checks.command
    if inferred is not None and inferred.command is not None:
        return inferred.command
    return default_command(spec.checks.format) or spec.checks.command


def _toolchain(spec: ModernBaseSpec, project: ProjectFiles) -> Toolchain:
    known = _BY_FORMAT.get(spec.checks.format)
    if known is not None:
        return known
    if spec.checks.format.startswith("go"):
        return "go"
    if "command" not in spec.checks.model_fields_set and spec.checks.format == "junit":
        if "pom.xml" in project.names:
            return "java"
        if "CMakeLists.txt" in project.names:
            return "cmake"
    program = posixpath.basename(spec.checks.command[0])
    if "go.mod" in project.names and spec.checks.command[0] == "go":
        return "go"
    if program in _BY_PROGRAM:
        return _BY_PROGRAM[program]
    if infer_python.describes(project):
        return "python"
    return "none"


def _inferred(
    toolchain: Toolchain, spec: ModernBaseSpec, project: ProjectFiles, version: str | None, as_of: date
) -> InferredSetup | None:
    match toolchain:
        case "python":
            return infer_python.infer(project, version, uses_pytest=spec.checks.format == "pytest")
        case "go":
            return infer_go.infer(project)
        case "node":
            return infer_node.infer(project, as_of.isoformat())
        case "rust":
            return infer_rust.infer(project)
        case "java":
            return infer_java.infer(project)
        case "cmake":
            return infer_cmake.infer(project, spec.checks.test_timeout_seconds)
        case "none":
            return None


def _python_wish(image: str | None, inferred: InferredSetup | None) -> PythonWish:
    wish = PythonWish() if inferred is None else PythonWish(specifier=inferred.specifier, listed=inferred.listed)
    minor = python_of_image(image)
    return wish if minor is None else wish.replacing(exact=minor)


def python_of_image(image: str | None) -> str | None:
    """``3.12`` for ``python:3.12``, ``python:3.12.4-slim`` and the like from any registry; else None."""
    if image is None:
        return None
    name, _, tag = image.partition("@")[0].rpartition(":")
    if name.rpartition("/")[2] != "python":
        return None
    numbers = tag.split("-")[0].split(".")
    return ".".join(numbers[:2]) if len(numbers) >= 2 and all(part.isdigit() for part in numbers[:2]) else None
