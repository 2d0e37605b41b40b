"""Real git repositories for tests, a process a commit, with dates that never change.

A `RepoBuilder` is a repository with branches; commits are made of whole file contents, merges by git's own merge. It
stands on the git command line alone, so that what it makes is never a product of the code under test.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "TZ": "UTC",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
FIRST_COMMIT = 1_600_000_000
A_DAY = 86_400


@dataclass(frozen=True)
class Executable:
    """A file with its executable bit set."""

    data: bytes


@dataclass(frozen=True)
class Symlink:
    """A link to a target, which need not exist."""

    target: bytes


@dataclass(frozen=True)
class Submodule:
    """Another repository's commit at a path."""

    commit: str


@dataclass(frozen=True)
class Moved:
    """The content of another path, which is removed (a rename)."""

    source: str | bytes


Content = bytes | str | Executable | Symlink | Submodule | Moved | None
Files = Mapping[str, Content] | Mapping[bytes, Content] | Mapping[str | bytes, Content]


def git(folder: Path, *words: str | bytes | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """The output of a git command in a folder; a failure is the test's failure, with git's words."""
    ended = subprocess.run(
        ["git", *words], cwd=folder, input=stdin, env={**_ENVIRONMENT, **(env or {})}, capture_output=True, check=False
    )
    assert ended.returncode == 0, f"git {words} in {folder}: {ended.stderr.decode(errors='replace')}"
    return ended.stdout


class RepoBuilder:
    """A repository that grows by method calls; `branch` is the one that commits go to."""

    def __init__(self, path: Path, *, bare: bool = False, branch: str = "main", object_format: str = "sha1") -> None:
        self.path = path
        self.branch = branch
        self._time = FIRST_COMMIT
        path.mkdir(parents=True, exist_ok=True)
        words = ["init", "-q", "--template=", f"--object-format={object_format}", "-b", branch]
        git(path, *words, *(["--bare"] if bare else []))

    @property
    def url(self) -> str:
        """The repository as a file:// URL."""
        return self.path.absolute().as_uri()

    def git(self, *words: str | bytes | Path, stdin: bytes = b"") -> bytes:
        """A git command in this repository."""
        return git(self.path, *words, stdin=stdin)

    def tip(self, name: str | None = None) -> str:
        """The commit a branch (the current one), or any revision, stands at."""
        return self.git("rev-parse", "--verify", f"{name or 'refs/heads/' + self.branch}^{{commit}}").decode().strip()

    def tree(self, rev: str | None = None) -> str:
        """The tree of a revision (of the current branch's tip)."""
        return self.git("rev-parse", f"{rev or self.tip()}^{{tree}}").decode().strip()

    def has(self, name: str) -> bool:
        """Whether a branch exists."""
        return bool(self.git("for-each-ref", f"refs/heads/{name}"))

    def tick(self) -> int:
        """The next commit's time: a day after the last one."""
        self._time += A_DAY
        return self._time

    def commit(
        self,
        files: Files | None = None,
        message: str | bytes = "A change",
        *,
        root: bool = False,
        author: str = "Ada",
    ) -> str:
        """Commit to the current branch: bytes or text, Executable, Symlink, Submodule, Moved; None removes a path.

        `root=True` starts without files and without parents.
        """
        stream = self._header(message, author)
        if self.has(self.branch):
            if root:
                self.git("update-ref", "-d", f"refs/heads/{self.branch}")
            else:
                stream += f"from refs/heads/{self.branch}^0\n".encode()
        return self._import(stream + self._changes(files or {}))

    def _header(self, message: str | bytes, author: str = "Ada") -> bytes:
        text = message.encode() if isinstance(message, str) else message
        who = f"<ada@example.org> {self.tick()} +0000"
        lines = (
            f"commit refs/heads/{self.branch}\nmark :1\nauthor {author} {who}\ncommitter Ada {who}\ndata {len(text)}\n"
        )
        return lines.encode() + text + b"\n"

    def _import(self, stream: bytes) -> str:
        said = self.git("fast-import", "--quiet", "--done", "--force", stdin=stream + b"\nget-mark :1\ndone\n")
        return said.decode().strip()

    def _changes(self, files: Files) -> bytes:
        parts: list[bytes] = []
        for name, content in files.items():
            path = _quoted(name)
            match content:
                case None:
                    parts.append(b"D %s\n" % path)
                case Moved(source):
                    parts.append(b"R %s %s\n" % (_quoted(source), path))
                case Submodule(commit):
                    parts.append(b"M 160000 %s %s\n" % (commit.encode(), path))
                case Symlink(target):
                    parts.append(_inline(b"120000", path, target))
                case Executable(data):
                    parts.append(_inline(b"100755", path, data))
                case str():
                    parts.append(_inline(b"100644", path, content.encode()))
                case _:
                    parts.append(_inline(b"100644", path, content))
        return b"".join(parts)

    def switch(self, branch: str, at: str | None = None) -> None:
        """Go to a branch; with `at`, or when it is new, it starts there (at the current tip)."""
        if at is not None or not self.has(branch):
            self.git("update-ref", f"refs/heads/{branch}", at or self.tip())
        self.branch = branch

    def merge(self, *others: str, message: str = "Merge", files: Files | None = None) -> str:
        """Merge branches or commits into the current branch; more than one is an octopus.

        `files` are changed on top, as when a conflict was resolved by hand; they must resolve every one.
        """
        ours = self.tip()
        theirs = [self._commit_of(other) for other in others]
        tree = self.tree(ours)
        for other in theirs:
            tree = self._merged(self._commit_tree(tree, [ours], "so far"), other, conflicts=files is not None)
        parents = [ours, *theirs]
        merged = self._commit_tree(tree, parents, message)
        if files:
            # The commit gets its real tree in a second step: fast-import starts from a first parent's tree.
            self.git("update-ref", f"refs/heads/{self.branch}", merged)
            changed = self._import(self._header(message) + f"from {merged}\n".encode() + self._changes(files))
            merged = self._commit_tree(self.tree(changed), parents, message)
        self.git("update-ref", f"refs/heads/{self.branch}", merged)
        return merged

    def squash(self, other: str, message: str = "Squashed (#1)") -> str:
        """Everything a branch changed, as one commit on the current branch."""
        ours = self.tip()
        tree = self._merged(ours, self._commit_of(other), conflicts=False)
        return self._advance(self._commit_tree(tree, [ours], message))

    def pick(self, commit: str, message: str | None = None) -> str:
        """One commit's change on top of the current branch (cherry-pick)."""
        parent = self.git("rev-parse", f"{commit}^").decode().strip()
        return self._advance(self._carried(parent, commit, message or self._message(commit)))

    def revert(self, commit: str, message: str | None = None) -> str:
        """One commit's change taken back on the current branch."""
        parent = self.git("rev-parse", f"{commit}^").decode().strip()
        subject = self._message(commit).splitlines()[0]
        text = message or f'Revert "{subject}"\n\nThis reverts commit {commit}.'
        return self._advance(self._carried(commit, parent, text))

    def rebase(self, branch: str, onto: str) -> list[str]:
        """The commits of `branch` replayed on `onto`; gives the new ones, and moves the branch to the last."""
        commits = self.git("rev-list", "--reverse", "--no-merges", f"{onto}..{branch}").decode().split()
        here, self.branch = self.branch, branch
        self.git("update-ref", f"refs/heads/{branch}", self._commit_of(onto))
        made = [self.pick(commit) for commit in commits]
        self.branch = here
        return made

    def tag(self, name: str, at: str | None = None, *, annotated: bool = False) -> None:
        """A tag, at the current tip or where it is said."""
        commit = at or self.tip()
        if annotated:
            date = {"GIT_COMMITTER_DATE": f"{self.tick()} +0000"}
            git(self.path, "tag", "-a", "-m", name, name, commit, env=date)
        else:
            self.git("tag", name, commit)

    def pull_request(self, number: int, at: str | None = None) -> None:
        """The reference a forge keeps for a pull request's head."""
        self.git("update-ref", f"refs/pull/{number}/head", at or self.tip())

    def alike(self, digits: int = 7) -> tuple[str, str]:
        """Two commits of the current tip's files, without parents, whose ids begin with equally many same digits."""
        person = f"Ada <ada@example.org> {FIRST_COMMIT} +0000"
        head = f"tree {self.tree()}\nauthor {person}\ncommitter {person}\n\n"
        seen: dict[str, bytes] = {}
        for number in count():
            text = f"{head}{number}\n".encode()
            oid = hashlib.sha1(b"commit %d\0%s" % (len(text), text), usedforsecurity=False).hexdigest()
            if (other := seen.setdefault(oid[:digits], text)) != text:
                break
        words = ("hash-object", "-w", "-t", "commit", "--stdin")
        return self.git(*words, stdin=other).decode().strip(), self.git(*words, stdin=text).decode().strip()

    def merge_request(self, number: int, at: str | None = None) -> None:
        """The reference a forge keeps for a merge request's head."""
        self.git("update-ref", f"refs/merge-requests/{number}/head", at or self.tip())

    def ref(self, name: str, at: str | None = None) -> None:
        """Any reference."""
        self.git("update-ref", name, at or self.tip())

    def _advance(self, commit: str) -> str:
        self.git("update-ref", f"refs/heads/{self.branch}", commit)
        return commit

    def _commit_of(self, rev: str) -> str:
        return self.git("rev-parse", "--verify", f"{rev}^{{commit}}").decode().strip()

    def _message(self, commit: str) -> str:
        return self.git("log", "-1", "--format=%B", commit).decode().strip()

    def _commit_tree(self, tree: str, parents: list[str], message: str) -> str:
        date = f"{self.tick()} +0000"
        words = [word for parent in parents for word in ("-p", parent)]
        env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return git(self.path, "commit-tree", tree, *words, stdin=message.encode(), env=env).decode().strip()

    def _carried(self, base: str, wanted: str, message: str) -> str:
        """The difference from `base` to `wanted` on top of the current branch, as a commit."""
        tip = self.tip()
        ours = self._commit_tree(self.tree(tip), [base], "ours")
        theirs = self._commit_tree(self.tree(wanted), [base], "theirs")
        return self._commit_tree(self._merged(ours, theirs, conflicts=False), [tip], message)

    def _merged(self, ours: str, theirs: str, *, conflicts: bool) -> str:
        ended = subprocess.run(
            ["git", "merge-tree", "--write-tree", ours, theirs],
            cwd=self.path,
            env=_ENVIRONMENT,
            capture_output=True,
            check=False,
        )
        assert ended.returncode in ((0, 1) if conflicts else (0,)), ended.stdout + ended.stderr
        return ended.stdout.split()[0].decode()


def _quoted(path: str | bytes) -> bytes:
    raw = path.encode() if isinstance(path, str) else path
    return b'"' + b"".join(b"\\%03o" % byte if byte < 33 or byte in b'"\\' else bytes([byte]) for byte in raw) + b'"'


def _inline(mode: bytes, path: bytes, data: bytes) -> bytes:
    return b"M %s inline %s\ndata %d\n%s\n" % (mode, path, len(data), data)
