"""The witness around unittest: runs a project's own test command and writes what really happened as JSON lines.

It exists because unittest's text is for people. Every way to it (python -m unittest, Django's manage.py test, a
script of the project's) ends in TextTestRunner.run, which is where this looks on: it selects, plants two tests whose
outcome is known, and tells each call of the result object. It shares its process with the tests; what they can forge
is told in change2task.checks.readers.unittest. Outcomes are judged by the reader outside.

Python 3.6 syntax, no library beside the standard one.
"""
# ruff: noqa: UP006, UP028, UP031, UP035, UP045, PTH100, PTH109, PTH110, PTH113, PTH118, PTH120, PTH123, BLE001, N802, RUF005

import hashlib
import inspect
import json
import os
import re
import runpy
import sys
import time
import unittest
import unittest.runner
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

_open, _write, _close, _getpid, _clock = os.open, os.write, os.close, os.getpid, time.perf_counter
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
_OURS = ("C2T_WORK", "C2T_PLAN", "C2T_RESULTS", "C2T_HOME", "C2T_NONCE", "C2T_ROUND", "C2T_ORDER_SEED")
_SIGNATURE_CHARACTERS = 1000
_IDS_A_LINE = 500
_PHASES = {
    "_callSetUp": "setup",
    "_callTestMethod": "call",
    "_callTearDown": "teardown",
    "doCleanups": "teardown",
    "_callCleanup": "teardown",
}
_HOLDER = re.compile(r"(setUp|tearDown)(?:Class|Module) \((.*)\)\Z", re.DOTALL)


class _Channel:
    """The events file of this round, opened anew for each event."""

    def __init__(self, path: str, nonce: str) -> None:
        self.path, self.nonce, self.pid, self.number = path, nonce, _getpid(), 0

    def emit(self, event: str, **fields: Any) -> None:
        if _getpid() != self.pid:
            return
        members = _encode(fields)[1:-1]
        # Leading newline: a test may have left half a line of its own.
        text = '\n{"c2t":"%s","e":"%s","w":"u","n":%d%s%s}\n' % (
            self.nonce, event, self.number, "," if members else "", members,
        )  # fmt: skip
        self.number += 1
        data = text.encode("ascii")
        try:
            fd = _open(self.path, _FLAGS, 0o644)
        except OSError:
            # A test made the file unreachable: what is not written is missing, and missing is a failure.
            return
        try:
            while data:
                data = data[_write(fd, data) :]
        except OSError:
            return
        finally:
            _close(fd)


def _earlier(results: str, nonce: str, rounds: int) -> Tuple[Set[str], bool]:
    """The tests that began in earlier rounds, and whether the last of those began none."""
    begun = set()  # type: Set[str]
    stuck = False
    for number in range(rounds):
        before = len(begun)
        try:
            with open(os.path.join(results, "events.%d" % number), "rb") as lines:
                for line in lines:
                    try:
                        event = json.loads(line.decode("ascii"))
                    except ValueError:
                        continue
                    if isinstance(event, dict) and event.get("c2t") == nonce and event.get("e") == "begin":
                        begun.add(event["id"])
        except OSError:
            pass
        stuck = len(begun) == before
    return begun, stuck


def _names(path: str) -> Optional[Set[str]]:
    if not os.path.exists(path):
        return None
    with open(path, "rb") as lines:
        return {json.loads(line.decode("ascii")) for line in lines}


def _text(value: object) -> str:
    """The text of something a test made; its __str__ is the test's code and may do anything."""
    try:
        return str(value)
    except BaseException:
        return "<no text>"


class _CanaryFailureError(Exception):
    pass


