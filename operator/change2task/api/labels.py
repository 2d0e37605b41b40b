"""Labels of a task: what whoever uses it should know of its checks and its words, decided by program.

A closed list with one sentence each, from which the docs table is made. A label never refuses a task; it lets a set be
chosen without some kind of task, and a failure be understood. Deciding them is ``validate.labels``'s.
"""

from __future__ import annotations

from enum import StrEnum


class Label(StrEnum):
    """Every label; the member's ``sentence`` defines it."""

    sentence: str

    def __new__(cls, value: str, sentence: str) -> Label:
        """A label with its definition."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    STATIC_ORACLE = (
        "static-oracle",
        "A target is decided by reading code, not by running it: an answer that writes the new names without making"
        " them do the work can pass, and one that works without them cannot.",
    )
    DOUBLES_IN_TARGETS = (
        "doubles-in-targets",
        "A hidden target or observer puts doubles (mocks, patched names) into the product, so it may ask how an answer"
        " is written and not only what it does.",
    )
    EXACT_VALUE = (
        "exact-value",
        "A hidden target or observer compares with a number beyond one, or looks at a place by such a number, that the"
        " statement does not hold.",
    )
    EXACT_MESSAGE = (
        "exact-message",
        "Hidden checks compare a text of several words that the author's words do not hold and that is told beside"
        " them.",
    )
    TITLE_ONLY_STATEMENT = (
        "title-only-statement",
        "The statement is one line: nobody said more of the change than its title.",
    )
    ANSWER_IN_STATEMENT = (
        "answer-in-statement",
        "The statement holds lines or unusual names of the answer; the task says which under shared.",
    )
    RELEASE_SIZED = (
        "release-sized",
        "The source change is larger than one request usually is: more than 20 source files or 1,000 lines of them.",
    )
    TRACES_LEFT = (
        "traces-left",
        "Files of the agent's tree still hold lines that the change wrote beside its sources; the task says which and"
        " why.",
    )


def labels_table() -> tuple[tuple[str, str], ...]:
    """Rows (label, definition) for the generated reference page."""
    return tuple((label.value, label.sentence) for label in Label)
