"""How a Rust project is made ready for tests without a network: its crates are fetched, nothing is compiled.

Compiled dependencies would save time, but cargo keeps them beside the project's own, which no environment may hold.
"""

from __future__ import annotations

from typing import Any

from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles


def infer(files: ProjectFiles) -> InferredSetup | None:
    """Steps for the package or workspace at the root; None where there is no Cargo.toml. Raises UnreadableFile."""
    if "Cargo.toml" not in files.names:
        return None
    manifest = files.toml("Cargo.toml")
    evidence = ["Cargo.toml at the root: a Rust project"]
    locked = "Cargo.lock" in files.names
    if locked:
        evidence.append("Cargo.lock: crates are those it names")
    else:
        evidence.append("no Cargo.lock: the newest crates that fit are taken, and their lock is kept beside the tree")
    return InferredSetup(
        setup=("cargo fetch --locked" if locked else "cargo fetch",),
        least=_least(manifest),
        evidence=tuple(evidence),
        held="crates are those of the project's Cargo.lock" if locked else None,
        loose=None if locked else "there is no Cargo.lock and cargo knows no dates, so the newest crates were taken",
        note="as Cargo.toml says",
    )


def _least(manifest: dict[str, Any]) -> str | None:
    package = manifest.get("package")
    least = package.get("rust-version") if isinstance(package, dict) else None
    return least if isinstance(least, str) else None
