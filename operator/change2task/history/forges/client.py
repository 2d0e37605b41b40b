"""One forge's REST API as pages of JSON: bounded, patient within limits, and plain about what is wrong.

A token goes into one header and nowhere else: never into an address, a message or a log, never over plain HTTP to
another machine, never to another host than the one it was given for. Which addresses are asked is left to the others
of this room; the clock and how to sleep come in, so that waiting can be tested without it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import urljoin, urlsplit

import httpx

MOST_PAGES: Final = 1000
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of one answer."""
MOST_WAIT: Final = 900.0
"""Seconds waited for a rate limit, over all of one client's questions."""
_TRIES: Final = 4
_TIMEOUT: Final = httpx.Timeout(60.0, connect=20.0)
_NEXT = re.compile(r'<([^<>]+)>\s*;[^<]*\brel="?next"?')
_OF_TRANSFER = frozenset(("content-encoding", "content-length", "transfer-encoding"))
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")


class ForgeRefuses(Exception):
    """A forge that gives no answer that can be used; the message says which address, why, and the way out."""


class ForgeNotFound(ForgeRefuses):
    """Something that is not there, or that whoever asks may not see."""


@dataclass(frozen=True)
class Waiting:
    """Time as the client sees it: seconds since 1970, how to let some pass, and where to say that it does."""

    clock: Callable[[], float]
    sleep: Callable[[float], None]
    say: Callable[[str], None]


