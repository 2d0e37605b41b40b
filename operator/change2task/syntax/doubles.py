"""Whether a test puts doubles in the place of what it tests: then it says how an answer is written, not what it does.

Told by the names of the usual libraries, as words of the code or alone in quotes, as fixtures are asked for; comments
do not count. A double written by hand is not seen.
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


def has_doubles(language: Language, source: bytes) -> bool:
    """Whether a stretch of test code names what makes doubles."""
    return any(token.text.decode("utf-8", "replace") in _DOUBLES for token in tokens(language, source))
