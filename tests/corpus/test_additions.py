"""What an agent adds to an existing test file stands; the tests that were there stay as they were."""

from __future__ import annotations

import pytest

from change2task.corpus.additions import with_existing_tests

BEFORE = b"""import pkg


def test_one():
    assert pkg.one() == 1


class TestMore:
    @staticmethod
    def helper():
        return 2

    def test_two(self):
        assert pkg.two() == self.helper()
"""


def kept(after: bytes, path: bytes = b"tests/test_a.py", before: bytes = BEFORE):
    return with_existing_tests(path, before, after)


def test_additions_imports_and_helpers_stand():
    after = BEFORE.replace(b"import pkg\n", b"import os\nimport pkg\n") + b"\n\ndef test_new():\n    assert pkg.new()\n"
    assert (kept(after).content, kept(after).put_back) == (after, ())


def test_an_altered_test_is_put_back_and_the_additions_around_it_stand():
    weak = BEFORE.replace(b"== 1", b">= 0").replace(b"== self.helper()", b"is not None")
    addition = b"\n\ndef test_new():\n    assert pkg.new()\n"
    result = kept(b"import os\n" + weak + addition)
    assert result.content == b"import os\n" + BEFORE + addition
    assert result.put_back == ("test_one", "TestMore::test_two")


def test_a_decorator_is_a_part_of_a_test():
    skipped = BEFORE.replace(b"def test_one", b"@pytest.mark.skip\ndef test_one")
    assert kept(skipped).content == BEFORE
    widened = BEFORE.replace(b"def test_one", b"@pytest.mark.parametrize('n', [1])\ndef test_one")
    assert kept(widened).put_back == ("test_one",)


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (BEFORE.replace(b"def test_one", b"def test_uno"), "it removes the test test_one"),
        (BEFORE.replace(b"class TestMore", b"class TestLess"), "it removes the test TestMore::test_two"),
        (BEFORE + b"def broken(:\n", "it no longer parses"),
    ],
)
def test_a_file_that_lost_a_test_counts_as_a_whole_for_nothing(after: bytes, why: str):
    assert (kept(after).content, kept(after).why) == (None, why)


def test_layout_and_comments_alter_no_test():
    after = BEFORE.replace(b"    assert pkg.one() == 1\n", b"    # one\n    assert pkg.one() == 1\n\n")
    assert kept(after).content == after


def test_crlf_files_keep_their_line_ends():
    before = BEFORE.replace(b"\n", b"\r\n")
    after = before.replace(b"== 1", b">= 0") + b"\r\n\r\ndef test_new():\r\n    pass\r\n"
    result = kept(after, before=before)
    assert result.content == before + b"\r\n\r\ndef test_new():\r\n    pass\r\n"


def test_go_tests_are_kept_too():
    before = b"package a\n\nfunc TestOne(t *testing.T) {\n\tif one() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
    after = before.replace(b"!= 1", b"!= 2") + b"\nfunc TestNew(t *testing.T) {\n\tnew()\n}\n"
    result = kept(after, b"a_test.go", before)
    assert result.put_back == ("TestOne",)
    assert result.content == before + b"\nfunc TestNew(t *testing.T) {\n\tnew()\n}\n"


def test_a_file_without_a_parser_is_taken_whole_or_not_at_all():
    assert kept(b"x\n", b"tests/a.exs", b"y\n").why == "tests in it cannot be told from the rest"
