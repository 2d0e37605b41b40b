"""Images that were pushed are removed by what they are still called."""

from __future__ import annotations

from hack.kind.services import pushed_names


def test_an_image_whose_tag_has_moved_on_is_removed_by_its_digest() -> None:
    listed = "localhost:5001/a 1 sha256:aa\nlocalhost:5001/a <none> sha256:bb\nlocalhost:5001/a 1 sha256:aa\n"
    assert pushed_names(listed) == ["localhost:5001/a:1", "localhost:5001/a@sha256:bb"]


def test_nothing_pushed_is_nothing_to_remove() -> None:
    assert pushed_names("") == []
