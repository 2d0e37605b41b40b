"""How one file names another: as something that it reads, or only in words.

It exists because a document whose name stands in a comment is nobody's input, and would otherwise keep what a change
wrote into it. Of program text only the code counts, strings among it; comments and what documents the code are for
people. Whether code that names a file needs what stands in it is for the checks to say.
"""

from __future__ import annotations

import re

from change2task.syntax.languages import Language, language_of
from change2task.syntax.tokens import docstring_spans, tokens


def name_pattern(path: bytes) -> re.Pattern[bytes]:
    """How others name a file: by its whole name, code also by its stem."""
    name = path.rpartition(b"/")[2]
    stem = name.partition(b".")[0]
    code = language_of(path) is not None and stem
    return re.compile(rb"(?<!\w)" + re.escape(stem if code else name) + rb"(?!\w)")


def names_in_code(path: bytes, content: bytes, pattern: re.Pattern[bytes]) -> bool:
    """Whether the file at ``path`` names it where a program, and not only a person, reads.

    Of what is in no language known here every word counts.
    """
    if not pattern.search(content):
        return False
    language = language_of(path, content[:256])
    if language is None:
        return True
    documents = docstring_spans(content) if language is Language.PYTHON else []
    spans = [(token.start, token.end) for token in tokens(language, content)]
    return any(
        any(start <= found.start() < end for start, end in spans)
        and not any(start <= found.start() < end for start, end in documents)
        for found in pattern.finditer(content)
    )
