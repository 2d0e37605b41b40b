"""A forge asked over a real connection: pages, limits, refusals, and a token that goes nowhere else."""

from __future__ import annotations

import pytest

from change2task.history.forges.client import ForgeNotFound, ForgeRefuses
from tests.history.forges.conftest import Answer, Connect, Server, Time

SECRET = "ghp_verysecret"


def test_pages_are_followed_by_their_link_header(server: Server, connect: Connect) -> None:
    server.says(
        "/list?page=1", Answer([1], headers={"Link": f'<{server.url}/list?page=2>; rel="next", <x>; rel="last"'})
    )
    server.says("/list?page=2", Answer([2], headers={"Link": '</list?page=3>; rel="next"'}))
    server.says("/list?page=3", Answer([3]))
    assert list(connect().pages("list", {"page": 1})) == [[1], [2], [3]]


def test_a_next_page_at_another_host_is_not_asked(server: Server, connect: Connect) -> None:
    server.says("/list", Answer([1], headers={"Link": '<http://127.0.0.2:1/steal>; rel="next"'}))
    with pytest.raises(ForgeRefuses, match="another host"):
        list(connect(SECRET).pages("list", {}))


def test_a_redirect_to_another_host_is_not_followed(server: Server, connect: Connect) -> None:
    server.says("/list", Answer(None, 301, headers={"Location": "http://127.0.0.2:1/steal"}))
    with pytest.raises(ForgeRefuses, match="another host"):
        list(connect(SECRET).pages("list", {}))


def test_a_repository_that_was_renamed_is_found(server: Server, connect: Connect) -> None:
    server.says("/old", Answer(None, 301, headers={"Location": f"{server.url}/new"}))
    server.says("/new", Answer([1]))
    assert list(connect().pages("old", {})) == [[1]]


def test_a_limit_is_waited_for_as_long_as_the_forge_says(server: Server, connect: Connect, time: Time) -> None:
    server.says("/list", Answer({"message": "slow down"}, 429, headers={"Retry-After": "17"}), Answer([1]))
    assert list(connect().pages("list", {})) == [[1]]
    assert time.slept == [17.0]
    assert "17 seconds" in time.said[0]


def test_a_limit_with_a_time_is_waited_for_until_then(server: Server, connect: Connect, time: Time) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.now) + 30)}
    server.says("/list", Answer({"message": "API rate limit exceeded"}, 403, headers=reset), Answer([1]))
    assert list(connect().pages("list", {})) == [[1]]
    assert time.slept == [31.0]


def test_patience_ends_and_a_token_is_the_way_out(server: Server, connect: Connect, time: Time) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.now) + 3600)}
    server.says("/list", Answer({}, 403, headers=reset))
    with pytest.raises(ForgeRefuses, match=r"3601 seconds of patience.*give a token"):
        list(connect().pages("list", {}))
    assert time.slept == []


def test_a_forge_that_stumbles_is_asked_again(server: Server, connect: Connect, time: Time) -> None:
    server.says("/list", Answer(b"oops", 502, kind="text/html"), Answer(b"oops", 503), Answer([1]))
    assert list(connect().pages("list", {})) == [[1]]
    assert time.slept == [1.0, 2.0]


def test_a_forge_that_is_not_there_is_given_up(connect: Connect, time: Time) -> None:
    with pytest.raises(ForgeRefuses, match="no answer in 4 tries"):
        list(connect(url="http://127.0.0.1:9").pages("list", {}))
    assert sum(time.slept) < 60


@pytest.mark.parametrize(
    ("status", "token", "said"),
    [
        (401, None, "asks for a token: give a token by --token-file"),
        (401, SECRET, "the token is not taken: give another one"),
        (403, SECRET, "may not read this: give another one that may read requests"),
        (404, None, "it is private and nobody without a token may see it"),
        (404, SECRET, "it is private and this token may not see it"),
        (422, None, "422 \\(no, that"),
    ],
)
def test_a_refusal_says_why_and_what_to_do(
    server: Server, connect: Connect, status: int, token: str | None, said: str
) -> None:
    server.says("/repos/a/b/pulls", Answer({"message": f"no, that {token} will not do"}, status))
    with pytest.raises(ForgeRefuses, match=said) as refusal:
        list(connect(token).pages("repos/a/b/pulls", {"state": "closed"}))
    assert SECRET not in str(refusal.value)
    assert isinstance(refusal.value, ForgeNotFound) == (status == 404)


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b"", b"[" * 100_000])
def test_an_answer_that_is_no_json_is_told_with_the_address(server: Server, connect: Connect, body: bytes) -> None:
    server.says("/list", Answer(body, kind="text/html; charset=utf-8"))
    with pytest.raises(ForgeRefuses, match=r"text/html that is no JSON.*https://forge/api"):
        list(connect().pages("list", {}))


def test_a_list_is_expected_where_one_is_asked_for(server: Server, connect: Connect) -> None:
    server.says("/list", Answer({"message": "hello"}))
    with pytest.raises(ForgeRefuses, match="a list is expected"):
        list(connect().pages("list", {}))


def test_the_token_is_in_one_header_and_in_no_address(server: Server, connect: Connect) -> None:
    server.says("/list", Answer([1]))
    list(connect(SECRET).pages("list", {"state": "closed"}))
    ((path, headers),) = server.asked
    assert SECRET not in path
    assert [name for name, value in headers.items() if SECRET in value] == ["Authorization"]


def test_a_token_is_not_sent_in_clear_to_another_machine(connect: Connect) -> None:
    with pytest.raises(ForgeRefuses, match="not sent over plain http"):
        connect(SECRET, "http://forge.example.org/api")


@pytest.mark.parametrize("url", ["ftp://forge", "nothing", "https://ada:secret@forge/api"])
def test_an_address_that_cannot_be_asked_is_refused_at_once(connect: Connect, url: str) -> None:
    with pytest.raises(ForgeRefuses) as refusal:
        connect(None, url)
    assert "secret" not in str(refusal.value)
