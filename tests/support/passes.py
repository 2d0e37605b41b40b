"""Passes run for real: a tree and a plan folder laid in a temporary place, `sh run.sh`, and the reader's word.

Runs run.sh directly, or as process 1 of a new namespace, or with busybox for shell and applets: the plan folder must
not care. Which runtime a pass gets in production is not tested here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from change2task.checks.plan import CheckRequest, Marks, PassPlan, ReaderFiles, pass_plan
from change2task.checks.reader import plan_pass, reader_for
from change2task.checks.results import SuiteResult

NONCE = "feedc0de01"
PYTHON_PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"
TOY_MARKS = Marks(running="@running", progress="@progress", finished="@finished", stuck="@stuck")

needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
needs_busybox = pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not installed")


@dataclass
class Pass:
    """The folders of one pass, and how run.sh is started in them."""

    folder: Path
    path: str = PYTHON_PATH
    shell: str = "sh"
    as_process_1: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("work", "plan", "results", "home", "tmp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def lay(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def lay_plan(self, plan: PassPlan) -> None:
        for name, text in plan.files.items():
            path = self.folder / "plan" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        self.env |= plan.env

    def start(self, timeout: float = 120) -> int:
        """Run the pass to its end, returning run.sh's exit code."""
        return self.begin().wait(timeout)

    def begin(self) -> subprocess.Popen[bytes]:
        """Start run.sh and return at once."""
        environment = {
            "PATH": self.path,
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            **{f"C2T_{name.upper()}": str(self.folder / name) for name in ("work", "plan", "results", "home")},
            **self.env,
        }
        argv = self.argv()
        if self.as_process_1:
            writable = [str(self.folder), *([self.env["GOCACHE"]] if "GOCACHE" in self.env else [])]
            binds = [word for path in writable for word in ("--bind", path, path)]
            program = shutil.which(argv[0], path=self.path) or argv[0]
            argv = [*_BWRAP, *binds, "--chdir", str(self.folder), program, *argv[1:]]
        return subprocess.Popen(argv, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def argv(self) -> list[str]:
        """What is started."""
        return [self.shell, str(self.folder / "plan" / "run.sh")]

    def marker(self, name: str) -> str:
        return (self.results / name).read_text().strip()

    def log(self, round_: int = 0) -> str:
        return (self.results / f"round.{round_}.log").read_text(errors="replace")


_BWRAP = (
    *(
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--as-pid-1",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
    ),
    *("--dev", "/dev", "--tmpfs", "/tmp"),
    *("--ro-bind", sys.prefix, sys.prefix),
)


def toy_plan(check: str, *, rebuild: Sequence[str] = (), **limits: float) -> PassPlan:
    """A plan whose check is this script and whose marks are @running, @progress, @finished and @stuck."""
    request = CheckRequest.model_validate(
        {"command": ("x",), "format": "toy", "nonce": NONCE, "rebuild": tuple(rebuild), "grace_seconds": 1, **limits}
    )
    return pass_plan("toy", request, ReaderFiles(files={"check.sh": f'cd "$C2T_WORK"\n{check}\n'}, marks=TOY_MARKS))


def busybox_path(folder: Path) -> str:
    """A PATH that holds the applets of busybox and nothing else."""
    applets = folder / "applets"
    applets.mkdir()
    busybox = str(shutil.which("busybox"))
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for name in listed:
        (applets / name).symlink_to(busybox)
    return str(applets)


def run_suite(
    folder: Path,
    files: Mapping[str, str | bytes],
    *,
    command: Sequence[str] = (sys.executable, "-m", "pytest"),
    check_format: str = "pytest",
    plugins: bool = False,
    env: Mapping[str, str] | None = None,
    bare_process_1: bool = False,
    **request: object,
) -> SuiteResult:
    """Lay the files, run the whole pass, read it. run.sh must have done its work, whatever the tests did.

    `bare_process_1`: busybox is all there is beside the command's own program, and run.sh is process 1.
    """
    one = Pass(folder)
    if bare_process_1:
        one = Pass(folder, path=f"{busybox_path(folder)}:{Path(command[0]).parent}", as_process_1=True)
    one.lay(files)
    asked = CheckRequest.model_validate(
        {"command": tuple(command), "format": check_format, "nonce": NONCE, "grace_seconds": 1, **request}
    )
    one.lay_plan(plan_pass("suite", asked))
    one.env |= env or {}
    if check_format == "pytest" and not plugins:
        one.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    assert one.start() == 0
    return reader_for(check_format).read(one.results, NONCE).suite


def outcomes(suite: SuiteResult) -> dict[str, str]:
    """Outcome by id, the file left out of ids of the file test_a.py."""
    return {name.removeprefix("test_a.py::"): result.outcome for name, result in suite.results.items()}


def healthy(suite: SuiteResult) -> bool:
    """Whether the pass itself is to be trusted."""
    return suite.finished and suite.canaries is True and suite.harness_error is None