class _Witness:
    """What is known of this process' tests."""

    def __init__(self, environ: Dict[str, str]) -> None:
        self.work = os.path.realpath(environ["C2T_WORK"])
        self.nonce = environ["C2T_NONCE"]
        self.round = int(environ.get("C2T_ROUND", "0"))
        self.seed = environ.get("C2T_ORDER_SEED", "")
        results, plan = environ["C2T_RESULTS"], environ["C2T_PLAN"]
        self.emit = _Channel(os.path.join(results, "events.%d" % self.round), self.nonce).emit
        self.begun, self.stuck = _earlier(results, self.nonce, self.round)
        self.wanted, self.scopes = _names(os.path.join(plan, "ids")), _names(os.path.join(plan, "scopes"))
        self.runs = 0
        self.open_runs = 0
        self.groups = {}  # type: Dict[str, List[str]]
        self.found = {}  # type: Dict[int, List[Tuple[str, Optional[str], str]]]
        self.since = {}  # type: Dict[int, float]
        self.emit("started", runner="unittest", version=sys.version.split()[0])

    # Names

    def name(self, test: Any) -> str:
        """File relative to the work tree, `::`, class and method."""
        kind = type(test)
        method = getattr(test, "_testMethodName", None)
        if method is None:
            return str(test.id())
        if kind is _canary_class:
            return "c2t_canary_%s_%s" % (method[4:], self.nonce)
        module = sys.modules.get(kind.__module__)
        try:
            path = os.path.realpath(inspect.getsourcefile(kind) or "")
        except (TypeError, OSError):
            path = os.path.realpath(getattr(module, "__file__", None) or "")
        if path.startswith(self.work + os.sep):
            path = path[len(self.work) + 1 :]
        if not path:
            path = kind.__module__
        return "::".join([path] + kind.__qualname__.split(".") + [str(method)])

    def signature(self, error: Any) -> str:
        lines = [line for line in _text(error[1]).splitlines() if line.strip()] or [""]
        first = "%s: %s" % (getattr(error[0], "__name__", "?"), lines[0].strip())
        return first.replace(self.work + os.sep, "")[:_SIGNATURE_CHARACTERS]

    # Selection

    def leaves(self, suite: Any) -> Iterator[Any]:
        for part in getattr(suite, "subsuites", None) or getattr(suite, "_tests", None) or ():
            if isinstance(part, unittest.BaseTestSuite):
                for test in self.leaves(part):
                    yield test
            elif part is not None:
                yield part

    def prune(self, suite: Any) -> None:
        """Takes out what is not to be run, in place: suites may be of the project's own classes."""
        for attribute in ("_tests", "subsuites"):
            parts = getattr(suite, attribute, None)
            if not isinstance(parts, list):
                continue
            kept = []
            for part in parts:
                if isinstance(part, unittest.BaseTestSuite):
                    self.prune(part)
                    kept.append(part)
                elif part is not None and self.runs_now(part):
                    kept.append(part)
            alike = bool(kept) and all(type(part) is type(kept[0]) for part in kept)
            if self.seed and alike and isinstance(kept[0], unittest.TestCase):
                kept.sort(key=lambda test: hashlib.sha256((self.seed + test.id()).encode("utf-8", "replace")).digest())
            parts[:] = kept

    def runs_now(self, test: Any) -> bool:
        if type(test).__name__ == "_FailedTest" and type(test).__module__ == "unittest.loader":
            self.load_failed(test)
            return False
        identity = self.name(test)
        if identity in self.begun:
            return False
        if self.wanted is not None and identity not in self.wanted:
            return False
        return self.scopes is None or identity.partition("::")[0] in self.scopes

    def load_failed(self, test: Any) -> None:
        """A module that does not import, or a name that is not there, comes as a test that fails."""
        error = getattr(test, "_exception", None)
        lines = [line for line in _text(error).splitlines() if line.strip()] or ["it cannot be loaded"]
        name = str(getattr(test, "_testMethodName", "?"))
        path = name.replace(".", os.sep) + ".py"
        for folder in [self.work] + sys.path:
            full = os.path.realpath(os.path.join(folder or ".", path))
            if os.path.isfile(full) and full.startswith(self.work + os.sep):
                name = full[len(self.work) + 1 :]
                break
        self.emit("fault", file=name, sig=lines[-1].strip()[:_SIGNATURE_CHARACTERS])

    def list_all(self, suite: Any) -> None:
        seen = set()  # type: Set[str]
        twice = []
        for test in self.leaves(suite):
            if type(test).__name__ == "_FailedTest":
                continue
            identity = self.name(test)
            if identity in seen:
                twice.append(identity)
            seen.add(identity)
            kind = type(test)
            for group in ("%s.%s" % (kind.__module__, kind.__qualname__), kind.__module__):
                self.groups.setdefault(group, []).append(identity)
        ids = sorted(seen)
        for start in range(0, len(ids), _IDS_A_LINE):
            self.emit("ids", ids=ids[start : start + _IDS_A_LINE])
        if twice:
            self.emit("duplicates", ids=twice)

    # One test

    def start(self, test: Any) -> None:
        if not isinstance(test, unittest.TestCase) and not hasattr(test, "_testMethodName"):
            return
        self.found[id(test)] = []
        self.since[id(test)] = _clock()
        self.emit("begin", id=self.name(test))

    def tell(self, test: Any, outcome: str, error: Any = None, reason: str = "") -> None:
        test = getattr(test, "test_case", test)
        phase, said = None, reason
        if error is not None:
            phase, said = _phase(error[2] if len(error) > 2 else None), self.signature(error)
            if outcome in ("failed", "error"):
                outcome = "failed" if phase in ("call", None) else "error"
        if id(test) in self.found:
            self.found[id(test)].append((outcome, phase, said))
            return
        holder = _HOLDER.match(str(getattr(test, "description", "") or ""))
        if holder is None or outcome == "passed":
            return
        phase = "setup" if holder.group(1) == "setUp" else "teardown"
        outcome = "skipped" if outcome == "skipped" else "error"
        for identity in self.groups.get(holder.group(2), ()):
            if self.wanted is None or identity in self.wanted:
                self.emit("end", id=identity, outcome=outcome, phase=phase, sig=said, seconds=0)

    def stop(self, test: Any) -> None:
        told = self.found.pop(id(test), None)
        if told is None:
            return
        seconds = _clock() - self.since.pop(id(test))
        order = ("failed", "error", "xpassed", "passed", "xfailed", "skipped")
        told.sort(key=lambda one: order.index(one[0]))
        outcome, phase, said = told[0] if told else ("error", "call", "the runner reported no result")
        self.emit("end", id=self.name(test), outcome=outcome, phase=phase, sig=said, seconds=seconds)

    # The runner

    def watch(self, result: Any) -> Any:
        """The runner's own result object, whatever its class, telling us what it is told."""
        witness, kind = self, type(result)

        class Watched(kind):  # type: ignore[misc, valid-type]
            def startTest(self, test: Any) -> None:
                witness.start(test)
                kind.startTest(self, test)

            def stopTest(self, test: Any) -> None:
                kind.stopTest(self, test)
                witness.stop(test)

            def addSuccess(self, test: Any) -> None:
                witness.tell(test, "passed")
                kind.addSuccess(self, test)

            def addFailure(self, test: Any, err: Any) -> None:
                witness.tell(test, "failed", err)
                kind.addFailure(self, test, err)

            def addError(self, test: Any, err: Any) -> None:
                witness.tell(test, "error", err)
                kind.addError(self, test, err)

            def addSkip(self, test: Any, reason: str) -> None:
                witness.tell(test, "skipped", reason=_text(reason)[:_SIGNATURE_CHARACTERS])
                kind.addSkip(self, test, reason)

            def addExpectedFailure(self, test: Any, err: Any) -> None:
                witness.tell(test, "xfailed", err)
                kind.addExpectedFailure(self, test, err)

            def addUnexpectedSuccess(self, test: Any) -> None:
                witness.tell(test, "xpassed")
                kind.addUnexpectedSuccess(self, test)

            def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
                if err is not None:
                    witness.tell(test, "failed", err)
                kind.addSubTest(self, test, subtest, err)

        Watched.__name__, Watched.__qualname__, Watched.__module__ = kind.__name__, kind.__qualname__, kind.__module__
        result.__class__ = Watched
        return result

    def run(self, runner: Any, suite: Any, original: Any) -> Any:
        self.runs += 1
        self.open_runs += 1
        whole = suite if isinstance(suite, unittest.BaseTestSuite) else unittest.TestSuite([suite])  # type: Any
        self.list_all(whole)
        self.prune(whole)
        if self.runs == 1:
            whole = unittest.TestSuite([_canary_class("c2t_pass"), _canary_class("c2t_fail"), whole])
        runner.failfast = False
        made = runner._makeResult
        runner._makeResult = lambda: self.watch(made())
        self.emit("running")
        self.emit("testing")
        try:
            result = original(runner, whole)
        finally:
            del runner._makeResult
        self.open_runs -= 1
        for kind in ("failures", "errors"):
            told = getattr(result, kind, None)
            if isinstance(told, list):
                told[:] = [pair for pair in told if type(pair[0]) is not _canary_class]
        return result


