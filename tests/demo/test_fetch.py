"""Archives come from the configured index, once, and only with the pinned bytes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import ValidationError

from hack.demo.fetch import FetchError, configured_index, fetch, source_archives
from hack.demo.pins import Pin, load_pins

BYTES = b"archive"


def pin(data: bytes = BYTES, file: str = "p-1.0.tar.gz") -> Pin:
    return Pin(
        version="1.0", published=datetime(2024, 1, 1, tzinfo=UTC), file=file, sha256=hashlib.sha256(data).hexdigest()
    )


class Index(SimpleHTTPRequestHandler):
    """A package index of plain files that keeps its requests to itself."""

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "index"
    (root / "p").mkdir(parents=True)
    (root / "p" / "p-1.0.tar.gz").write_bytes(BYTES)
    (root / "p" / "index.html").write_text('<a href="p-1.0.tar.gz">p-1.0.tar.gz</a>', encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Index, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield root
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_archive_is_fetched_once_and_then_taken_from_the_cache(index: Path, tmp_path: Path) -> None:
    first = fetch("p", (pin(),), tmp_path / "cache")
    (index / "p" / "p-1.0.tar.gz").unlink()
    second = fetch("p", (pin(),), tmp_path / "cache")

    assert first == second
    assert first["1.0"].read_bytes() == BYTES


def test_other_bytes_than_the_pinned_ones_are_refused_and_not_kept(index: Path, tmp_path: Path) -> None:
    (index / "p" / "p-1.0.tar.gz").write_bytes(b"swapped")

    with pytest.raises(FetchError, match=r"p-1\.0\.tar\.gz has SHA-256 .* pinned is"):
        fetch("p", (pin(),), tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_cached_archive_is_fetched_again(index: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "p-1.0.tar.gz").write_bytes(b"half")

    assert fetch("p", (pin(),), tmp_path / "cache")["1.0"].read_bytes() == BYTES


@pytest.mark.usefixtures("index")
def test_a_missing_archive_and_an_unknown_package_are_named(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"offers no p-9\.tar\.gz"):
        fetch("p", (pin(file="p-9.tar.gz"),), tmp_path / "cache")
    with pytest.raises(FetchError, match="does not know q"):
        fetch("q", (pin(file="q-1.tar.gz"),), tmp_path / "cache")


def test_an_unreachable_index_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    with pytest.raises(FetchError, match="cannot be asked for p"):
        fetch("p", (pin(),), tmp_path / "cache")


@pytest.mark.usefixtures("index")
def test_an_index_without_dates_offers_nothing_to_pin() -> None:
    assert source_archives("p") == {}


def test_the_index_is_the_one_pip_is_set_up_for() -> None:
    assert configured_index({"PIP_INDEX_URL": "a"}, {"global.index-url": "b"}) == "a"
    assert configured_index({"UV_DEFAULT_INDEX": "u"}, {"global.index-url": "b"}) == "u"
    assert configured_index({}, {"global.index-url": "b"}) == "b"
    assert configured_index({}, {}).endswith("/simple/")


def test_the_demos_own_pins_are_well_formed() -> None:
    packages = load_pins()

    assert packages
    for package in packages.values():
        assert [r.published for r in package.release] == sorted(r.published for r in package.release)


def test_a_pin_with_a_path_for_a_file_name_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "archives.toml"
    entry = '[[p.release]]\nversion="1"\npublished=2024-01-01T00:00:00Z\nfile="../x.tar.gz"\nsha256="{}"\n'
    bad.write_text('[p]\nurl="u"\n' + entry.format("0" * 64) * 2, encoding="utf-8")

    with pytest.raises(ValidationError, match="file"):
        load_pins(bad)
