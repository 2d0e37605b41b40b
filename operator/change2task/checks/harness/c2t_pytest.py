"""The witness inside pytest: writes what really happened as JSON lines. PYTEST_DONT_REWRITE

It exists because printed results lie (colours, line wraps, tests that print "PASSED") and ids in them are cut.
It reports and selects; outcomes are judged by the reader outside. It shares its process with the tests, so
everything it needs later is taken at import, every event is one write to a freshly opened file, and events of
forked children are dropped. What a test can still forge is told in change2task.checks.readers.pytest.

Python 3.6 syntax, pytest 3.10 and later, no other library.
"""
# ruff: noqa: UP006, UP031, UP035, UP045, PTH100, PTH110, PTH118, PTH120, PTH123, BLE001

import hashlib
import json
import os
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import pytest

try:
    from _pytest.reports import CollectReport
except ImportError:  # pytest before 4.0
    from _pytest.runner import CollectReport  # type: ignore[attr-defined]

_open, _write, _close, _getpid = os.open, os.write, os.close, os.getpid
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
_quote = json.encoder.encode_basestring_ascii
_SIGNATURE_CHARACTERS = 1000
_IDS_A_LINE = 500
_OURS = ("C2T_WORK", "C2T_PLAN", "C2T_RESULTS", "C2T_HOME", "C2T_NONCE", "C2T_ROUND", "C2T_ORDER_SEED")

# Options that stop early, spread tests over processes, choose by earlier runs, repeat or reorder. Each is set only
# where the project's pytest knows it.
_NEUTRAL = {
    "continue_on_collection_errors": True,
    "maxfail": 0,
    "usepdb": False,
    "trace": False,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "cacheclear": False,
    "stepwise": False,
    "stepwise_skip": False,
    "numprocesses": None,
    "maxprocesses": None,
    "dist": "no",
    "distload": False,
    "tx": [],
    "looponfail": False,
    "reruns": 0,
    "randomly_reorganize": False,
    "random_order_bucket": "none",
}  # type: Dict[str, Any]


class _Channel:
    """The events file of this round, opened anew for each event."""

    def __init__(self, path: str, nonce: str) -> None:
        self.path = path
        self.nonce = nonce
        self.pid = _getpid()
        self.number = 0

    def emit(self, event: str, **fields: Any) -> None:
        self.emit_members(event, _encode(fields)[1:-1])

    def emit_members(self, event: str, members: str) -> None:
        """An event whose further members are JSON already."""
        if _getpid() != self.pid:
            return
        # Leading newline: a test may have left half a line of its own.
        text = '\n{"c2t":"%s","e":"%s","n":%d%s%s}\n' % (
            self.nonce,
            event,
            self.number,
            "," if members else "",
            members,
        )
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


class _Earlier:
    """What earlier rounds of the same pass settled: ids that started, files that never came back from import."""

    def __init__(self, results: str, nonce: str, rounds: int) -> None:
        self.listed = set()  # type: Set[str]
        self.started = set()  # type: Set[str]
        self.lost_files = set()  # type: Set[str]
        self.stuck = False
        for number in range(rounds):
            before = len(self.started) + len(self.lost_files)
            self._read_round(os.path.join(results, "events.%d" % number), nonce)
            self.stuck = len(self.started) + len(self.lost_files) == before

    def _read_round(self, path: str, nonce: str) -> None:
        gathering = None  # type: Optional[str]
        for event in _events(path, nonce):
            kind = event.get("e")
            if kind == "ids":
                self.listed.update(event["ids"])
            elif kind == "start":
                self.started.add(event["id"])
            elif kind == "gather":
                gathering = event["file"]
            elif kind in ("gathered", "running"):
                gathering = None
        if gathering is not None:
            self.lost_files.add(gathering)


def _events(path: str, nonce: str) -> Iterator[Dict[str, Any]]:
    try:
        fd = _open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    with os.fdopen(fd, "rb") as lines:
        for line in lines:
            if nonce not in line.decode("ascii", "replace"):
                continue
            try:
                event = json.loads(line.decode("ascii"))
            except ValueError:
                continue
            if isinstance(event, dict) and event.get("c2t") == nonce:
                yield event


def _text(value: object) -> str:
    """The text of something a test made; its __str__ is the test's code and may do anything."""
    try:
        return str(value)
    except BaseException:
        return "<no text>"


class _CanaryFailureError(Exception):
    pass


def _good() -> None:
    pass


