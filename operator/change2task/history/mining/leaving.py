"""Why a change is left out: a closed list, each with its stage and its sentence.

These are counts of a survey, not verdicts on a resource; those are ``api.reasons``. A reason of a stage says what a
person can do about it where anything can be done.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from change2task.api.reasons import Reason

RAW: Final = "raw"
EVIDENCE: Final = "evidence"
SELECTION: Final = "selection"


class Left(StrEnum):
    """Every reason for which a change is no candidate."""

    stage: str
    sentence: str

    def __new__(cls, value: str, stage: str, sentence: str) -> Left:
        """A reason with the stage at which it is counted and its sentence."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.stage = stage
        member.sentence = sentence
        return member

    BEFORE_SINCE = "beforeSince", RAW, "Committed before --since."
    AFTER_UNTIL = "afterUntil", RAW, "Committed after --until."
    CUT_OFF = "cutOff", RAW, "Its parents are cut off by a shallow clone, so what it changed is unknown."
    BEGINNING = "beginning", RAW, "A first commit: there is no state before it that a task could start from."
    BRANCH_MERGE = "branchMerge", RAW, "A merge of a long-lived branch; the changes it brings in are counted alone."
    REVERT = "revert", RAW, "It takes another change back."
    REVERTED = "reverted", RAW, "A later change took it back, so the base does not have it."
    BOT = "bot", RAW, "Made by a program."
    VERSION_BUMP = "versionBump", RAW, "It sets a version, or releases one, and does little else."

    EMPTY = "empty", EVIDENCE, "It changes no file, or nothing but modes."
    DAMAGED = "damaged", EVIDENCE, "The repository lacks objects of it (a shallow or partial clone, or damage)."
    SUBMODULE_ONLY = "submoduleOnly", EVIDENCE, "It moves submodules and nothing else."
    DOCS_ONLY = "docsOnly", EVIDENCE, "It changes documents and nothing else."
    TESTS_ONLY = "testsOnly", EVIDENCE, "It changes tests, and no source that could be undone."
    METADATA_ONLY = "metadataOnly", EVIDENCE, "It changes metadata, generated or protected files, and no source."
    BINARY_ONLY = "binaryOnly", EVIDENCE, "The source it changes is binary."
    TOO_LARGE = "tooLarge", EVIDENCE, "It changes more source than one task can ask for."
    TYPES_ONLY = "typesOnly", EVIDENCE, "The source it changes declares types (.pyi, .d.ts), which no run sees."
    COMMENTS_ONLY = "commentsOnly", EVIDENCE, "It changes comments, docstrings or layout of its source, and no code."
    NO_TESTS = "noTests", EVIDENCE, "It changes source and no test, so nothing would show that it is undone."
    NO_HOST = "noHost", EVIDENCE, "None of its source files is on the base."
    AMBIGUOUS = "ambiguous", EVIDENCE, "Which commits it is cannot be told."
    NO_TARGET = "noTarget", EVIDENCE, "None of the tests it added or altered is on the base by name."
    UNTOLD = "untold", EVIDENCE, "Nobody says what it is for, neither message nor change log nor forge."
    UNUSABLE = "unusable", EVIDENCE, "A closer look refuses it; the message says why."

    OTHER_FAMILY = "otherFamily", SELECTION, "Its family is none of those asked for."
    NOT_SAMPLED = "notSampled", SELECTION, "The sample that was asked for does not hold it."
    NOT_LOOKED_AT = "notLookedAt", SELECTION, "Enough that promise more were found before it was its turn."
    BELOW_SCORE = "belowScore", SELECTION, "Its score is below the least one asked for."
    BEYOND_LIMIT = "beyondLimit", SELECTION, "More were found than the limit; those that promise more were taken."


_OF_REASONS: Final = {
    Reason.BRANCH_MERGE: Left.BRANCH_MERGE,
    Reason.CHANGE_REVERTED: Left.REVERTED,
    Reason.EMPTY_CHANGE: Left.EMPTY,
    Reason.NO_SOURCE_CHANGE: Left.METADATA_ONLY,
    Reason.BINARY_ONLY: Left.BINARY_ONLY,
    Reason.HISTORY_INCOMPLETE: Left.DAMAGED,
    Reason.AMBIGUOUS_EVIDENCE: Left.AMBIGUOUS,
    Reason.NO_MODERN_HOST: Left.NO_HOST,
    Reason.FAMILY_NOT_APPLICABLE: Left.OTHER_FAMILY,
}


def left_by(reason: Reason) -> Left:
    """How a refusal of the closer look is counted."""
    return _OF_REASONS.get(reason, Left.UNUSABLE)
