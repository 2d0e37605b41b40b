"""References and revisions of a repository, asked for by name. The one place that enters its own git directory."""

from __future__ import annotations

import subprocess
import threading

from change2task.vcs.errors import MissingObject
from change2task.vcs.objects import is_oid
from change2task.vcs.process import Git, Running


class Names:
    """Revisions resolved by one process that knows the references; safe for threads."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._lock = threading.Lock()
        self._process: Running | None = None

    def resolve(self, expression: str) -> str | None:
        """The id of the one object that a revision names; None when there is none, or several."""
        if "\n" in expression or "\0" in expression:
            return None
        try:
            question = expression.encode("utf-8", "surrogateescape") + b"\n"
        except UnicodeEncodeError:
            return None
        with self._lock:
            answer = self._ask(question)
            if not answer:
                complaint = self._process.complaint() if self._process else ""
                self._end()
                raise MissingObject(expression, complaint)
        words = answer.decode(errors="replace").split()
        return words[0] if len(words) == 3 and is_oid(words[0]) and words[2].isdigit() else None

    def _ask(self, question: bytes) -> bytes:
        if self._process is None:
            self._process = self._git.start("cat-file", "--batch-check", stdin=subprocess.PIPE)
        try:
            self._process.stdin.write(question)
            self._process.stdin.flush()
            return self._process.stdout.readline()
        except BrokenPipeError:
            return b""

    def unpeeled(self) -> dict[str, str]:
        """Every reference by its full name, with the id it names; for an annotated tag that is the tag's own."""
        found: dict[str, str] = {}
        for line in self._git.run("for-each-ref", "--format=%(objectname) %(refname)").stdout.splitlines():
            oid, _, name = line.partition(b" ")
            found[name.decode(errors="surrogateescape")] = oid.decode("ascii")
        return found

    def refs(self) -> dict[str, str]:
        """Every reference by its full name. Annotated tags stand for what they tag; left out where that is missing."""
        found = self.unpeeled()
        for name, oid in list(found.items()):
            if name.startswith("refs/tags/"):
                peeled = self.resolve(f"{oid}^{{}}")
                if peeled is None:
                    del found[name]
                else:
                    found[name] = peeled
        return found

    def head(self) -> str | None:
        """The branch that HEAD stands on, without refs/heads/; None when detached."""
        ended = self._git.run("symbolic-ref", "-q", "HEAD", codes=(0, 1))
        name = ended.stdout.decode(errors="surrogateescape").strip()
        return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else None

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def close(self) -> None:
        """End the process; the next question starts a new one."""
        with self._lock:
            self._end()
