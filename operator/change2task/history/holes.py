"""What is left around a reference that was cut out of somebody's words: clauses and sentences that only led to it.

Cutting ``#12`` out of "seen in #12 and #13" alone leaves "seen in and". Whoever cuts puts a mark in its place, and here
the words that lead to marks go: a list of references with its preposition, a parenthesis, a sentence that says nothing
else. A sentence that says more keeps its words, with a sign where the reference stood. Pure text, and linear in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MARK: Final = "\x01"
"""Stands for a reference; cleaned text holds no control characters of its own."""
SIGN: Final = "[reference]"
_ENOUGH = 7
"""Words beside its reference with which a sentence says something of its own."""

_NOUN = (
    r"(?:(?:the|this|that|an?|our|my)[ \n]+)?(?:(?:merge[ \n]+)?commits?|issues?|prs?|(?:pull|merge)[ \n]+requests?"
    r"|tickets?|bugs?|reports?|advisor(?:y|ies)|changes?)?[ \n]*"
)
_LEADING = (
    r"(?:(?:as|like|was|were|been|also|first|originally|previously|already)[ \n]+){0,2}"
    r"(?:seen|discussed|described|reported|introduced|mentioned|noted|found|broken|added|caused|fixed|closed|suggested"
    r"|requested|proposed|explained|shown|raised|tracked|based|follow(?:ed|ing|s)?[- \n]?up)?[ \n]*"
    r"(?:in|by|at|on|from|with|of|since|for|to|after|before|per|via|like|under|because[ \n]+of|due[ \n]+to"
    r"|thanks[ \n]+to|see|see[ \n]+also|cf\.?)[ \n]+"
)
_LIST = re.compile(rf"{MARK}(?:[ \n]*(?:,|&|/|\band\b|\bor\b)+[ \n]*(?:{_NOUN})?{MARK})+", re.IGNORECASE)
_CLAUSE = re.compile(rf"(?:,[ \n]*)?(?<!\w){_LEADING}{_NOUN}{MARK}", re.IGNORECASE)
_REVERTS = re.compile(
    rf"This[ \n]+reverts[ \n]+{_NOUN}{MARK}(?:,?[ \n]+reversing[ \n]+changes[ \n]+made[ \n]+to[ \n]+{_NOUN}{MARK})?\.?",
    re.IGNORECASE,
)
"""What git itself writes."""
_LAST_CLAUSE = re.compile(rf"{_CLAUSE.pattern}(?=[ ,.;:]*$|[ ]+(?:in|for|on|with|by|at|from|and)\b)", re.IGNORECASE)
_DANGLING = re.compile(
    r"(?i)\b(?:is|was|are|were|be|been|see|also|and|or|the|a)\W*$|^\W*(?:for|to|by|of|with|and|or)\b"
)
_PARENTHESIS = re.compile(rf"[ \n]*[(\[][^()\[\]]*{MARK}[^()\[\]]*[)\]]")
_OPENING = re.compile(rf"^([ \n]*)[^{MARK}.!?:]{{0,40}}{MARK}[ \n]*[:,–—-]+[ \n]*", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])(?=\s)")
_ITEM = re.compile(r"^(\s*(?:[-*+>]|\d+[.)])\s+)")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_BROKEN = re.compile(r"[ \n]+(?=[.,;:!?)])")


def mended(text: str) -> str:
    """The text without its marks and the words that only led to them."""
    if MARK not in text:
        return text
    return "\n".join(_mended_piece(piece, alone=alone) for alone, piece in _pieces(text.split("\n")))


def mended_title(title: str) -> str:
    """A line without its marks and the words that only led to them; whatever else it says stays."""
    if MARK not in title:
        return title
    less = _PARENTHESIS.sub("", _LIST.sub(MARK, title))
    return _BROKEN.sub("", _LAST_CLAUSE.sub("", less).replace(MARK, ""))


def _pieces(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Lines that belong together: paragraphs, items of lists; and, marked so, every line of code or heading alone."""
    piece: list[str] = []
    fenced = False
    for line in lines:
        fence = _FENCE.match(line) is not None
        alone = fenced or fence or not line.strip() or line.startswith(("#", "    ", "\t", "|"))
        fenced = fenced != fence
        if piece and (alone or _ITEM.match(line)):
            yield False, piece
            piece = []
        piece.append(line)
        if alone:
            yield True, piece
            piece = []
    if piece:
        yield False, piece


def _mended_piece(lines: list[str], *, alone: bool) -> str:
    text = "\n".join(lines)
    if MARK not in text:
        return text
    if text.startswith("#"):
        less = mended_title(text)
        return less if less.strip("# ") else ""
    if alone:
        return text.replace(MARK, "")
    item = _ITEM.match(text)
    start = item[1] if item else text[: len(text) - len(text.lstrip())]
    kept = "".join(_mended_sentence(sentence) for sentence in _SENTENCE.split(text[len(start) :])).strip()
    return start + kept if kept else ""


def _mended_sentence(sentence: str) -> str:
    if MARK not in sentence:
        return sentence
    sentence = _REVERTS.sub("", sentence)
    opened = _OPENING.sub(r"\1", sentence)
    if opened != sentence and MARK not in opened:
        start = len(opened) - len(opened.lstrip())
        return opened[:start] + opened[start : start + 1].upper() + opened[start + 1 :]
    less = _without_clauses(opened)
    if less != sentence and MARK not in less:
        words = less.lstrip(" \n,;:–—-")
        # Where the beginning went, what follows begins the sentence.
        begins = not sentence.strip().startswith(less.strip()[:3])
        if _DANGLING.search(words) or len(re.findall(r"\w+", words)) < (3 if begins else 2):
            return ""
        space = less[: len(less) - len(less.lstrip())] or (" " if sentence[:1].isspace() else "")
        return space + (words[:1].upper() + words[1:] if begins else words)
    if len(re.findall(r"\w+", less.replace(MARK, " "))) < _ENOUGH:
        return ""
    return less.replace(MARK, SIGN)


def _without_clauses(text: str) -> str:
    less = _LIST.sub(MARK, text)
    less = _PARENTHESIS.sub("", less)
    less = _CLAUSE.sub("", less)
    return _BROKEN.sub("", re.sub(r" {2,}(?=\S)", " ", less)) if less != text else text