class _Canary(pytest.Item):
    """A test of ours whose outcome is known: whoever makes everything pass changes it too.

    It carries what hooks of projects expect of a test function, and is called through the hook that calls them.
    """

    cls = None
    instance = None
    funcargs = {}  # type: Dict[str, Any]
    fixturenames = []  # type: List[str]
    module = types.ModuleType("c2t_canary")
    _fixtureinfo = types.SimpleNamespace(argnames=())
    function = obj = staticmethod(_good)

    def runtest(self) -> None:
        self.ihook.pytest_pyfunc_call(pyfuncitem=self)

    def _isyieldedfunction(self) -> bool:  # asked by pytest before 4.0
        return False

    def repr_failure(self, excinfo: Any, style: Any = None) -> str:
        return _text(excinfo.value)

    def reportinfo(self) -> Tuple[Any, Optional[int], str]:
        return "c2t", 0, self.name


def _canary_before_from_parent(session: Any, name: str) -> Any:
    return _Canary(name, session)


def _canary(session: Any, name: str, function: Callable[[], None]) -> Any:
    # pytest before 5.4 knows the constructor only, later ones forbid it.
    item = getattr(_Canary, "from_parent", _canary_before_from_parent)(session, name=name)
    item.function = item.obj = function
    return item


class _Order:
    """A shuffle that depends on seed and names only: modules, in them classes, in them functions.

    Cases of one function stay neighbours. A module whose fixtures are parametrised for more than one function keeps
    its order, and modules sharing such a fixture stay together: other orders would set it up again and again.
    """

    _SPREAD = {"function": 0, "class": 1, "module": 1, "package": 2, "session": 2}
    _OLD_SCOPES = ("session", "package", "module", "class", "function")

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def _draw(self, *names: str) -> str:
        text = "\0".join((str(self.seed), *names))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _spread(self, item: Any) -> int:
        spec = getattr(item, "callspec", None)
        scopes = getattr(spec, "_arg2scope", None) or getattr(spec, "_arg2scopenum", None) or {}
        widest = 0
        for scope in scopes.values():
            name = getattr(scope, "value", None)
            if name is None:
                name = self._OLD_SCOPES[min(scope, 4)] if isinstance(scope, int) else "session"
            widest = max(widest, self._SPREAD.get(name, 2))
        return widest

    def sort(self, items: List[Any], ids: Dict[Any, str]) -> List[Any]:
        spreads = {}  # type: Dict[str, int]
        for item in items:
            file = ids[item].partition("::")[0]
            spreads[file] = max(spreads.get(file, 0), self._spread(item))
        keys = {}
        for place, item in enumerate(items):
            file, _, rest = ids[item].partition("::")
            spread = spreads[file]
            if spread == 2:
                keys[item] = (self._draw("shared"), "", "", place)
                continue
            if spread == 1:
                keys[item] = (self._draw(file), "", "", place)
                continue
            parts = rest.partition("[")[0].split("::")
            group = self._draw(file, *parts[:-1]) if len(parts) > 1 else self._draw(file, *parts)
            keys[item] = (self._draw(file), group, self._draw(file, *parts), place)
        return sorted(items, key=keys.__getitem__)


