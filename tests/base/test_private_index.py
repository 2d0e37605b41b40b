"""A private index's credentials while an image is built: used by setup, and in nothing that is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.base.test_build_on_image import Place
from tests.support.packages import package_index

pytestmark = pytest.mark.docker
SECRET = "s3cret-of-the-index"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with package_index() as served:
        served.add("dep", "1.0", uploaded="2024-01-01")
        made = Place(tmp_path, served.url.replace("://", f"://reader:{SECRET}@"))
        yield made
        made.remove()


def test_neither_image_nor_history_nor_document_nor_log_holds_them(place: Place) -> None:
    placed = place.build("uv pip install dep", 'echo "$UV_DEFAULT_INDEX"; echo by-setup > /opt/by-setup')
    assert placed.environment.image is not None
    image, client = placed.environment.image.id, place.engine.client
    told = [str(client.inspect_image(image)), str(client.history(image))]  # type: ignore[no-untyped-call]
    assert not any(SECRET in one for one in told), told
    secret, tail, found = SECRET.encode(), b"", False
    for piece in client.get_image(image):
        found |= secret in tail + piece
        tail = piece[-len(secret) :]
    assert not found, "the image as it is pushed"
    kept = [path for path in placed.folder.rglob("*") if path.is_file()]
    assert kept
    assert [path.name for path in kept if secret in path.read_bytes()] == []
    logs = "".join(path.read_text(errors="replace") for path in kept if path.suffix == ".log")
    assert "***" in logs, "setup was given them"
