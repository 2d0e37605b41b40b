"""The conformance table of docs/readers.md, made from the subjects; run as a module it prints it."""

from __future__ import annotations

from tests.checks.conformance.subject import Subject
from tests.checks.conformance.subjects import SUBJECTS

_HEAD = ("runner (format)", "others' words in colour", "odd names", "equal ids", "set-up fails", "skipped",
         "expected failure", "process dies", "test hangs", "no test", "results tampered with", "no runner",
         "runner too old", "configuration replaces the reporter", "planted tests")  # fmt: skip
_COSTS = {"test": "the test", "file": "its file", "pass": "no verdict"}


def _row(subject: Subject) -> tuple[str, ...]:
    yes = "yes"
    errors = [outcome for outcome in subject.expected.values() if outcome == "error"]
    hooks = [name for name in subject.expected if "hook" in name]
    return (
        subject.name,
        yes,
        yes,
        "no check" if subject.duplicates else "\u2014",
        "error" if errors else "failed" if hooks else "\u2014",
        yes,
        subject.xfail,
        "failed" if subject.check_format == "junit" and subject.crash == "test" else _COSTS[subject.crash],
        "failed" if subject.check_format == "junit" and subject.hang == "test" else _COSTS[subject.hang],
        "no pass",
        "no pass",
        "named",
        "named" if subject.package else "\u2014",
        "ours holds" if subject.overwritten else "\u2014",
        yes if subject.canaries else "no",
    )


def table() -> str:
    """Markdown, without a final newline."""
    rows = [_HEAD, tuple("---" for _ in _HEAD), *(_row(subject) for subject in SUBJECTS)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(table())  # noqa: T201
