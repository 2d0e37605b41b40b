"""The words a task starts from, and where they come from: intent, title, template or summary.

The paper allows a normalised title, a title-grounded template, or a summary constrained by the evidence. A summary
names only what an agent can still see, and no line of the diff ever reaches a statement. The family's goal is added
by ``families``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from change2task.api.taskcandidate import Intent
from change2task.api.taskvariant import Statement
from change2task.history.forge import ForgeRecord
from change2task.history.wording import clean_body, clean_title, is_generic, is_thin, unwrapped, without_lines

_SHOWN = 5
_ANSWER_LINE = 16
_RELEASE = re.compile(
    r"(?i)\W*(?:version|release)?\W*(?:v?\d[\w.-]*)?\W*(?:un-?released|released?\W.{0,40}|\d{4}-\d\d-\d\d)?\W*"
)
"""The headings of a change log that name a release."""


@dataclass(frozen=True)
class Visible:
    """What may be named: symbols that stand before the change as well as after it, and files that survive."""

    symbols: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


_BESIDE = re.compile(
    r"(?i)^(?:(?:docs?|tests?|ci|chore|style|changelog)(?:\([^)]*\))?:"
    r"|(?:(?:add|adds|added|update|updates|updated|improve|more) )?(?:a |an |the |some )?(?:unit )?"
    r"(?:tests?(?: (?:the|for|that|of|cases?)\b|\s*$)|docs?\b|documentation\b|change ?log\b|news fragment\b))"
)
"""A commit of a series that only wrote tests or documents, by how such are usually titled."""


def build_statement(
    messages: Sequence[tuple[str, str]],
    *,
    intent: Intent | None = None,
    record: ForgeRecord | None = None,
    visible: Visible | None = None,
    added_lines: Sequence[str] = (),
    news: Sequence[str] = (),
    series: bool = False,
) -> Statement:
    """The statement of a change. ``messages``: (subject, body) of its commits, the one that speaks for it first.

    ``added_lines``: what the source patch adds; such lines are taken out of bodies. ``news``: what the change's own
    change log says, for messages that say nothing, or nothing but a title. ``series``: no message speaks for
    all, so each commit's title is told.
    """
    if intent is not None:
        return Statement(title=intent.title.strip(), body=intent.body.strip(), provenance="intent")
    answer = frozenset(line.strip() for line in added_lines if len(line.strip()) >= _ANSWER_LINE)
    visible = visible or Visible()
    told = without_lines(clean_body("\n".join(line for line in news if not _RELEASE.fullmatch(line))), answer)
    thin: tuple[str, str] | None = None
    sources = ([(record.title, record.body)] if record else []) + list(messages)
    for subject, body in sources:
        title, text = unwrapped(subject, body)
        title, text = clean_title(title), without_lines(clean_body(text), answer)
        if title and not is_thin(title):
            if series and record is None:
                text = "\n\n".join(part for part in (text, _rest(messages, title)) if part)
            return Statement(title=title, body=text or told, provenance="title")
        words = "" if is_generic(title) else title
        if thin is None and (words or text):
            thin = (words, text)
    words, text = thin or ("", "")
    text = text or told
    return _template(words, text, visible) if words else _summary(text, visible)


def place_alone(visible: Visible) -> Statement:
    """What is left to say where nobody said anything of the change: where it lies."""
    return _summary("", visible)


def _rest(messages: Sequence[tuple[str, str]], told: str) -> str:
    """The titles of a series beside the one already told, as a list; tests and documents are nobody's to write here."""
    titles = (clean_title(unwrapped(subject, body)[0]) for subject, body in messages)
    wanted = [title for title in dict.fromkeys(titles) if title and title != told and not is_thin(title)]
    others = [title for title in wanted if not _BESIDE.match(title)]
    return "\n".join(["It also asks for:", *(f"- {title}" for title in others)]) if others else ""


def _template(title: str, body: str, visible: Visible) -> Statement:
    """A title too short to work from, grounded in where the change lies."""
    where = _places(visible)
    sentence = f"The change titled “{title}” concerns {where}." if where else ""
    return Statement(
        title=f"{title} in {_first(visible)}" if where else title,
        body="\n\n".join(part for part in (body, sentence) if part),
        provenance="template",
    )


def _summary(body: str, visible: Visible) -> Statement:
    """Nothing but where the behaviour lies, and whatever the author wrote below an empty title."""
    where = _places(visible)
    sentence = f"The behaviour to be established lies in {where}." if where else ""
    return Statement(
        title=f"Correct the behaviour of {_first(visible)}" if where else "Correct the behaviour described",
        body="\n\n".join(part for part in (body, sentence) if part),
        provenance="summary",
    )


def _first(visible: Visible) -> str:
    return f"`{visible.symbols[0]}`" if visible.symbols else f"`{visible.files[0]}`" if visible.files else ""


def _places(visible: Visible) -> str:
    symbols = ", ".join(f"`{name}`" for name in visible.symbols[:_SHOWN])
    files = ", ".join(f"`{name}`" for name in visible.files[:_SHOWN])
    return f"{symbols} in {files}" if symbols and files else symbols or files
