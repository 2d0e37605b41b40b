"""Write the files that are made from the code, or say which of them no longer say what the code says.

A page that repeats what the code knows goes stale; these cannot. What they hold is left to the rooms; here is only
where each is put.
"""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path

import yaml

from change2task.api.crds import crd_files
from change2task.api.reference import reference_pages
from change2task.cli.app import app
from change2task.cli.reference import commands_page
from hack.install.values import values_page

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "charts" / "change2task"
DEFINITIONS = ("crds", "charts/change2task/definitions")
"""A chart takes no file from outside its folder, so it holds the definitions once more."""


def files() -> dict[str, str]:
    """Path below the checkout to content, of every file that is made from the code."""
    pages = reference_pages() | {"commands.md": commands_page(app), "values.md": _values_page()}
    made = crd_files()
    return {f"{folder}/{name}": text for folder in DEFINITIONS for name, text in made.items()} | {
        f"docs/reference/{name}": text for name, text in pages.items()
    }


def _values_page() -> str:
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    return values_page(schema, yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8")))


def main(arguments: list[str]) -> int:
    """Write all files; with ``--check`` write none, print what differs and end with 1 if anything does."""
    stale = 0
    for name, wanted in files().items():
        path = ROOT / name
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        if wanted == found:
            continue
        if "--check" in arguments:
            stale += 1
            sys.stdout.writelines(
                difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), name, f"{name} (from the code)")
            )
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
        print(f"wrote {name}")
    if stale:
        print(f"{stale} generated file(s) differ from the code: run `make generate` and commit the result")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
