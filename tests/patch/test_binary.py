"""The size a binary patch unpacks to is known before it is applied."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

from change2task.patch.binary import unpacked_bytes
from change2task.patch.unified import parse_patch
from tests.support.repos import RepoBuilder


def test_literals_say_their_size(tmp_path: Path):
    repo = RepoBuilder(tmp_path)
    repo.commit({"a": "text\n"})
    repo.commit({"b.bin": bytes(range(256)) * 40})
    patch = repo.git("diff", "--binary", "HEAD^", "HEAD")
    assert unpacked_bytes(parse_patch(patch).files) == 256 * 40


def test_deltas_say_the_size_of_their_result(tmp_path: Path):
    repo = RepoBuilder(tmp_path)
    content = bytes((n * n) % 251 for n in range(20_000))
    repo.commit({"b.bin": content})
    repo.commit({"b.bin": content + content + b"\0more"})
    patch = repo.git("diff", "--binary", "HEAD^", "HEAD")
    assert b"\ndelta " in patch
    assert unpacked_bytes(parse_patch(patch).files) == 40_005


def test_a_few_bytes_that_stand_for_gigabytes_are_seen():
    packed = zlib.compress(b"\x01" + b"\xff\xff\xff\xff\x7f" + b"\x90\x01")
    line = bytes([ord("A") + len(packed) - 1]) + base64.b85encode(packed + b"\0" * (-len(packed) % 4))
    patch = b"diff --git a/b b/b\nindex 0000..1111 100644\nGIT binary patch\ndelta 8\n" + line + b"\n\n"
    patch += b"delta 8\n" + line + b"\n\n"
    assert unpacked_bytes(parse_patch(patch).files) > 30 << 30


def test_text_and_broken_data_count_for_nothing():
    text = b"diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n"
    assert unpacked_bytes(parse_patch(text).files) == 0
    broken = b"diff --git a/b b/b\nindex 0000..1111 100644\nGIT binary patch\ndelta 8\nCabcd\n\n"
    assert unpacked_bytes(parse_patch(broken).files) == 8
