"""Which family a change belongs to: the one asked for if the evidence carries it, else the best by the evidence.

``Auto`` is resolved once and recorded with its reason; it never picks test generation, which is a different use of
a change and not a property of it. Every weight is visible in the reason it gives.
"""

from __future__ import annotations

import re
from typing import Final

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Family, TaskCandidateSpec
from change2task.families.behaviour import BUG_FIX, FEATURE_ADDITION
from change2task.families.contract import FamilyAdapter, stated
from change2task.families.migration import API_MIGRATION
from change2task.families.security import SECURITY_REPAIR, security_signs
from change2task.families.testgeneration import TEST_GENERATION
from change2task.history.models import ChangeUnusable, Evidence
from change2task.history.words import BUG, FEATURE, MIGRATION, found

ADAPTERS: Final[dict[Family, FamilyAdapter]] = {
    adapter.family: adapter for adapter in (BUG_FIX, FEATURE_ADDITION, TEST_GENERATION, API_MIGRATION, SECURITY_REPAIR)
}
"""Every family but ``Auto``, by name."""

_BUG_LABEL = re.compile(r"(?i)\b(bugs?|defect|regression|crash|fix)\b")
_FEATURE_LABEL = re.compile(r"(?i)\b(features?|enhancements?|improvement|new)\b")
_BUG_KINDS = frozenset({"fix", "bugfix", "bug", "hotfix", "perf"})
_FEATURE_KINDS = frozenset({"feat", "feature", "new"})
_FIRST_WORD = re.compile(r"[^\W_]+(?:'t)?")


def choose_family(evidence: Evidence, spec: TaskCandidateSpec) -> tuple[Family, str]:
    """The family and the sentence why. Raises ChangeUnusable (FamilyNotApplicable) for one asked for in vain."""
    if spec.family is not Family.AUTO:
        answer = ADAPTERS[spec.family].applies(evidence, spec)
        if not answer.applies:
            raise ChangeUnusable(Reason.FAMILY_NOT_APPLICABLE, f"{spec.family.value}: {answer.reason}")
        return spec.family, f"asked for; {answer.reason}"
    return _security(evidence, spec) or _migration(evidence, spec) or _behaviour(evidence)


def _security(evidence: Evidence, spec: TaskCandidateSpec) -> tuple[Family, str] | None:
    signs = security_signs(evidence)
    if signs is None:
        return None
    answer = SECURITY_REPAIR.applies(evidence, spec)
    return (Family.SECURITY_REPAIR, f"{signs}; {answer.reason}") if answer.applies else None


def _migration(evidence: Evidence, spec: TaskCandidateSpec) -> tuple[Family, str] | None:
    answer = API_MIGRATION.applies(evidence, spec)
    if not answer.applies:
        return None
    if stated(spec, "static"):
        return Family.API_MIGRATION, answer.reason
    words = evidence.signals.migration_words or found(MIGRATION, "\n".join(evidence.signals.news))
    return (Family.API_MIGRATION, f"it says “{words[0]}”, and {answer.reason}") if words else None


def _behaviour(evidence: Evidence) -> tuple[Family, str]:
    bug, feature = _bug_signs(evidence), _feature_signs(evidence)
    bug_weight, feature_weight = sum(w for w, _ in bug), sum(w for w, _ in feature)
    if bug_weight == feature_weight:
        if evidence.signals.new_public_symbols:
            return Family.FEATURE_ADDITION, _because(feature, "it defines new public names")
        return Family.BUG_FIX, _because(bug, "it defines no new public name")
    if feature_weight > bug_weight:
        return Family.FEATURE_ADDITION, _because(feature, "")
    return Family.BUG_FIX, _because(bug, "")


def _because(signs: list[tuple[float, str]], last: str) -> str:
    said = [text for _, text in sorted(signs, key=lambda s: -s[0])]
    return "; ".join([*said, last] if last else said)


def _bug_signs(evidence: Evidence) -> list[tuple[float, str]]:
    signals = evidence.signals
    signs = [(3.0, f"labelled {label}") for label in signals.labels if _BUG_LABEL.search(label)]
    if signals.conventional in _BUG_KINDS:
        signs.append((3.0, f"its title begins with {signals.conventional}"))
    if "bugfix" in signals.news_kinds:
        signs.append((2.0, "its change log files it under fixes"))
    return signs + _word_signs(evidence, BUG, signals.bug_words)


def _feature_signs(evidence: Evidence) -> list[tuple[float, str]]:
    signals = evidence.signals
    signs = [(3.0, f"labelled {label}") for label in signals.labels if _FEATURE_LABEL.search(label)]
    if signals.conventional in _FEATURE_KINDS:
        signs.append((3.0, f"its title begins with {signals.conventional}"))
    if "feature" in signals.news_kinds:
        signs.append((2.0, "its change log files it under features"))
    if signals.new_public_symbols:
        signs.append((0.5, f"it defines {signals.new_public_symbols[0]}"))
    return signs + _word_signs(evidence, FEATURE, signals.feature_words)


def _word_signs(evidence: Evidence, pattern: re.Pattern[str], words: tuple[str, ...]) -> list[tuple[float, str]]:
    signs: list[tuple[float, str]] = []
    if words:
        signs.append((min(len(words), 2), f"its title says “{words[0]}”"))
    # Titles are imperatives: the verb that leads one says more than all the words behind it.
    title = evidence.statement.title if evidence.statement.provenance != "summary" else ""
    first = _FIRST_WORD.search(title)
    if first and pattern.fullmatch(first[0]):
        signs.append((2.0, f"its title begins with “{first[0]}”"))
    leading = [m[0] for line in evidence.signals.news if (m := _FIRST_WORD.search(line)) and pattern.fullmatch(m[0])]
    if leading:
        signs.append((1.0, f"its change log begins with “{leading[0]}”"))
    return signs
