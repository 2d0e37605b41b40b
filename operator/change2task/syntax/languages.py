"""Which language a file is written in.

It exists so that every later question (units, tests, imports) starts from one decision. Whether the file is
well formed in that language is left to `faults`.
"""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """A language we have a grammar for."""

    PYTHON = "python"
    GO = "go"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    RUST = "rust"
    JAVA = "java"


_EXTENSIONS: dict[bytes, Language] = {
    b".py": Language.PYTHON,
    b".pyi": Language.PYTHON,
    b".pyw": Language.PYTHON,
    b".go": Language.GO,
    b".js": Language.JAVASCRIPT,
    b".mjs": Language.JAVASCRIPT,
    b".cjs": Language.JAVASCRIPT,
    b".jsx": Language.JAVASCRIPT,
    b".ts": Language.TYPESCRIPT,
    b".mts": Language.TYPESCRIPT,
    b".cts": Language.TYPESCRIPT,
    b".tsx": Language.TSX,
    b".rs": Language.RUST,
    b".java": Language.JAVA,
}

_INTERPRETERS: tuple[tuple[bytes, Language], ...] = (
    (b"python", Language.PYTHON),
    (b"pypy", Language.PYTHON),
    (b"ts-node", Language.TYPESCRIPT),
    (b"tsx", Language.TYPESCRIPT),
    (b"deno", Language.TYPESCRIPT),
    (b"node", Language.JAVASCRIPT),
    (b"bun", Language.JAVASCRIPT),
)


def language_of(path: bytes, head: bytes = b"") -> Language | None:
    """The language of a file by its extension, else by the `#!` line in `head`; None when we have no grammar.

    A name with any extension is never judged by its head: `setup.cfg` is not Python whatever it starts with.
    """
    name = path.rsplit(b"/", 1)[-1]
    stem, dot, extension = name.rpartition(b".")
    if dot and stem:
        return _EXTENSIONS.get(b"." + extension.lower())
    if not head.startswith(b"#!"):
        return None
    words = head.split(b"\n", 1)[0][2:].split()
    programs = [word.rsplit(b"/", 1)[-1] for word in words if not word.startswith(b"-") and b"=" not in word]
    if programs[:1] == [b"env"]:
        programs = programs[1:]
    for prefix, language in _INTERPRETERS:
        if programs and programs[0].startswith(prefix):
            return language
    return None
