"""What the pages for users show is what the program takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from change2task.history.forge import parse_forge_export
from tests.support.commands import at_once

ROOT = Path(__file__).parents[2]
BASE = """
---
apiVersion: change2task.dev/v1alpha1
kind: ModernBase
metadata: {name: toolbox}
spec: {repository: {url: "https://example.org/ada/toolbox"}}
"""


def blocks(language: str) -> list[tuple[str, str]]:
    """Page and text of each example in a language."""
    pages = (ROOT / "README.md", ROOT / "docs/manifests.md")
    return [
        (page.name, text)
        for page in pages
        for text in re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.M | re.S)
    ]


@pytest.mark.parametrize(("page", "text"), blocks("yaml"))
def test_every_manifest_shown_is_sound(tmp_path: Path, page: str, text: str) -> None:
    kinds = {document["kind"] for document in yaml.safe_load_all(text)}
    (tmp_path / page).with_suffix(".yaml").write_text(text if "ModernBase" in kinds else text + BASE)
    ended = at_once("validate", tmp_path)
    assert ended.code == 0, ended


def test_the_forges_export_that_is_shown_is_read_whole() -> None:
    [(_, text)] = blocks("json")
    [record] = parse_forge_export(text.encode()).values()
    assert (record.number, record.labels, len(record.landed)) == (42, ("bug",), 1)
    assert record.head is not None
    assert record.body
