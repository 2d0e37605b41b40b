"""Where names are used: dotted chains of identifiers as written, and names written as strings.

It exists for two askers, the search for an API and the search for what only cut tests needed. It reads tokens,
not trees, so that code inside Rust macros counts too. It knows no scopes: a local variable that shadows an
import looks like the import.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from change2task.syntax.grammars import grammar
from change2task.syntax.imports import go_package_names, imports
from change2task.syntax.languages import Language
from change2task.syntax.tokens import Token, tokens
from change2task.syntax.trees import captures, root


@dataclass(frozen=True, slots=True)
class Chain:
    """`a.b.c` as written: its parts, where each ends, and where the chain starts. Import statements are not
    looked into.
    """

    parts: tuple[str, ...]
    ends: tuple[int, ...]
    start: int


_MEMBERS = frozenset({"property_identifier", "private_property_identifier", "field_identifier"})
_STRINGS = frozenset(
    {"string_content", "string_fragment", "interpreted_string_literal_content", "raw_string_literal_content"}
)
_NAMING = """
  (type (string) @type) (type (_ (string) @type)) (type (_ (_ (string) @type)))
  (call) @call (expression_statement (assignment) @statement) (expression_statement (augmented_assignment)
  @statement)
"""
_QUOTED = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_LISTED = re.compile(rb"\s*[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*,?\s*")


@lru_cache(maxsize=64)
def chains(language: Language, source: bytes) -> tuple[Chain, ...]:
    """Every chain that begins with a name, in file order; the members of a call's result (`f().x`) are none."""
    rules = grammar(language)
    leaves = _outside_imports(language, source)
    found = []
    index = 0
    while index < len(leaves):
        token = leaves[index]
        before = leaves[index - 1].text if index else b""
        if token.kind not in rules.identifiers or _text(before) in rules.separators:
            index += 1
            continue
        begin = index
        members = [token]
        while (
            index + 2 < len(leaves)
            and _text(leaves[index + 1].text) in rules.separators
            and leaves[index + 2].kind in rules.identifiers
        ):
            index += 2
            members.append(leaves[index])
        if token.kind not in _MEMBERS and not _is_keyword(language, leaves, begin, index):
            found.append(Chain(tuple(_text(m.text) for m in members), tuple(m.end for m in members), token.start))
        index += 1
    return tuple(found)


@lru_cache(maxsize=64)
def member_accesses(language: Language, source: bytes, name: str) -> tuple[Token, ...]:
    """Every `.name` in code, whatever it is a member of."""
    rules = grammar(language)
    leaves = _outside_imports(language, source)
    return tuple(
        token
        for before, token in pairwise(leaves)
        if token.kind in rules.identifiers and _text(before.text) in rules.separators and _text(token.text) == name
    )


@lru_cache(maxsize=64)
def quoted_names(language: Language, source: bytes) -> tuple[tuple[int, str], ...]:
    """Strings that are nothing but a (dotted) name, with where they start: `__all__`, fixtures asked for by
    name.
    """
    return tuple(
        (token.start, _text(token.text).split(".", 1)[0])
        for token in tokens(language, source)
        if token.kind in _STRINGS and _QUOTED.fullmatch(token.text)
    )


@lru_cache(maxsize=64)
def listed_names(language: Language, source: bytes) -> frozenset[str]:
    """The names in strings that are nothing but names with commas between them: pytest's arguments (`"db, page"`)
    are so written, and every quoted name is such a list of one.
    """
    return frozenset(
        name.strip()
        for token in tokens(language, source)
        if token.kind in _STRINGS and _LISTED.fullmatch(token.text)
        for name in _text(token.text).split(",")
    ) | frozenset(name for _, name in quoted_names(language, source))


@lru_cache(maxsize=64)
def named_in_strings(language: Language, source: bytes) -> tuple[tuple[int, str], ...]:
    """Those of `quoted_names` that surely stand for a name of this file: in `__all__`, annotations, and
    fixture requests.
    """
    if language is not Language.PYTHON:
        return ()
    found = captures(language, root(language, source), _NAMING)
    homes = [(node.start_byte, node.end_byte) for node in found.get("type", [])]
    homes += [
        (node.start_byte, node.end_byte)
        for node in found.get("statement", [])
        if (node.text or b"").startswith(b"__all__")
    ]
    homes += [
        (node.start_byte, node.end_byte)
        for node in found.get("call", [])
        if (callee := node.child_by_field_name("function")) is not None
        and (callee.text or b"").endswith((b"usefixtures", b"getfixturevalue", b"lazy_fixture", b"cast"))
    ]
    return tuple((at, name) for at, name in quoted_names(language, source) if any(a <= at < b for a, b in homes))


@lru_cache(maxsize=16)
def mentions(language: Language, source: bytes) -> dict[str, tuple[int, ...]]:
    """Where each name stands in code or as a string, members of other things included."""
    places: dict[str, list[int]] = {}
    for chain in chains(language, source):
        for part in chain.parts:
            places.setdefault(part, []).append(chain.start)
    for start, name in quoted_names(language, source):
        places.setdefault(name, []).append(start)
    return {name: tuple(starts) for name, starts in places.items()}


@lru_cache(maxsize=64)
def package_names(source: bytes) -> dict[str, str]:
    """The name every Go import path goes by in this file: its alias, or the first likely package name that is
    used.
    """
    used = {chain.parts[0] for chain in chains(Language.GO, source) if len(chain.parts) > 1}
    names = {}
    for found in imports(Language.GO, source):
        name = found.bindings[0].name
        guesses = go_package_names(found.module)
        if name in guesses and name not in used:
            name = next((guess for guess in guesses if guess in used), name)
        names[found.module] = name
    return names


def import_names(language: Language, source: bytes) -> dict[str, tuple[str, ...]]:
    """What each imported name of a file may mean; `*` stands for what came with star imports."""
    packages = package_names(source) if language is Language.GO else {}
    meanings: dict[str, tuple[str, ...]] = {}
    for found in imports(language, source):
        for binding in found.bindings:
            name = packages.get(found.module, binding.name)
            meanings[name] = meanings.get(name, ()) + binding.meanings
    return meanings


def _outside_imports(language: Language, source: bytes) -> list[Token]:
    holes = sorted((found.span.start, found.span.end) for found in imports(language, source))
    result = []
    hole = 0
    for token in tokens(language, source):
        while hole < len(holes) and holes[hole][1] <= token.start:
            hole += 1
        if hole == len(holes) or token.start < holes[hole][0]:
            result.append(token)
    return result


def _text(word: bytes) -> str:
    return word.decode("utf-8", "backslashreplace")


def _is_keyword(language: Language, leaves: list[Token], begin: int, end: int) -> bool:
    """Whether a lone name is the keyword of an argument or a parameter's own name: `f(name=…)`."""
    if language is not Language.PYTHON or begin != end or not 0 < begin < len(leaves) - 1:
        return False
    return leaves[begin + 1].text == b"=" and leaves[begin - 1].text in (b"(", b",")