def _phase(traceback: Any) -> Optional[str]:
    """The part of a test that an exception came from, by unittest's own frames (Python 3.8 and later)."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_name in _PHASES and code.co_filename.endswith("case.py"):
            return _PHASES[code.co_name]
        traceback = traceback.tb_next
    return None


class _Canary(unittest.TestCase):
    """Tests of ours whose outcomes are known: whoever makes everything pass changes them too."""

    def c2t_pass(self) -> None:
        pass

    def c2t_fail(self) -> None:
        raise _CanaryFailureError("canary " + _witness_nonce)


_canary_class = _Canary
_witness_nonce = ""


def _main(argv: List[str]) -> None:
    global _witness_nonce  # noqa: PLW0603 - the canary is made by unittest, which hands it nothing
    witness = _Witness(dict(os.environ))
    _witness_nonce = witness.nonce
    for name in _OURS:
        os.environ.pop(name, None)
    if witness.stuck:
        witness.emit("stuck")
        return
    original = unittest.runner.TextTestRunner.run

    def run(self: Any, test: Any) -> Any:
        return witness.run(self, test, original)

    unittest.runner.TextTestRunner.run = run  # type: ignore[method-assign]
    status = None  # type: Any
    try:
        if argv[0] == "-m":
            sys.argv = [argv[1]] + argv[2:]
            sys.path[0] = os.getcwd()
            runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = argv
            sys.path[0] = os.path.dirname(os.path.abspath(argv[0]))
            runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as end:
        status = end.code
    except BaseException as error:
        witness.emit("aborted", sig=witness.signature((type(error), error)))
        raise
    if witness.runs and not witness.open_runs:
        witness.emit("finished")
    elif not witness.runs:
        witness.emit("aborted", sig="the command ended without starting unittest's text runner")
    sys.exit(status)


if __name__ == "__main__":
    _main(sys.argv[1:])