class Client:
    """Questions to one forge. Close it, or use it as a context manager."""

    def __init__(
        self, url: str, token: str | None, waiting: Waiting, *, hint: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """``url``: of the API. ``hint``: how its address looks. Raises ForgeRefuses for one that cannot be asked."""
        self._url = url.rstrip("/") + "/"
        parts = urlsplit(self._url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ForgeRefuses(f"{_shown(url)}: a forge's API is at http:// or https://; {hint}")
        if parts.username or parts.password:
            raise ForgeRefuses(f"{_shown(url)}: no user or password belongs into this address; give --token-file")
        if token and parts.scheme == "http" and not _LOOPBACK.fullmatch(parts.hostname):
            raise ForgeRefuses(f"{_shown(url)}: a token is not sent over plain http; say https://")
        self._origin = (parts.scheme, parts.netloc)
        self._token = token
        self._waiting = waiting
        self._left = MOST_WAIT
        self._hint = hint
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.Client(
            headers={"User-Agent": "change2task", **(headers or {}), **authorization},
            timeout=_TIMEOUT,
            follow_redirects=False,
        )

    def pages(self, path: str, parameters: Mapping[str, str | int]) -> Iterator[list[Any]]:
        """The rows of a list, page by page as the Link header leads. Raises ForgeRefuses."""
        address: str | None = str(httpx.URL(urljoin(self._url, path), params=dict(parameters)))
        for _ in range(MOST_PAGES):
            if address is None:
                return
            answer, rows = self._json(address)
            if not isinstance(rows, list):
                raise ForgeRefuses(f"{_shown(address)}: a list is expected, the answer is {type(rows).__name__}")
            yield rows
            address = self._next(answer, address)
        raise ForgeRefuses(f"{_shown(self._url + path)}: more than {MOST_PAGES} pages; narrow it with --since")

    def one(self, path: str) -> Any:
        """One object. Raises ForgeRefuses."""
        return self._json(urljoin(self._url, path))[1]

    def _next(self, answer: httpx.Response, address: str) -> str | None:
        match = _NEXT.search(answer.headers.get("link", ""))
        return self._checked(urljoin(address, match[1]), "the next page") if match else None

    def _checked(self, address: str, what: str) -> str:
        parts = urlsplit(address)
        if (parts.scheme, parts.netloc) != self._origin:
            raise ForgeRefuses(f"{_shown(self._url)}: {what} lies at another host, {_shown(address)}; it is not asked")
        return address

    def _json(self, address: str) -> tuple[httpx.Response, Any]:
        answer = self._answer(address)
        kind = answer.headers.get("content-type", "nothing").partition(";")[0].strip()
        try:
            return answer, json.loads(answer.content)
        except (ValueError, RecursionError) as error:
            raise ForgeRefuses(
                f"{_shown(address)}: answered with {kind[:80]} that is no JSON; is --forge-url the API's address?"
                f" {self._hint}"
            ) from error

    def _answer(self, address: str) -> httpx.Response:
        trouble = ""
        for attempt in range(_TRIES):
            try:
                answer = self._asked(address)
            except httpx.HTTPError as error:
                trouble = self._without_token(str(error) or type(error).__name__)
                self._pause(2.0**attempt, trouble)
                continue
            if answer.is_success:
                return answer
            if answer.is_redirect:
                address = self._checked(urljoin(address, answer.headers.get("location", "")), "what it was moved to")
                continue
            wait = _limited(answer, self._waiting.clock())
            if wait is not None:
                trouble = "its rate limit is used up"
                self._pause(wait, trouble)
                continue
            if answer.status_code < 500:
                raise self._refusal(answer, address)
            trouble = f"it answered {answer.status_code}"
            self._pause(2.0**attempt, trouble)
        raise ForgeRefuses(f"{_shown(address)}: no answer in {_TRIES} tries, {trouble}; try later, or mine without it")

    def _asked(self, address: str) -> httpx.Response:
        with self._client.stream("GET", address) as answer:
            content = bytearray()
            for chunk in answer.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise ForgeRefuses(f"{_shown(address)}: the answer has more than {MOST_BYTES} bytes")
        # The bytes are as they came out of the transfer's own encodings.
        headers = [pair for pair in answer.headers.multi_items() if pair[0].lower() not in _OF_TRANSFER]
        return httpx.Response(answer.status_code, headers=headers, content=bytes(content), request=answer.request)

    def _pause(self, seconds: float, why: str) -> None:
        if seconds > self._left:
            raise ForgeRefuses(
                f"{_shown(self._url)}: {why}, and it wants {seconds:.0f} seconds of patience, more than are left of"
                f" {MOST_WAIT:.0f}; {'run again then' if self._token else 'give a token, whose limit is higher'}"
            )
        self._left -= seconds
        if seconds >= 5:
            self._waiting.say(f"waiting {seconds:.0f} seconds for {_shown(self._url)}: {why}")
        self._waiting.sleep(seconds)

    def _refusal(self, answer: httpx.Response, address: str) -> ForgeRefuses:
        where = f"{_shown(address)}: {answer.status_code}{self._without_token(_message(answer))}"
        way = "give another one" if self._token else "give a token by --token-file"
        match answer.status_code:
            case 401:
                why = "the token is not taken" if self._token else "it asks for a token"
                return ForgeRefuses(f"{where}; {why}: {way}")
            case 403:
                return ForgeRefuses(f"{where}; whoever asks may not read this: {way} that may read requests and issues")
            case 404 | 410:
                who = "this token may not" if self._token else "nobody without a token may"
                return ForgeNotFound(
                    f"{where}; there is no such repository, or it is private and {who} see it: look at"
                    f" spec.repository.url and --forge-url, or {way}"
                )
        return ForgeRefuses(where)

    def _without_token(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text

    def close(self) -> None:
        """End all connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _limited(answer: httpx.Response, now: float) -> float | None:
    """Seconds until a limit is lifted; None where the answer speaks of no limit."""
    if answer.status_code not in {403, 429}:
        return None
    after = answer.headers.get("retry-after", "")
    if after.isdigit():
        return float(after)
    reset = answer.headers.get("x-ratelimit-reset") or answer.headers.get("ratelimit-reset") or ""
    left = answer.headers.get("x-ratelimit-remaining") or answer.headers.get("ratelimit-remaining") or ""
    if reset.isdigit() and (left == "0" or answer.status_code == 429):
        return max(float(reset) - now, 0.0) + 1.0
    return 60.0 if answer.status_code == 429 else None


def _message(answer: httpx.Response) -> str:
    try:
        told = json.loads(answer.content)
    except (ValueError, RecursionError):
        return ""
    said = told.get("message") if isinstance(told, dict) else None
    return f" ({' '.join(said.split())[:200]})" if isinstance(said, str) else ""


def _shown(address: str) -> str:
    """An address as it may be shown: without a user, a password or a query."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "the address given"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"[:300]
