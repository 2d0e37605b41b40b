"""All that speaks for a family in one value: words, labels, news, advisories, new symbols, a changed API.

Security ids often stand only in the change log hunk of the same commit, so messages and news are read together. The
decision is left to ``families``.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.history.forge import ForgeRecord
from change2task.history.models import Signals
from change2task.history.news import News
from change2task.history.wording import advisories_in, clean_title, unwrapped
from change2task.history.words import BUG, FEATURE, MIGRATION, SECURITY, TESTS, conventional_kind, found

_TITLE = 2_000
_FORK = ("merge commit from fork", "merge pull request from ghsa-")


def message_signals(messages: Sequence[tuple[str, str]], news: News, record: ForgeRecord | None) -> Signals:
    """What messages, news and labels say. ``messages``: (subject, body), the one that speaks for the change first."""
    subject, body = messages[0] if messages else ("", "")
    title = unwrapped(subject, body)[0]
    if record is not None:
        title = record.title[:_TITLE]
    texts = [f"{s}\n{b}" for s, b in messages] + list(news.lines)
    if record is not None:
        texts += [record.title, record.body]
    cleaned = clean_title(title)
    return Signals(
        bug_words=found(BUG, title),
        feature_words=found(FEATURE, cleaned),
        security_words=found(SECURITY, title),
        migration_words=found(MIGRATION, cleaned),
        test_words=found(TESTS, cleaned),
        conventional=conventional_kind(_without_marks(title)),
        labels=record.labels if record else (),
        advisories=tuple(dict.fromkeys(a for text in texts for a in advisories_in(text))),
        merged_from_private_fork=any(s.lower().startswith(_FORK) for s, _ in messages),
        news_kinds=news.kinds,
        news=news.lines,
    )


def _without_marks(title: str) -> str:
    return title.lstrip().lstrip("".join(c for c in title if not c.isascii())).strip()
