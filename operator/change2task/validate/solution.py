"""Solution gate: an author's words may not hold the answer that is asked for.

A body may quote the code that was merged. Code blocks with lines of the restoration are cut out of such words; what
else of it they hold (lines within sentences, names that stand nowhere in the task state) is told, since a name alone
may be what is asked for. What a user states in ``spec.intent`` is the user's, and only told of. Where cutting leaves
nothing but a place, there is no task. Comments and documentation of the code are no answer: an example there is a use.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from change2task.api.reasons import Reason
from change2task.api.taskvariant import Statement
from change2task.construct.standing import standing, words_of
from change2task.syntax.languages import Language, language_of
from change2task.syntax.symbols import names_used
from change2task.syntax.tokens import docstring_spans, tokens
from change2task.validate.lifecycle import name_some
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

GATE = "solution"
LEAST_LINE = 20
"""Characters of a line below which that words share it may be chance."""
_UNUSUAL = re.compile(r"\w_\w|\w\d|[a-z][A-Z]|\w{9}")
"""A name that is no everyday word: of several parts, or long."""
_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})")
_CODE = re.compile(r"[=(){}\[\];]")
_OWN_WORDS = frozenset({"title", "intent"})
_MOST = 50


@dataclass(frozen=True)
class Answer:
    """What tells the answer: its lines that the task state lacks, blanks made one, and its names that stand nowhere."""

    lines: frozenset[str]
    names: frozenset[str]


def answer_of(repository: Repository, healthy_tree: str, task_tree: str, said: Statement) -> Answer:
    """The restoration's lines, and those of its names that are said; a whole tree is read only for these."""
    lines: set[str] = set()
    names: set[str] = set()
    for change in repository.changed_paths(task_tree, healthy_tree):
        before, after = (_content(repository, tree, change.path) for tree in (task_tree, healthy_tree))
        language = language_of(change.path, after[:256])
        lines |= _code_lines(language, after) - {_plain(line) for line in _text(before).split("\n")}
        if language is not None:
            names |= names_used(language, after) - names_used(language, before)
    words = words_of(f"{said.title}\n{said.body}".encode())
    names = {name for name in names & words if _UNUSUAL.search(name)}
    return Answer(
        lines=frozenset(line for line in lines if len(line) >= LEAST_LINE),
        names=frozenset(names) - standing(repository, task_tree, names),
    )


def judge(statement: Statement, answer: Answer) -> tuple[Verdict, Statement, tuple[str, ...]]:
    """The gate's answer, the statement without the answer's code, and what of the answer it still holds."""
    cut = statement if statement.provenance == "intent" else _cut(statement, answer.lines)
    if cut.code_cut and not cut.body and cut.provenance not in _OWN_WORDS:
        verdict = refused(
            GATE,
            Reason.STATEMENT_TOO_POOR,
            f"beside {cut.title!r} the change says nothing but the code that answers it; say in spec.intent what is"
            " asked for",
        )
        return verdict, cut, ()
    shared = _shared(f"{cut.title}\n{cut.body}", answer)
    told = [f"{cut.code_cut} pieces of the answer's code cut out of the statement"] if cut.code_cut else []
    told += [f"the statement holds of the answer: {name_some(shared)}"] if shared else []
    message = "; ".join(told) or "the statement holds nothing of the answer"
    return passed(GATE, Reason.VALIDATED, message, shared=list(shared), cut=cut.code_cut), cut, shared


def _cut(statement: Statement, lines: Collection[str]) -> Statement:
    kept: list[str] = []
    count = 0
    for is_code, piece in _pieces(statement.body.split("\n")):
        if is_code and any(_plain(line) in lines for line in piece):
            count += 1
            continue
        less = [line for line in piece if _plain(line) not in lines]
        count += len(less) < len(piece)
        kept += less
    if not count:
        return statement
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return statement.replacing(body=body if any(sign.isalnum() for sign in body) else "", code_cut=count)


def _pieces(lines: Sequence[str]) -> list[tuple[bool, list[str]]]:
    """A body as code blocks, fenced or indented, and what is between them."""
    found: list[tuple[bool, list[str]]] = [(False, [])]
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            found[-1][1].append(line)
            if mark and mark["fence"].startswith(fence):
                fence = ""
                found.append((False, []))
        elif mark:
            fence = mark["fence"]
            found.append((True, [line]))
        else:
            indented = line.startswith(("    ", "\t")) or (found[-1][0] and not line.strip())
            if indented != found[-1][0]:
                found.append((indented, []))
            found[-1][1].append(line)
    return found


def _shared(text: str, answer: Answer) -> tuple[str, ...]:
    plain = _plain(text)
    lines = sorted(line for line in answer.lines if _CODE.search(line) and line in plain)
    return (*lines, *sorted(answer.names & words_of(text.encode())))[:_MOST]


def _code_lines(language: Language | None, content: bytes) -> set[str]:
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