class _Witness:
    """Watches one pytest session. Wrappers only: no hook of the project is replaced."""

    def __init__(self, environ: Dict[str, str]) -> None:
        self.work = os.path.realpath(environ["C2T_WORK"])
        self.work_as_given = os.path.abspath(environ["C2T_WORK"])
        self.nonce = environ["C2T_NONCE"]
        self.round = int(environ.get("C2T_ROUND", "0"))
        seed = environ.get("C2T_ORDER_SEED", "")
        self.seed = int(seed) if seed else None
        results = environ["C2T_RESULTS"]
        channel = _Channel(os.path.join(results, "events.%d" % self.round), self.nonce)
        self.emit, self.emit_members = channel.emit, channel.emit_members
        self.earlier = _Earlier(results, self.nonce, self.round)
        self.wanted = None  # type: Optional[Set[str]]
        chosen = os.path.join(environ["C2T_PLAN"], "ids")
        if os.path.exists(chosen):
            with open(chosen, "rb") as lines:
                self.wanted = {json.loads(line.decode("ascii")) for line in lines}
        self.scopes = None  # type: Optional[Set[str]]
        bounds = os.path.join(environ["C2T_PLAN"], "scopes")
        if os.path.exists(bounds):
            with open(bounds, "rb") as lines:
                self.scopes = {json.loads(line.decode("ascii")) for line in lines}
        self.nothing_wanted = False
        self.places = {}  # type: Dict[str, str]
        self.ids = {}  # type: Dict[Any, str]
        self.names = {}  # type: Dict[str, str]
        self.raised = {}  # type: Dict[Tuple[str, str], str]
        self.phases = {}  # type: Dict[str, Tuple[str, float]]
        self.emit("loaded", round=self.round, pytest=pytest.__version__, python=sys.version.split()[0])

    # Names

    def relative(self, path: str) -> str:
        absolute = os.path.abspath(path)
        for candidate in (absolute, os.path.realpath(absolute)):
            for root in (self.work, self.work_as_given):
                if candidate == root:
                    return "."
                if candidate.startswith(root + os.sep):
                    return candidate[len(root) + 1 :]
        return absolute

    def place(self, node: Any) -> str:
        """The node's file relative to the work tree, however pytest's rootdir was chosen."""
        path = str(getattr(node, "path", None) or getattr(node, "fspath", None) or "")
        if path not in self.places:
            self.places[path] = self.relative(path)
        return self.places[path]

    def name(self, item: Any) -> str:
        """The item's id: file relative to the work tree, `::`, the rest of pytest's node id."""
        holder = item
        while holder is not None and not isinstance(holder, pytest.File):
            holder = getattr(holder, "parent", None)
        nodeid = str(item.nodeid)
        if holder is not None and nodeid.startswith(holder.nodeid + "::"):
            rest = nodeid[len(holder.nodeid) + 2 :]
        else:
            rest = nodeid.partition("::")[2]
        return self.place(item if holder is None else holder) + "::" + rest

    # Failure signatures

    def short(self, kind: Optional[str], message: str) -> str:
        lines = [line for line in message.splitlines() if line.strip()] or [""]
        first = lines[0].strip()
        if kind and kind not in first.partition(":")[0]:
            first = kind + ": " + first
        for root in (self.work, self.work_as_given):
            first = first.replace(root + os.sep, "")
        return first[:_SIGNATURE_CHARACTERS]

    def reason(self, report: Any, kind: Optional[str]) -> str:
        """Exception type and first line of its message."""
        longrepr = report.longrepr
        if isinstance(longrepr, tuple):
            return self.short(None, _text(longrepr[-1]))
        crash = getattr(longrepr, "reprcrash", None)
        if crash is not None:
            return self.short(kind, _text(crash.message))
        lines = [line for line in _text(longrepr).splitlines() if line.strip()]
        errors = [line[1:].strip() for line in lines if line.startswith("E ")]
        return self.short(kind, (errors or lines or [""])[-1])

    # Start

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: Any) -> Any:
        for option, value in _NEUTRAL.items():
            if hasattr(config.option, option):
                setattr(config.option, option, value)
        if hasattr(config.option, "randomly_seed"):
            config.option.randomly_seed = self.seed or 0
        if self.earlier.stuck:
            self.emit("stuck")
            raise SystemExit(0)
        if self.wanted is not None:
            config.args[:] = self._files(self.wanted)
            config.option.pyargs = False
            self.nothing_wanted = not config.args
        yield

    def _files(self, wanted: Set[str]) -> List[str]:
        """The files that hold wanted tests, so that no other module is even imported.

        Given to pytest after it chose its rootdir and configuration, which so are those of the project's command.
        """
        names = sorted({identity.partition("::")[0] for identity in wanted - self.earlier.started})
        paths = [os.path.join(self.work, name) for name in names if name not in self.earlier.lost_files]
        return [path for path in paths if os.path.exists(path)]

    def aborted(self, stage: str, error: Any) -> None:
        """Pytest gave up as a whole; a conftest that does not import is named."""
        file = None
        if type(error).__name__ == "ConftestImportFailure":
            file = self.relative(str(error.path))
            cause = getattr(error, "cause", None) or error.excinfo
            error = cause[1] if isinstance(cause, tuple) else cause
        self.emit("aborted", stage=stage, file=file, sig=self.short(type(error).__name__, _text(error)))

    # Collection

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection(self) -> Any:
        outcome = yield
        if outcome.excinfo is not None:
            self.aborted("collection", outcome.excinfo[1])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        file = self.place(collector)
        importing = isinstance(collector, pytest.File) and file not in self.earlier.lost_files
        if importing:
            self.emit("gather", file=file)
        outcome = yield
        if outcome.excinfo is not None:
            return
        report = outcome.get_result()
        if report.outcome == "failed":
            self.emit("gathered", file=file, failed=True, sig=self.reason(report, None))
        elif report.outcome == "skipped":
            self.emit("gathered", file=file, skipped=True)
        elif importing:
            self.emit("gathered", file=file)

    # The run

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Any:
        self._list(session.items)
        session.items[:] = self._chosen(session)
        session.testscollected = len(session.items)
        self.emit("running", tests=len(session.items))
        outcome = yield
        if outcome.excinfo is None:
            self.emit("finished")
        else:
            self.aborted("run", outcome.excinfo[1])

    def _list(self, items: List[Any]) -> None:
        seen = {}  # type: Dict[str, int]
        for item in items:
            identity = self.name(item)
            self.ids[item] = identity
            self.names[item.nodeid] = identity
            seen[identity] = seen.get(identity, 0) + 1
        fresh = [identity for identity in seen if identity not in self.earlier.listed]
        for start in range(0, len(fresh), _IDS_A_LINE):
            self.emit("ids", ids=fresh[start : start + _IDS_A_LINE])
        twice = sorted(identity for identity, times in seen.items() if times > 1)
        if twice:
            self.emit("duplicates", ids=twice)

    def _chosen(self, session: Any) -> List[Any]:
        chosen = [item for item in session.items if self.ids[item] not in self.earlier.started]
        if self.wanted is not None:
            chosen = [item for item in chosen if self.ids[item] in self.wanted]
        if self.scopes is not None:
            chosen = [item for item in chosen if self.ids[item].partition("::")[0] in self.scopes]
        if self.seed is not None:
            chosen = _Order(self.seed).sort(chosen, self.ids)
        good = _canary(session, "c2t_canary_pass_" + self.nonce, _good)
        bad = _canary(session, "c2t_canary_fail_" + self.nonce, self._bad)
        for item in (good, bad):
            self.ids[item] = self.names[item.nodeid] = item.name
        return [good, *chosen, bad]

    def _bad(self) -> None:
        raise _CanaryFailureError("canary " + self.nonce)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        identity = self.ids.get(item) or self.name(item)
        self.phases = {}
        quoted = '"id":' + _quote(identity)
        self.emit_members("start", quoted)
        outcome = yield
        if outcome.excinfo is None:
            phases = ["%s:[%s,%.6f]" % (_quote(when), _quote(said[0]), said[1]) for when, said in self.phases.items()]
            self.emit_members("end", quoted + ',"phases":{' + ",".join(phases) + "}")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        """Where a process that never comes back was: before the test's own code, or in it."""
        self.emit("call")
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        key = (item.nodeid, call.when)
        self.raised.pop(key, None)
        for excinfo in [call.excinfo, *(getattr(item, "_excinfo", None) or [])]:
            if excinfo is not None:
                self.raised[key] = excinfo.typename
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        identity = self.names.get(report.nodeid, report.nodeid)
        xfail = getattr(report, "wasxfail", None)
        kind = self.raised.get((report.nodeid, report.when))
        overruled = report.outcome == "passed" and kind not in (None, "Skipped", "SkipTest") and xfail is None
        part = getattr(report, "context", None)
        if part is None:
            self.phases[report.when] = (report.outcome, float(report.duration))
        if report.outcome == "passed" and xfail is None and not overruled:
            return
        fields = {"id": identity, "when": report.when, "outcome": report.outcome}  # type: Dict[str, Any]
        if xfail is not None:
            fields["xfail"] = True
        if part is not None:
            fields["part"] = _text(getattr(part, "msg", None))[:_SIGNATURE_CHARACTERS]
        if overruled:
            fields["overruled"] = True
            fields["sig"] = kind
        elif report.outcome != "passed":
            fields["sig"] = self.reason(report, kind if part is None else None)
        self.emit("phase", **fields)


