"""Tests that put doubles into the product are told by the names of what makes doubles, in code and nowhere else."""

from __future__ import annotations

import pytest

from change2task.syntax.doubles import has_doubles
from change2task.syntax.languages import Language


@pytest.mark.parametrize(
    ("language", "source"),
    [
        (Language.PYTHON, b"def test(monkeypatch):\n    monkeypatch.setattr('a.b', 1)\n"),
        (
            Language.PYTHON,
            b"def test(monkeypatch):\n    monkeypatch.setenv('A', '1')\n    monkeypatch.setitem(a.b, 'c', 1)\n",
        ),
        (Language.PYTHON, b"def test(monkeypatch):\n    without_network(monkeypatch)\n"),
        (Language.PYTHON, b"@pytest.mark.usefixtures('monkeypatch')\ndef test():\n    mocker.patch('a')\n"),
        (Language.PYTHON, b"@mock.patch('a.b')\ndef test(b):\n    pass\n"),
        (Language.GO, b"package a\n\nfunc TestA(t *testing.T) { gomock.NewController(t) }\n"),
        (Language.JAVASCRIPT, b"test('a', () => { jest.spyOn(fs, 'read') })\n"),
    ],
)
def test_what_makes_doubles_is_seen(language: Language, source: bytes) -> None:
    assert has_doubles(language, source)


def test_comments_and_sentences_make_none() -> None:
    assert not has_doubles(Language.PYTHON, b"def test():\n    assert say() == 'patch it'  # no mock\n")


def test_what_changes_only_the_surroundings_makes_none() -> None:
    source = b"def test(monkeypatch, tmp_path):\n    monkeypatch.delenv('A')\n    monkeypatch.chdir(tmp_path)\n"
    assert not has_doubles(Language.PYTHON, source)
