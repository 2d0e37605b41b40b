"""Write the files that are made from the code, or say which of them no longer say what the code says.

A page that repeats what the code knows goes stale; these cannot. What they hold is left to the rooms; here is only
where each is put.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from pathlib import Path

from change2task.api.reasons import reasons_table

ROOT = Path(__file__).resolve().parent.parent


def reasons_page() -> str:
    """Every reason a condition can carry, as the reference page users search."""
    rows = "\n".join(
        f"| `{name}` | {f'`{rejection}`' if rejection else ''} | {sentence} |"
        for name, rejection, sentence in reasons_table()
    )
    return (
        "<!-- Made by `make generate` from operator/change2task/api/reasons.py. -->\n\n"
        "# Reasons\n\n"
        "Every condition carries one of these, and every rejection one with a class. The list is closed: nothing else\n"
        "is ever a reason. What happened in one case stands in the condition's message.\n\n"
        "| reason | class, if it rejects | meaning |\n|---|---|---|\n"
        f"{rows}\n"
    )


PAGES: dict[str, Callable[[], str]] = {
    "docs/reasons.md": reasons_page,
}


def main(arguments: list[str]) -> int:
    """Write all pages; with ``--check`` write none, print what differs and end with 1 if anything does."""
    stale = 0
    for name, make in PAGES.items():
        path = ROOT / name
        wanted = make()
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
