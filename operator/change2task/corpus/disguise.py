"""Sources that read differently and behave the same: a test that reads them is not taken for one that runs them.

An added test is to tell the task state from the restored one by behaviour. The cheapest cheat compares a source file
with the text the agent was given, and would pass every repeat. So on repeats after the first each state carries the
other one's text as comments behind its own. Pure; where it is used is decided by ``grading``.
"""

from __future__ import annotations

import re
from typing import Final

from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import Language, language_of

_COMMENT: Final[dict[Language, bytes]] = {
    Language.PYTHON: b"# ",
    Language.GO: b"// ",
    Language.JAVA: b"// ",
    Language.JAVASCRIPT: b"// ",
    Language.RUST: b"// ",
    Language.TSX: b"// ",
    Language.TYPESCRIPT: b"// ",
}
# Whatever ends a line in one of the languages ends it here. A backslash could join lines, or be a line end in Java.
_LINE_ENDS: Final = re.compile(b"\r\n|[\r\n\f\v\0]|\xe2\x80[\xa8\xa9]|\xc2\x85")


def disguised(path: bytes, own: bytes, other: bytes) -> bytes:
    """``own`` with every line of ``other`` behind it as a comment; as it is where that could not be harmless."""
    language = language_of(path, own[:256])
    if language is None or not other or not _is_text(other):
        return own
    comment = _COMMENT[language]
    # Beyond the second line Python takes no comment for the declaration of an encoding.
    end = b"\n\n" if own.endswith(b"\n") else b"\n\n\n"
    text = own + end + b"".join(comment + line + b"\n" for line in _LINE_ENDS.split(other.replace(b"\\", b"/")))
    return own if new_syntax_errors(language, own, text) else text


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
