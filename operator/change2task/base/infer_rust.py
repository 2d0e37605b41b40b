"""How a Rust project is made ready for tests without a network: its crates are fetched, and compiled for its tests.

Cargo keeps what it compiles of dependencies beside what is the project's own. The latter is cleaned away again,
package by package, since no environment may hold it; what is left is copied into each state's own target folder.
"""

from __future__ import annotations

from typing import Any

from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles

_SEED = "${CARGO_HOME%/*}/cargo-target"
_COMPILE = (
    f'export CARGO_TARGET_DIR="{_SEED}" && cargo test --no-run && for name in $(cargo tree --workspace --depth 0'
    " --prefix none | cut -d' ' -f1 | sort -u); do cargo clean -p \"$name\"; done"
)


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
    fetch = "cargo fetch --locked" if locked else "cargo fetch"
    return InferredSetup(
        setup=(fetch, _COMPILE),
        rebuild=(f'if [ -d "{_SEED}" ]; then cp -a "{_SEED}" target; fi',),
        least=_least(manifest),
        evidence=tuple(evidence),
        held="crates are those of the project's Cargo.lock" if locked else None,
        loose=None if locked else "there is no Cargo.lock and cargo knows no dates, so the newest crates were taken",
        note="as Cargo.toml says, its dependencies compiled",
        fallbacks=(InferredSetup(setup=(fetch,), note="without compiled dependencies"),),
    )


def _least(manifest: dict[str, Any]) -> str | None:
    package = manifest.get("package")
    least = package.get("rust-version") if isinstance(package, dict) else None
    return least if isinstance(least, str) else None
