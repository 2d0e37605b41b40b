"""A package index's credentials out of a mounted Secret: what setup's tools are told, and what a wrong key is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.cluster.base_jobs import INDEX_SECRET
from change2task.pods.faults import CredentialsFault
from change2task.pods.indexes import index_credentials
from change2task.pods.places import Places
from change2task.pods.secrets import masks

SECRET = "s3cret/te@xt"
ENVIRON = {INDEX_SECRET: "index-read", "UV_DEFAULT_INDEX": "https://index.example.org/simple/"}


def mounted(folder: Path, **files: str) -> Places:
    """A Secret as the kubelet mounts it."""
    (folder / "index" / "..data").mkdir(parents=True)
    for name, content in files.items():
        (folder / "index" / name).write_text(content)
    return Places(index=folder / "index", credentials=folder / "none", registry=folder / "none")


def test_without_a_secret_nothing_is_told(tmp_path: Path) -> None:
    assert index_credentials(mounted(tmp_path, password=SECRET), {}) == {}


@pytest.mark.parametrize(
    ("files", "account"),
    [
        ({"username": "reader\n", "password": f"{SECRET}\n"}, "reader:s3cret%2Fte%40xt"),
        ({"token": SECRET}, "__token__:s3cret%2Fte%40xt"),
        ({"username": "ci", "token": SECRET}, "ci:s3cret%2Fte%40xt"),
    ],
    ids=["pair", "token", "token of somebody"],
)
def test_an_account_is_said_in_the_indexs_address(tmp_path: Path, files: dict[str, str], account: str) -> None:
    told = index_credentials(mounted(tmp_path, **files), ENVIRON)
    assert told == {"UV_DEFAULT_INDEX": f"https://{account}@index.example.org/simple/"}


def test_variables_are_told_as_they_are(tmp_path: Path) -> None:
    files = {"UV_INDEX_MINE_PASSWORD": SECRET, "GOPROXY": "https://go.example.org"}
    assert index_credentials(mounted(tmp_path, **files), ENVIRON) == files


def test_nothing_that_a_pod_says_holds_them(tmp_path: Path) -> None:
    places = mounted(tmp_path, username="reader", password=SECRET, PIP_INDEX_URL=f"https://a:b1g-{SECRET[:6]}@x/")
    said = masks(places, {}).masked_text(f"no {SECRET} and no b1g-{SECRET[:6]} for reader")
    assert said == "no *** and no *** for reader"


WRONG = [
    ("nothing", {}, ENVIRON, "is empty, or not in the builds' namespace"),
    ("a stranger", {"LD_PRELOAD": SECRET}, ENVIRON, "LD_PRELOAD"),
    ("a password without a user", {"password": SECRET}, ENVIRON, "lacks username"),
    ("a user without a password", {"username": "a"}, ENVIRON, "lacks password"),
    ("two ways at once", {"username": "a", "password": SECRET, "token": SECRET}, ENVIRON, "both token and password"),
    ("several lines", {"token": f"{SECRET}\nx"}, ENVIRON, "token is empty or has several lines"),
    ("no index", {"token": SECRET}, {INDEX_SECRET: "index-read"}, "no index is said; set index.url"),
]


@pytest.mark.parametrize(("files", "environ", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_secret_that_cannot_be_used_is_told_by_its_keys_and_never_by_what_they_hold(
    tmp_path: Path, files: dict[str, str], environ: dict[str, str], said: str
) -> None:
    with pytest.raises(CredentialsFault, match="Secret index-read") as told:
        index_credentials(mounted(tmp_path, **files), environ)
    assert said in str(told.value)
    assert SECRET not in str(told.value)
