"""How a Node project is made ready for tests without a network, read off its files.

Packages are those of the lock file where there is one, else those of the revision's date. Their lifecycle scripts are
not run: they are foreign code that tests seldom need, and the manifest can run them. A project whose entry file is
compiled is compiled in every state.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles, UnreadableFile

_LOCKS = ("package-lock.json", "npm-shrinkwrap.json")
_OTHER_MANAGERS = {
    "pnpm-lock.yaml": ("pnpm", "pnpm@9", "pnpm install --frozen-lockfile --ignore-scripts"),
    "yarn.lock": ("yarn", "yarn@1", "yarn install --frozen-lockfile --ignore-scripts --non-interactive"),
}
_NAMED = 5


def infer(files: ProjectFiles, as_of: str) -> InferredSetup | None:
    """Steps for the package at the root; None where there is no package.json. Raises UnreadableFile.

    ``as_of`` (YYYY-MM-DD) is the date of packages that no lock holds.
    """
    text = files.text("package.json")
    if text is None:
        return None
    package = _json("package.json", text)
    evidence = ["package.json at the root: a Node project"]
    held = "packages are those of the project's lock file"
    lock = next((name for name in _LOCKS if name in files.names), None)
    other = next((name for name in _OTHER_MANAGERS if name in files.names), None)
    if lock is not None:
        setup = "npm ci --ignore-scripts"
        evidence.append(f"{lock}: packages are those it names")
        evidence += _scripts(_json(lock, files.text(lock) or "{}"))
    elif other is not None:
        manager, version, line = _OTHER_MANAGERS[other]
        setup = f"command -v {manager} >/dev/null && {line} || npx --yes {version} {line.partition(' ')[2]}"
        evidence.append(f"{other}: packages are those it names, by {manager}")
    else:
        setup = f"npm install --ignore-scripts --no-package-lock --before={as_of}"
        held = f"packages published before {as_of}, by npm --before"
        evidence.append(f"no lock file: packages are those of {as_of}")
    return InferredSetup(
        setup=(setup,),
        rebuild=_build(package, files, evidence),
        evidence=tuple(evidence),
        held=held,
        note="as the lock file says" if held.endswith("lock file") else "as package.json says",
    )


def _json(name: str, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(name, str(error)) from error
    if not isinstance(value, dict):
        raise UnreadableFile(name, "it holds no object")
    return value


def _scripts(lock: dict[str, Any]) -> list[str]:
    """A sentence on packages whose install scripts are left out."""
    packages = lock.get("packages")
    places = packages if isinstance(packages, dict) else {}
    names = [
        place.rpartition("node_modules/")[2]
        for place, one in places.items()
        if isinstance(one, dict) and one.get("hasInstallScript") is True and one.get("optional") is not True
    ]
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    shown = f"{', '.join(sorted(names)[:_NAMED])}{more}"
    return [f"install scripts are not run ({shown}); spec.environment.setup can say npm rebuild where tests need them"]


def _build(package: dict[str, Any], files: ProjectFiles, evidence: list[str]) -> tuple[str, ...]:
    """The build script, where what the package's users load is not among its files."""
    scripts = package.get("scripts")
    entry = package.get("main")
    if not isinstance(scripts, dict) or "build" not in scripts or not isinstance(entry, str):
        return ()
    plain = entry.removeprefix("./")
    if plain in files.names or f"{plain}.js" in files.names or f"{plain.rstrip('/')}/index.js" in files.names:
        return ()
    evidence.append(f"main is {shlex.quote(plain)[:100]}, which is not tracked: npm run build makes it in every state")
    return ("npm run build",)
