"""A patch is bytes: they survive the resource, its YAML and its JSON, or they are a reference by digest."""

from __future__ import annotations

import hashlib
import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from change2task.api.patches import INLINE_LIMIT, Patch
from change2task.api.render import render_values
from tests.support.resources import TEXTS


@given(st.binary(max_size=200) | st.lists(TEXTS, max_size=8).map(lambda lines: "\n".join(lines).encode()))
def test_bytes_come_back_through_yaml_and_json(content: bytes) -> None:
    patch = Patch.of(content)
    text = render_values(patch.document())

    assert patch.inline() == content
    assert Patch.model_validate(yaml.safe_load(text)).inline() == content
    assert Patch.model_validate_json(json.dumps(patch.document())).inline() == content


@pytest.mark.parametrize(
    "content",
    [
        b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n \n-\ta \n+\tb  \n\\ No newline at end of file\n",
        b"no final newline",
        b"\n\n\n",
        b"   leading\n",
        "é 😀 \u00a0\n".encode(),
        b"",
    ],
)
def test_text_that_yaml_carries_stays_text(content: bytes) -> None:
    assert Patch.of(content).encoding == "text"


@pytest.mark.parametrize(
    "content",
    [
        b"a\r\n",
        b"\x00",
        b"\x1b[0m",
        b"\x7f",
        b"\xff\xfe",
        *(c.encode() for c in "\x80\x85\x9f\u2028\u2029\ufeff\ufffe\uffff"),
    ],
)
def test_bytes_that_yaml_would_alter_are_base64(content: bytes) -> None:
    patch = Patch.of(b"-a\n+" + content)

    assert patch.encoding == "base64"
    assert patch.inline() == b"-a\n+" + content


def test_a_patch_is_inline_up_to_the_limit_and_an_artifact_beyond() -> None:
    assert Patch.of(b"x" * INLINE_LIMIT).encoding == "text"
    assert Patch.of(b"\r" * INLINE_LIMIT).encoding == "base64"

    beyond = Patch.of(b"x" * (INLINE_LIMIT + 1))

    assert (beyond.encoding, beyond.data, beyond.size) == ("artifact", None, INLINE_LIMIT + 1)
    assert beyond.digest == hashlib.sha256(b"x" * (INLINE_LIMIT + 1)).hexdigest()
    assert beyond.inline() is None


@pytest.mark.parametrize("change", [{"data": "-a\n"}, {"size": 5}, {"encoding": "base64", "data": "LWIK"}])
def test_altered_content_is_noticed(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="does not have its digest"):
        Patch.of(b"-a\n+b\n").replacing(**change).inline()


@pytest.mark.parametrize("change", [{"encoding": "artifact"}, {"data": None}, {"digest": "abc"}, {"size": -1}])
def test_a_patch_that_contradicts_itself_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Patch.of(b"-a\n+b\n").replacing(**change)
