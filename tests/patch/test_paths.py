import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.patch.paths import MalformedPath, quote, unquote


@given(st.binary())
def test_every_path_comes_back_from_its_text(path):
    assert unquote(quote(path)) == path


@given(st.binary(), st.binary())
def test_two_paths_never_have_the_same_text(one, other):
    assert (one == other) == (quote(one) == quote(other))


@pytest.mark.parametrize("path", ["src/pkg/module.py", "with blank.txt", "naïve/日本.md", "it's", "trailing ", ""])
def test_a_plain_utf8_name_is_itself(path):
    assert quote(path.encode()) == path


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (b"a\tb", r'"a\tb"'),
        (b"a\nb", r'"a\nb"'),
        (b'say "hi"', r'"say \"hi\""'),
        (b"back\\slash", r'"back\\slash"'),
        (b"\x01\x7f", r'"\001\177"'),
        (b"caf\xe9", r'"caf\351"'),
        ("é\n".encode() + b"\xff", '"é\\n\\377"'),
    ],
)
def test_other_names_are_quoted_with_c_escapes(path, text):
    assert quote(path) == text


def test_the_form_git_prints_by_default_is_read_too():
    assert unquote(r'"na\303\257ve.txt"') == "naïve.txt".encode()


@pytest.mark.parametrize(
    "text", ['"open', '"', r'"bad \q"', r'"short \12"', '"inner " quote"', '"ends in \\"', "\ud800"]
)
def test_what_git_would_not_print_is_refused(text):
    with pytest.raises(MalformedPath):
        unquote(text)
