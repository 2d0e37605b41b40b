"""Whether a test puts doubles in the place of what it tests: then it says how an answer is written, not what it does.

Told by the names of the usual libraries, as words of the code or alone in quotes, as fixtures are asked for; comments
do not count. A double written by hand is not seen. ``monkeypatch`` that is used for variables of the environment or for
the working directory alone puts no double anywhere.
"""

from __future__ import annotations

from typing import Final

from change2task.syntax.languages import Language
from change2task.syntax.tokens import tokens

_DOUBLES: Final = frozenset(
    {
        *("mock", "Mock", "MagicMock", "AsyncMock", "NonCallableMock", "PropertyMock", "create_autospec", "mock_open"),
        *("patch", "monkeypatch", "mocker", "flexmock", "pretend"),
        *("gomock", "sinon", "spyOn", "Mockito", "mockall"),
    }
)


_SURROUNDINGS: Final = frozenset({b"setenv", b"delenv", b"chdir", b"syspath_prepend"})


def has_doubles(language: Language, source: bytes) -> bool:
    """Whether a stretch of test code names what makes doubles."""
    words = [token.text for token in tokens(language, source)]
    named = {word.decode("utf-8", "replace") for word in words} & _DOUBLES
    if named != {"monkeypatch"}:
        return bool(named)
    members = {
        member
        for owner, dot, member in zip(words, words[1:], words[2:], strict=False)
        if (owner, dot) == (b"monkeypatch", b".")
    }
    # One that is only handed on may be used for anything.
    return not members or not members <= _SURROUNDINGS
