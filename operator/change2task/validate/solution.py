"""Solution gate: an author's words may not hold the answer that is asked for.

A body may quote the code that was merged. Code blocks with lines of the restoration are cut out of such words, short
ones too where the block is no more than them; what else of it they hold (lines within sentences, names that stand
nowhere in the task state) is told, since a name alone may be what is asked for. What a user states in ``spec.intent``
is the user's, and only told of. Where cutting leaves nothing but a place, there is no task. Comments and documentation
of the code are no answer: an example there is a use.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from change2task.api.reasons import Reason
from change2task.api.taskvariant import Statement
from change2task.construct.standing import standing, words_of
from change2task.syntax.languages import Language, language_of
from change2task.syntax.symbols import names_used
from change2task.syntax.tokens import docstring_spans, tokens
from change2task.validate import codeblocks
from change2task.validate.lifecycle import name_some
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

GATE = "solution"
LEAST_LINE = 20
"""Characters of a line below which that words share it may be chance, unless a code block is made of such lines."""
UNUSUAL = re.compile(r"\w_\w|\w\d|[a-z][A-Z]|\w{9}")
"""A name that is no everyday word: of several parts, or long."""
_CODE = re.compile(r"[=(){}\[\];]")
_OWN_WORDS = frozenset({"title", "intent"})
_MOST = 50
_NOTHING = "no code block of the statement is the answer's, and no longer line or unusual name of it stands there"


@dataclass(frozen=True)
class Answer:
    """What tells the answer: its lines that the task state lacks, blanks made one, and its names that stand nowhere.

    ``short`` are such lines below ``LEAST_LINE``, and ``held`` all lines of the files that hold the answer, by key.
    """

    lines: frozenset[str]
    names: frozenset[str]
    short: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()


def answer_of(repository: Repository, healthy_tree: str, task_tree: str, said: Statement) -> Answer:
    """The restoration's lines, and those of its names that are said; a whole tree is read only for these."""
    lines: set[str] = set()
    names: set[str] = set()
    held: set[str] = set()
    for change in repository.changed_paths(task_tree, healthy_tree):
        before, after = (_content(repository, tree, change.path) for tree in (task_tree, healthy_tree))
        language = language_of(change.path, after[:256])
        lines |= code_lines(language, after) - {_plain(line) for line in _text(before).split("\n")}
        held |= codeblocks.keys(_text(after).split("\n"))
        if language is not None:
            names |= names_used(language, after) - names_used(language, before)
    words = words_of(f"{said.title}\n{said.body}".encode())
    names = {name for name in names & words if UNUSUAL.search(name)}
    return Answer(
        lines=frozenset(line for line in lines if len(line) >= LEAST_LINE),
        names=frozenset(names) - standing(repository, task_tree, names),
        short=frozenset(line for line in lines if len(line) < LEAST_LINE),
        held=frozenset(held),
    )


def judge(statement: Statement, answer: Answer) -> tuple[Verdict, Statement, tuple[str, ...]]:
    """The gate's answer, the statement without the answer's code, and what of the answer it still holds."""
    less, quoted = _cut(statement, answer)
    kept = statement.provenance == "intent"
    cut = statement if kept else less
    if cut.code_cut and not cut.body and cut.provenance not in _OWN_WORDS:
        verdict = refused(
            GATE,
            Reason.STATEMENT_TOO_POOR,
            f"beside {cut.title!r} the change says nothing but the code that answers it; say in spec.intent what is"
            " asked for",
        )
        return verdict, cut, ()
    shared = _shared(f"{cut.title}\n{cut.body}", quoted if kept else (), answer)
    told = [f"{cut.code_cut} pieces of the answer's code cut out of the statement"] if cut.code_cut else []
    told += [f"the statement holds of the answer: {name_some(shared)}"] if shared else []
    message = "; ".join(told) or _NOTHING
    return passed(GATE, Reason.VALIDATED, message, shared=list(shared), cut=cut.code_cut), cut, shared


def _cut(statement: Statement, answer: Answer) -> tuple[Statement, list[str]]:
    """The statement without the answer's code, and which lines of the answer went in blocks of code."""
    added = codeblocks.keys((*answer.lines, *answer.short))
    kept: list[str] = []
    gone: list[str] = []
    count = 0
    for is_code, piece in codeblocks.pieces(statement.body.split("\n")):
        whole = [line for line in piece if _plain(line) in answer.lines]
        found = (codeblocks.quoted(piece, added, answer.held) or whole) if is_code else []
        if found:
            count += 1
            gone += map(_plain, found)
            continue
        count += bool(whole)
        kept += [line for line in piece if line not in whole]
    if not count:
        return statement, gone
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return statement.replacing(body=body if any(sign.isalnum() for sign in body) else "", code_cut=count), gone


def _shared(text: str, quoted: Iterable[str], answer: Answer) -> tuple[str, ...]:
    plain = _plain(text)
    lines = {line for line in answer.lines if _CODE.search(line) and line in plain}
    lines |= {line for line in answer.short if UNUSUAL.search(line) and _CODE.search(line) and _stands(line, plain)}
    return (*sorted(lines | set(quoted)), *sorted(answer.names & words_of(text.encode())))[:_MOST]


def _stands(line: str, text: str) -> bool:
    """Whether a short line is in a text and not a part of longer words."""
    return line in text and re.search(rf"(?<!\w){re.escape(line)}(?!\w)", text) is not None


def code_lines(language: Language | None, content: bytes) -> set[str]:
    """The lines of a source on which code stands; of a file in no known language, all."""
    rows = content.split(b"\n")
    if language is None:
        return {_plain(_text(row)) for row in rows}
    documents = docstring_spans(content) if language is Language.PYTHON else []
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    found: set[str] = set()
    for token in tokens(language, content):
        if any(start <= token.start < end for start, end in documents):
            continue
        first, last = (bisect_right(starts, place) - 1 for place in (token.start, max(token.start, token.end - 1)))
        found.update(_plain(_text(row)) for row in rows[first : last + 1])
    return found


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _plain(line: str) -> str:
    """A line without what quotes or marks it, blanks made one."""
    return " ".join(line.strip().lstrip("+->").split())


def _content(repository: Repository, tree: str, path: bytes) -> bytes:
    entry = repository.entry(tree, path)
    return repository.blob(entry.oid) if entry is not None and entry.mode in {FILE, EXECUTABLE} else b""
