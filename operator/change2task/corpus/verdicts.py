"""Grades as verdicts over outcomes: pure, so that every rule of grading can be read and tried without running anything.

A run that says nothing (a crash of the harness, a script that ended with neither 0 nor 1) is never held against or
for an answer; only where a definite failure stands beside it is the answer not solved all the same. Making the runs
is left to ``grading``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from change2task.api.model import Model
from change2task.checks.results import TestResult
from change2task.corpus.submission import Submission
from change2task.validate.lifecycle import name_some

_NO_WITNESS = ("ImportError", "ModuleNotFoundError")
"""Exceptions that a test fails with where it names what is not there, which shows nothing of behaviour."""


class NoGrade(Exception):
    """The runs gave no verdict, twice; the message says why."""


class Forged(Exception):
    """Results of an answer's run were forged, twice; the task's own runs were honest when it was made."""


class Grade(Model):
    """The outcome: solved or not, why, and every check that decided it.

    For an answer that is tests, ``added`` are the tests it added and ``witnesses`` those of them that pass on the
    restored state and show the task's condition, on each repeat that was run. ``outcomes`` holds what did not pass,
    ``no_verdict`` the runs that said nothing; ``warnings`` what to know of the task's checks.
    """

    variant: str
    solved: bool
    message: str
    failed_targets: tuple[str, ...] = ()
    failed_observers: tuple[str, ...] = ()
    failed_regression: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    witnesses: tuple[str, ...] = ()
    targets: int
    regression: int
    counted: tuple[str, ...]
    put_back: tuple[str, ...]
    why_put_back: dict[str, str] = {}
    outcomes: dict[str, str] = {}
    signatures: dict[str, str] = {}
    no_verdict: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Wanted(Model):
    """The checks a patch is graded by, as ids."""

    targets: tuple[str, ...]
    observers: tuple[str, ...] = ()
    regression: tuple[str, ...] = ()


class Told(Model):
    """What the runs on an answer's tree told: outcomes and signatures by check, and why some runs said nothing.

    ``forged`` says of which runs somebody changed the results, and how that was seen.
    """

    outcomes: dict[str, str] = {}
    signatures: dict[str, str] = {}
    no_verdict: tuple[str, ...] = ()
    forged: tuple[str, ...] = ()


def judge_patch(variant: str, wanted: Wanted, told: Told, submitted: Submission) -> Grade:
    """Solved when every check passes; raises NoGrade when that hangs on a run that said nothing.

    A check without an outcome is a failure, unless a run said nothing.
    """

    def failed(checks: Sequence[str]) -> tuple[str, ...]:
        silent = bool(told.no_verdict or told.forged)
        return tuple(c for c in checks if told.outcomes.get(c, "passed" if silent else "missing") != "passed")

    targets, observers, regression = failed(wanted.targets), failed(wanted.observers), failed(wanted.regression)
    if told.no_verdict and not (targets or observers or regression or told.forged):
        raise NoGrade("; ".join(told.no_verdict))
    shown = {*targets, *observers, *regression}
    return Grade(
        variant=variant,
        solved=not (shown or told.forged),
        message=_why(wanted, (targets, observers, regression), told, submitted),
        failed_targets=targets,
        failed_observers=observers,
        failed_regression=regression,
        targets=len(wanted.targets),
        regression=len(wanted.regression),
        counted=submitted.counted,
        put_back=submitted.put_back,
        why_put_back=submitted.why,
        outcomes={check: told.outcomes.get(check, "missing") for check in sorted(shown)},
        signatures={check: told.signatures[check] for check in sorted(shown & told.signatures.keys())},
        no_verdict=(*told.forged, *told.no_verdict),
    )


class Repeats(Model):
    """An answer's tests on both states, repeat by repeat: result by id.

    ``added`` are the ids that are the answer's; ``healthy`` ids that pass on the restored state without it. ``lost``
    says why files could not be looked into for tests, ``forged`` that results were changed and how that was seen.
    """

    task: tuple[dict[str, TestResult], ...] = ()
    restored: tuple[dict[str, TestResult], ...] = ()
    added: tuple[str, ...] = ()
    healthy: frozenset[str] = frozenset()
    lost: tuple[str, ...] = ()
    forged: str = ""


def added_tests(
    collected: Sequence[frozenset[str]], known: frozenset[str], place: Callable[[str], tuple[str, str]]
) -> tuple[str, ...]:
    """The ids that were ``collected`` in any run and are not ``known`` from before.

    An id of a function that was there before counts only if every run has it: names of cases may hang on hash seeds.
    """
    places = {place(check) for check in known}
    always = frozenset.intersection(*collected) if collected else frozenset()
    new = frozenset().union(*collected) - known
    return tuple(sorted(check for check in new if check in always or place(check) not in places))


def judge_tests(variant: str, repeats: Repeats, submitted: Submission) -> Grade:
    """Solved when every added test passes on each repeat of the restored state and one is a witness."""
    added = repeats.added
    passing = {check: [_passes(run, check) for run in repeats.restored] for check in added}
    broken = tuple(check for check in added if not any(passing[check]))
    flaky = tuple(check for check in added if any(passing[check]) and not all(passing[check]))
    witnesses = tuple(
        check for check in added if all(passing[check]) and all(_fails_in_call(run.get(check)) for run in repeats.task)
    )
    # Later repeats run on disguised sources, which tests of before may be right to complain of.
    spoilt = tuple(c for c in sorted(repeats.healthy) if not all(_passes(run, c) for run in repeats.restored[:1]))
    message = _why_tests(added, witnesses, broken, flaky, spoilt, repeats, submitted)
    shown = {*broken, *flaky, *spoilt, *(added if not witnesses else ())}
    return Grade(
        variant=variant,
        solved=bool(added and witnesses and not (broken or flaky or spoilt)),
        message=message,
        failed_targets=() if witnesses else added,
        failed_regression=(*broken, *flaky, *spoilt),
        added=added,
        witnesses=witnesses,
        targets=len(added),
        regression=len(added) + len(repeats.healthy),
        counted=submitted.counted,
        put_back=submitted.put_back,
        why_put_back=submitted.why,
        outcomes={check: _told(repeats, check) for check in sorted(shown)},
    )


def _passes(run: Mapping[str, TestResult], check: str) -> bool:
    result = run.get(check)
    return result is not None and result.outcome == "passed"


def _fails_in_call(result: TestResult | None) -> bool:
    if result is None or result.phase != "call" or result.outcome not in {"failed", "crashed", "hung"}:
        return False
    return not (result.signature or "").startswith(_NO_WITNESS)


def _told(repeats: Repeats, check: str) -> str:
    def of(runs: Sequence[Mapping[str, TestResult]]) -> str:
        said = [
            f"{r.outcome}{f' in {r.phase}' if r.phase else ''}" if (r := run.get(check)) else "missing" for run in runs
        ]
        return ", ".join(dict.fromkeys(said))

    return f"task state: {of(repeats.task)}; restored state: {of(repeats.restored)}"


def _why(wanted: Wanted, failed: tuple[tuple[str, ...], ...], told: Told, submitted: Submission) -> str:
    targets, observers, regression = failed
    parts = [f"results were forged: {told.forged[0]}"] if told.forged else []
    if targets:
        first = told.signatures.get(targets[0])
        parts.append(
            f"{len(targets)} of {len(wanted.targets)} target checks fail: {name_some(targets)}"
            + (f" ({first})" if first else "")
        )
    if observers:
        parts.append(f"{len(observers)} observers fail: {name_some(observers)}")
    if regression:
        parts.append(f"{len(regression)} regression checks fail: {name_some(regression)}")
    parts = parts or [f"all {len(wanted.targets)} target checks and all regression checks pass"]
    return "; ".join([*parts, *_put_back(submitted)])


def _why_tests(
    added: tuple[str, ...],
    witnesses: tuple[str, ...],
    broken: tuple[str, ...],
    flaky: tuple[str, ...],
    spoilt: tuple[str, ...],
    repeats: Repeats,
    submitted: Submission,
) -> str:
    parts: list[str] = []
    if repeats.forged:
        parts.append(f"results were forged: {repeats.forged}")
    elif not added:
        lost = f" that the project's check command runs: {'; '.join(repeats.lost[:3])}" if repeats.lost else ""
        parts.append(f"the patch adds no test{lost}")
    if broken:
        parts.append(f"{len(broken)} added tests do not pass on the restored state: {name_some(broken)}")
    if flaky:
        parts.append(f"{len(flaky)} added tests pass on some repeats of the restored state only: {name_some(flaky)}")
    if spoilt:
        parts.append(f"{len(spoilt)} tests that were there before no longer pass: {name_some(spoilt)}")
    if added and not witnesses:
        parts.append(f"none of the {len(added)} added tests fails in its call phase on each repeat of the task state")
    parts = parts or [f"{len(witnesses)} of {len(added)} added tests witness the task condition"]
    return "; ".join([*parts, *_put_back(submitted)])


def _put_back(submitted: Submission) -> list[str]:
    if not submitted.put_back:
        return []
    shown = [f"{path} ({submitted.why[path]})" for path in submitted.put_back]
    return [f"changes outside the contract were put back: {name_some(shown)}"]
