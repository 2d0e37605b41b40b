"""Cleaning what people and forges wrote about a change, without losing what they meant.

Numbers, links and ids that name the change go, since they say nothing of the intent and would let a solver look the
answer up; markdown stays. Everything here is pure text and linear in it.
"""

from __future__ import annotations

import re
from typing import Final

from change2task.history.holes import MARK, mended, mended_title

TITLE_LIMIT: Final = 300
BODY_LIMIT: Final = 16_384
_READ_LIMIT = 200_000
_SUBJECT_LIMIT = 2_000

_BOILERPLATE = re.compile(
    r"^(?:Merge pull request #\d+\b.*|Merged in .+ \(pull request #\d+\)|Auto merge of #\d+\b.*|Merge #\d+\s*"
    r"|Merge (?:remote-tracking )?branch(?:es)? .*|Merge commit .*|Merge pull request from GHSA-[\w-]+|Merge tag .*)$"
)
_PREFIX = re.compile(r"^(?:Merged PR \d+:|Pull request #\d+:)\s*")
_ISSUE_PREFIX = re.compile(
    r"^(?:\[?(?:#|GH-|gh-)\d+\]?|\[\d+\]|(?:fix|issue|bug|feature)[/-]\d+|bpo-\d+)\s*(?:[:.–—-]\s*)?(?=\S)",
    re.IGNORECASE,
)
_ROLE_REFERENCE = r"(?::(?:issue|pr|pull|gh|bug|commit):|\{(?:issue|pr|pull|gh|bug|commit)\})`[#\w, ]{1,80}`"
_QUOTED_REFERENCE = r"`{1,2}(?:issue|pull request|pull|pr|bug) #?\d+`{1,2}_{0,2}"
_NAMED_REFERENCE = rf"(?:{_ROLE_REFERENCE}|{_QUOTED_REFERENCE}|(?<!\w)(?:issue|pr)\d+\b)"
"""Roles of Sphinx and MyST, links by name, and numbers written without a sign, as change logs have them."""
_LINK_TARGET = re.compile(
    r"(?m)^[ \t]*\.\.[ \t]+_[^\n]{1,200}:[ \t]+https?://\S{1,200}?/(?:-/)?"
    r"(?:pull|issues|pull-requests|merge_requests|commit)s?/\S+[ \t]*(?:\n|\Z)"
)
"""Where a link by name leads, at a forge (reStructuredText, "Hyperlink Targets")."""
_REFERENCE = rf"(?:(?:[\w.-]{{1,100}}/[\w.-]{{1,100}})?(?:#|!|GH-|gh-)\d+|{_NAMED_REFERENCE})"
_CLOSING = (
    r"(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|references?|see|see also|related to|part of|relates to|followup"
    r"|follow-up|issue|pr|pull request)"
)
_PARENTHESISED = re.compile(
    rf"\s{{0,4}}[(\[](?:{_CLOSING}:?\s+)?{_REFERENCE}(?:\s*(?:,|and|&)?\s*(?:{_CLOSING}:?\s+)?{_REFERENCE})*"
    rf"(?:\s+{_CLOSING})?(?:,?\s+(?:patch\s+)?by\s+[^()\n]{{1,80}})?[)\]]",
    re.IGNORECASE,
)
_CLOSING_LINE = re.compile(
    rf"(?im)^[ \t>*-]*(?:this[ \t]+)?(?:{_CLOSING}):?[ \t]+(?:{_REFERENCE}|https?://\S+)"
    rf"(?:[ \t]*(?:,|and)[ \t]*(?:{_CLOSING}:?[ \t]+)?(?:{_REFERENCE}|https?://\S+))*[. \t]*$"
)
_INLINE_CLOSING = re.compile(rf"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+{_REFERENCE}\s*[-:–—]?\s*")
_CLOSING_CLAUSE = re.compile(
    rf"(?i),?\s+(?:thus |thereby )?(?:clos|fix|resolv|address)ing\s+{_REFERENCE}"
    rf"(?:(?:,|\s+and)\s+{_REFERENCE})*(?=[.,;:)\s]|\Z)"
)
_ROLES = re.compile(_ROLE_REFERENCE)
_BARE_REFERENCE = re.compile(
    rf"(?<![\w&/])(?:[\w.-]{{1,100}}/[\w.-]{{1,100}})?(?:#|!)\d+\b|\bGH-\d+\b|{_NAMED_REFERENCE}"
)
_FORGE_LINK = re.compile(
    r"\[([^\]\n]{0,200})\]\(https?://[^)\s]{1,200}/(?:-/)?(?:pull|issues|pull-requests|merge_requests|commit)s?/[^)\s]{1,200}\)"
)
_FORGE_URL = re.compile(
    r"https?://\S{1,200}?/(?:-/)?(?:pull|issues|pull-requests|merge_requests|commit|compare|security/advisorie)s?/"
    r"[^\s)>\]]*[^\s)>\].,;:]"
)
_URL = re.compile(r"https?://[^\s)>\]]*[^\s)>\].,;:]")
_TRAILER = re.compile(
    r"(?im)^(?:co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|helped-by|cc"
    r"|change-id|reviewed-on|git-svn-id|see merge request|approved-by|pull-request|pr-url|fixes|bug|issue|closes"
    r"|cherry-picked-from|backport-of|release-note)\b(?::| \S*![0-9]).*$"
)
_PICKED = re.compile(r"(?im)^\(cherry[- ]picked from commit [0-9a-f]+\)\s*$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)|<img\b[^>]{0,1000}>", re.IGNORECASE)
_CHECKBOX = re.compile(r"(?m)^[ \t]*[-*+][ \t]+\[[ xX]\].*$")
_SHA = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_ADVISORY = re.compile(r"\b(?:CVE-\d{4}-\d{4,7}(?:/\d+)*|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})\b", re.IGNORECASE)
_ROLE = re.compile(r"(?i)(?::(?P<rst>ghsa|cve):|\{(?P<myst>ghsa|cve)\})`(?:GHSA-|CVE-)?(?P<number>[\w-]{4,20})`")
_ORIGIN = re.compile(r"(?i)\s*\b(?:introduced|caused|added|broken)\s+(?:by|in)\s+[#!]\d+")
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+|(?<!\\w):(?=\\w*[a-z])[a-z0-9_+-]+:(?!\\w)"
)
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]+\*\*:?\s*$)")
_NO_TITLE = re.compile(r"\s*(?:#{1,6}\s|[-*+]\s|>|```|https?://\S+\s*$|<|\||.{0,80}:\s*$)")
_MARKS = re.compile(r"[\s\-–—:;,.|/]+$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_VERSION = re.compile(r"\bv?\d+(?:[.-]\w+)*\b")
_THIN = re.compile(
    r"(?i)(?:(?:minor|small|some|more|misc(?:ellaneous)?|various|quick|bug"
    r"|further|final|initial|another|code|review|apply|address|implement|make|do|add|work\W+on)\W+)*"
    r"(?:fix(?:e[sd]|up)?|bug\s?fix(?:es)?|update[sd]?|change[sd]?|wip|cleanup|clean up"
    r"|improve(?:ment)?s?|tweaks?|refactor(?:ing)?"
    r"|patch|merge[sd]?|review|commit|test(?:s|ing)?|lint|typos?|nits?|comments?|formatting|corrections?|stuff|misc|feature|feat|new|enhancement"
    r"|hotfix|develop|master|main"
    r"|security|(?:bump|prepare|new|the)?\W*(?:release|version))?(?:\W+(?:fix(?:es)?|bugs?|issues?|changes?|updates?|it|this|to|code|comments?|stuff|things|tests?|lint"
    r"|regressions?|errors?|problems?|crash(?:es)?|failures?))*\W*"
)

_PAPERWORK = re.compile(
    r"(?i)(?:(?:add|adds|added|update[sd]?|write|fix(?:e[sd])?|change|tweak|reword|rename|adjust|improve|the|a|an|some|missing"
    r"|my|for|to|in)\W+)*(?:news\W?fragments?|news(?:\W+(?:entry|entries|item|file))?"
    r"|change\W?logs?(?:\W+(?:entry|entries))?|release\W?notes?|docs?|documentation|docstrings?|readme)\W*"
)
"""Of what goes with a change and is not it."""

_COMMON_WORDS = """
    a again all an and another apply at attempt back branch broken bug bugfix bugfixes bugs build bump by
    case cases cause change changed changes ci cleanup code comment comments commit commits corner correct
    corrections dev edge error errors failing failure failures feature features few final first fix fixed
    fixes fixing fixup for found from get gets getting gh github id implement implemented improve
    improvement improvements in initial into is issue issues it its last lint main make makes making master
    merge merged minor misc more new nit nits number of on one ones other our out pass passes passing patch
    pr problem problems quick refactor refactoring related release reported request requests review reviewer
    reviews round rounds second several small some squash squashed stuff suggested suggestion suggestions
    test testing tests that the their them these thing things third this ticket tickets to try tweak tweaks
    typo typos up update updated updates version versions was while wip with work working
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that name no subject, by themselves or together."""


def plain(text: str) -> str:
    """The text with one kind of line end, without control characters, its first 200,000 characters."""
    return _CONTROL.sub("", text[:_READ_LIMIT].replace("\r\n", "\n").replace("\r", "\n")).replace("\ufffd", "")


def unwrapped(subject: str, body: str) -> tuple[str, str]:
    """Title and body as their author wrote them: a merge's boilerplate gives way to its body's first paragraph line.

    An empty title means that the boilerplate was all there is. Titles that a forge broke off with ``…`` are joined.
    """
    subject, body = plain(subject).strip()[:_SUBJECT_LIMIT], plain(body).strip()
    if _BOILERPLATE.match(subject):
        first, _, rest = body.partition("\n")
        if _TRAILER.match(first.strip()) or _CLOSING_LINE.match(first):
            return "", body
        if _NO_TITLE.match(first):
            return "", body
        subject, body = first.strip(), rest.strip()
    subject = _PREFIX.sub("", subject)
    ended = re.sub(r"\s*\([#!]\d+\)\s*$", "", subject)
    if ended.endswith(("…", "...")):
        return _rejoined(ended.rstrip("…."), body) or (subject, body)
    return subject, body


def _rejoined(start: str, body: str) -> tuple[str, str] | None:
    """The whole of a title that a forge broke off: its end opens the body, or a squashed commit repeats it."""
    first, _, rest = body.partition("\n")
    if first.startswith(("…", "...")):
        return start + first.lstrip("…."), rest.strip()
    repeated = (line.removeprefix("* ").strip() for line in body.split("\n"))
    whole = next((line for line in repeated if line.startswith(start) and len(line) > len(start)), None)
    return (whole, body) if whole is not None else None


def clean_title(title: str) -> str:
    """The title without numbers, emoji, advisory ids and the marks they leave behind; case and backquotes stay."""
    text = " ".join(plain(title)[:_SUBJECT_LIMIT].split())
    for pattern in (_ROLE, _ROLES, _EMOJI):
        text = pattern.sub(" ", text)
    text = text.strip()
    text = _PARENTHESISED.sub("", text)
    text = _ORIGIN.sub("", text)
    text = _ISSUE_PREFIX.sub("", text)
    text = _INLINE_CLOSING.sub("", text)
    for pattern in (_URL, _BARE_REFERENCE, _ADVISORY, _SHA):
        text = pattern.sub(MARK, text)
    text = mended_title(text)
    text = re.sub(r"(?:^|(?<=\s))(?:\(\s*\)|\[\s*\])", "", " ".join(text.split()))
    text = re.sub(r"^[\s:;,.|/–—-]+(?=[^-\s])", "", text)
    return _MARKS.sub("", text)[:TITLE_LIMIT]


def clean_body(body: str) -> str:
    """The body without comments, check lists, trailers, references and empty sections; markdown stays.

    Empty when no letter is left, as of a rule between two sections that are gone.
    """
    text = plain(body)
    for pattern in (_COMMENT, _IMAGE, _CHECKBOX, _PICKED, _LINK_TARGET, _TRAILER, _CLOSING_LINE):
        text = pattern.sub("", text)
    if _is_commit_log(text):
        return ""
    text = _FORGE_LINK.sub(r"\1", text)
    for pattern in (_ORIGIN, _CLOSING_CLAUSE, _INLINE_CLOSING, _PARENTHESISED):
        text = pattern.sub("", text)
    for pattern in (_FORGE_URL, _BARE_REFERENCE, _ROLE, _ADVISORY, _SHA):
        text = pattern.sub(MARK, text)
    text = mended(text)
    if not any(sign.isalpha() for sign in text):
        return ""
    lines = [line.rstrip() for line in text.split("\n")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(_without_empty_sections(_without_last_rule(lines)))).strip()
    return text if len(text) <= BODY_LIMIT else text[:BODY_LIMIT].rsplit("\n", 1)[0].rstrip() + "\n…"


def _without_last_rule(lines: list[str]) -> list[str]:
    """The lines without rules and blanks at their end: a forge draws one above the trailers, which are gone."""
    end = len(lines)
    while end and not lines[end - 1].strip("- "):
        end -= 1
    return lines[:end]


def is_thin(title: str) -> bool:
    """Whether a cleaned title says too little to work from: fewer than two words, or only ``fix`` and its kind."""
    words = re.findall(r"[^\W\d_]{2,}", title)
    if len(words) < 2 or len(title) < 8 or is_generic(title):
        return True
    return " " not in title.strip()  # the name of a branch


def is_generic(title: str) -> bool:
    """Whether a cleaned title names no subject at all: ``fix``, ``more updates``, ``Release 1.2``."""
    if any(kind.fullmatch(_VERSION.sub("", title)) for kind in (_THIN, _PAPERWORK)):
        return True
    return "`" not in title and _COMMON.issuperset(word.lower() for word in re.findall(r"[^\W\d_]+", title))


def without_lines(text: str, answer: frozenset[str]) -> str:
    """The text without lines that are lines of the answer (compared without blanks around them)."""
    kept = [line for line in text.split("\n") if line.strip().lstrip("+-").strip() not in answer]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def advisories_in(text: str) -> tuple[str, ...]:
    """CVE and GHSA ids in a text, in the usual spelling, each once."""
    found: dict[str, None] = {}
    # Sphinx projects write :ghsa:`q2x7-8rv6-6q7h`, where the kind is the role.
    whole = _ROLE.sub(lambda m: f"{m['rst'] or m['myst']}-{m['number']}", text[:_READ_LIMIT])
    for match in _ADVISORY.finditer(whole):
        first, *more = match[0].split("/")
        kind, _, rest = first.partition("-")
        number = f"{kind.upper()}-{rest.lower()}"
        found[number] = None
        for tail in more:
            found[number[: -len(tail)] + tail] = None
    return tuple(found)


def _is_commit_log(text: str) -> bool:
    """Whether the body is the list of squashed commits that GitHub proposes: ``* subject`` paragraphs from the top."""
    lines = [line for line in text.split("\n") if line.strip()]
    starred = sum(line.startswith("* ") for line in lines)
    return bool(lines) and lines[0].startswith("* ") and starred >= 2 and starred * 3 >= len(lines)


def _without_empty_sections(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in reversed(lines):
        content = next((k for k in reversed(kept) if k.strip()), "")
        below = line.startswith("#") and content.startswith("#") and _depth(line) >= _depth(content)
        if _HEADING.match(line) and (not content or below):
            continue
        kept.append(line)
    return list(reversed(kept))


def _depth(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#")) or 7
