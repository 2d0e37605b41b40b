"""API migration: an old API has to go and a new one to be used, which no behaviour test can see.

Behaviour alone gives full marks to an untouched repository, so the target is a check by reading, and behaviour is
the regression. The names come from the user, or from the evidence where it leaves no doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import CheckSpec, Family, StaticOracle, TaskCandidateSpec
from change2task.families.contract import (
    Applicability,
    FamilyContract,
    Oracle,
    Surface,
    beside_tests,
    patch_output,
    source_places,
    stated,
)
from change2task.history.models import Evidence

DERIVED: Final = "static:api-migration"
"""Name of the check that the family derives where the user states none."""
_GOAL_NAMES: Final = 1500
"""Characters of names on each side that a goal shows."""


@dataclass(frozen=True)
class ApiMigration:
    """The family whose target is a static oracle."""

    family: Family = Family.API_MIGRATION

    def applies(self, evidence: Evidence, spec: TaskCandidateSpec) -> Applicability:
        """Whether the old and the new API are known."""
        oracle = oracle_of(evidence, spec)
        if oracle is not None and (both := _contradiction(oracle)):
            return Applicability(applies=False, reason=f"spec.checks wants {both[0]} gone and {both[1]} used at once")
        if oracle is not None and stated(spec, "static"):
            return Applicability(applies=True, reason=f"spec.checks states the APIs: {_described(oracle)}")
        if oracle is not None:
            return Applicability(applies=True, reason=evidence.signals.migration_detail)
        detail = evidence.signals.migration_detail or "its imports say nothing"
        return Applicability(
            applies=False,
            reason=f"the old and the new API cannot be told from the change ({detail}); state them in spec.checks as a"
            " static check with gone and used",
        )

    def contract(self, evidence: Evidence, spec: TaskCandidateSpec, scope: Scope, surface: Surface) -> FamilyContract:
        """The contract of a task of this family; raises ValueError where it does not apply."""
        oracle = oracle_of(evidence, spec)
        if oracle is None:
            raise ValueError(self.applies(evidence, spec).reason)
        places = source_places(evidence)
        derived = () if stated(spec, "static") else (CheckSpec(id=DERIVED, kind="static", static=oracle),)
        return FamilyContract(
            family=self.family,
            goal=f"Migrate the project: {_described(oracle)}. Behaviour stays as it is.",
            output=patch_output(scope, surface),
            oracle=Oracle(
                beside=beside_tests(spec, places, derived),
                grading="checks",
                behaviour_must_fail=False,
            ),
        )


def oracle_of(evidence: Evidence, spec: TaskCandidateSpec) -> StaticOracle | None:
    """The static oracle: all that the user states, joined, or what the evidence shows beyond doubt."""
    given = [c.static for c in stated(spec, "static") if c.static is not None]
    if not given:
        return evidence.signals.migration
    return StaticOracle(
        gone=tuple(dict.fromkeys(name for o in given for name in o.gone)),
        used=tuple(dict.fromkeys(name for o in given for name in o.used)),
        paths=tuple(dict.fromkeys(glob for o in given for glob in o.paths)),
    )


def _contradiction(oracle: StaticOracle) -> tuple[str, str] | None:
    """A name that must go and one that must be used, where whoever uses the second uses the first."""
    pairs = ((gone, used) for gone in oracle.gone for used in oracle.used)
    return next(((gone, used) for gone, used in pairs if used == gone or used.startswith(f"{gone}.")), None)


def _described(oracle: StaticOracle) -> str:
    gone, used = _named(oracle.gone), _named(oracle.used)
    if gone and used:
        return f"use {used} instead of {gone}"
    return f"remove every use of {gone}" if gone else f"use {used}"


def _named(names: tuple[str, ...]) -> str:
    """The names as far as they fit into a goal, and how many more there are."""
    shown = [f"`{name}`" for place, name in enumerate(names) if sum(map(len, names[: place + 1])) <= _GOAL_NAMES]
    more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return ", ".join(shown) + more


API_MIGRATION = ApiMigration()
