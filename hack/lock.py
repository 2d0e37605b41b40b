"""Write requirements/*.lock from the ranges in pyproject.toml, so that every machine installs the same bytes.

The locks hold hashes and no index: which index serves the bytes is the machine's own affair.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
GRADER = ROOT / "operator/change2task/corpus/exports/grader.lock"
"""Goes into exports, so it lies in the package."""
COMPILE = (
    "pip",
    "compile",
    "--quiet",
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-header",
    "--upgrade",
)


def main() -> int:
    """Resolve runtime, then everything else under it, so that tests run on what users get."""
    uv = Path(sys.executable).parent / "uv"
    runtime = FOLDER / "runtime.lock"
    grader = "\n".join(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["grader"]
    )
    for target, inputs, given in (
        (runtime, ("pyproject.toml",), ""),
        (FOLDER / "dev.lock", ("pyproject.toml", "--extra=dev", f"--constraints={runtime}"), ""),
        (FOLDER / "bootstrap.lock", ("-", f"--constraints={runtime}"), "uv"),
        (GRADER, ("-", f"--constraints={runtime}"), grader),
    ):
        command = (str(uv), *COMPILE, "--output-file", str(target), *inputs)
        subprocess.run(command, check=True, cwd=ROOT, input=f"{given}\n".encode(), stdout=subprocess.DEVNULL)
        print(f"wrote {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