class _Bypass:
    """What must not reach pytest's own hooks: files that ended an earlier round, and an empty selection."""

    def __init__(self, witness: _Witness) -> None:
        self.witness = witness

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        lost = isinstance(collector, pytest.File) and self.witness.place(collector) in self.witness.earlier.lost_files
        return CollectReport(collector.nodeid, "passed", None, []) if lost else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: Any) -> Any:
        # Without arguments pytest would collect everything.
        if not self.witness.nothing_wanted:
            return None
        session.items = []
        return True


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Any:
    """Comes before any code of the project, and takes our traces out of its environment."""
    if "C2T_NONCE" not in os.environ:
        yield
        return
    witness = _Witness(dict(os.environ))
    for name in _OURS:
        os.environ.pop(name, None)
    ours = os.path.dirname(os.path.abspath(__file__))
    left = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry != ours]
    if any(left):
        os.environ["PYTHONPATH"] = os.pathsep.join(left)
    else:
        os.environ.pop("PYTHONPATH", None)
    sys.path[:] = [entry for entry in sys.path if entry != ours]
    early_config.pluginmanager.register(witness, "c2t-witness")
    early_config.pluginmanager.register(_Bypass(witness), "c2t-bypass")
    outcome = yield
    if outcome.excinfo is not None:
        witness.aborted("conftest", outcome.excinfo[1])
