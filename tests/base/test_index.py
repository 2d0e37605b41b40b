"""Which settings of this machine reach a setup step, and how secrets in them are kept out of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.base.index import IndexSettings, settings


def of(tmp_path: Path, **environ: str) -> IndexSettings:
    return settings({"HOME": str(tmp_path / "home"), **environ}, system=tmp_path / "etc")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_only_variables_about_package_sources_are_passed(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        UV_DEFAULT_INDEX="https://i/simple",
        HTTPS_PROXY="http://proxy:3128",
        GOPROXY="https://go",
        AWS_SECRET_ACCESS_KEY="no",
        GITHUB_TOKEN="no",
        UV_PUBLISH_TOKEN="no",
        PATH="/bin",
    )
    assert set(found.variables) == {"UV_DEFAULT_INDEX", "PIP_INDEX_URL", "HTTPS_PROXY", "GOPROXY"}


def test_what_pips_configuration_says_is_told_to_uv(tmp_path: Path) -> None:
    write(
        tmp_path / "etc/pip.conf",
        "[global]\nindex-url = https://a/simple\nextra-index-url = https://b/s\n  https://c/s\n",
    )
    write(tmp_path / "home/.config/pip/pip.conf", "[install]\nindex-url = https://mine/simple\n")
    found = of(tmp_path).variables
    assert found["UV_DEFAULT_INDEX"] == found["PIP_INDEX_URL"] == "https://mine/simple"
    assert found["UV_INDEX"] == "https://b/s https://c/s"


def test_a_variable_of_pip_is_told_to_uv_and_stands_above_files(tmp_path: Path) -> None:
    write(tmp_path / "etc/pip.conf", "[global]\nindex-url = https://a/simple\n")
    assert of(tmp_path, PIP_INDEX_URL="https://v/simple").variables["UV_DEFAULT_INDEX"] == "https://v/simple"


def test_uvs_own_settings_stand_above_pips(tmp_path: Path) -> None:
    write(tmp_path / "etc/pip.conf", "[global]\nindex-url = https://a/simple\n")
    write(
        tmp_path / "home/.config/uv/uv.toml",
        '[[index]]\nurl = "https://d/simple"\ndefault = true\n[[index]]\nurl = "https://e/simple"\n',
    )
    found = of(tmp_path).variables
    assert (found["UV_DEFAULT_INDEX"], found["UV_INDEX"]) == ("https://d/simple", "https://e/simple")
    assert of(tmp_path, UV_DEFAULT_INDEX="https://x").variables["UV_DEFAULT_INDEX"] == "https://x"


def test_uvs_default_index_is_told_to_pip_without_its_name(tmp_path: Path) -> None:
    assert of(tmp_path, UV_DEFAULT_INDEX="corp=https://i/simple").variables["PIP_INDEX_URL"] == "https://i/simple"


def test_a_broken_configuration_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "etc/pip.conf", "index-url without a section")
    assert of(tmp_path).variables == {}


@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("https://user:s%40cret@i/simple", {"s%40cret", "s@cret"}),
        ("https://token123@i/simple", {"token123"}),
        ("https://i/simple", set()),
    ],
)
def test_secrets_in_addresses_are_known_and_masked(tmp_path: Path, url: str, secrets: set[str]) -> None:
    found = of(tmp_path, UV_DEFAULT_INDEX=url)
    assert set(found.secrets) == secrets
    masked = found.masked(b"fetching " + url.encode() + b" and " + "".join(secrets).encode())
    assert all(secret.encode() not in masked for secret in secrets)


def test_passwords_of_named_indexes_are_passed_and_masked(tmp_path: Path) -> None:
    found = of(tmp_path, UV_INDEX="mine=https://i/simple", UV_INDEX_MINE_USERNAME="me", UV_INDEX_MINE_PASSWORD="pssst")
    assert found.variables["UV_INDEX_MINE_PASSWORD"] == "pssst"
    assert found.masked_text("password pssst") == "password ***"


@pytest.mark.parametrize("name", ["API_TOKEN", "DB_PASSWORD", "DEPLOY_SECRET", "SERVICE_API_KEY", "my_token"])
def test_what_a_base_sets_by_a_name_that_says_secret_is_masked(tmp_path: Path, name: str) -> None:
    found = of(tmp_path).knowing({name: "hush-hush", "PLAIN": "well known"})
    assert found.masked(b"it is hush-hush, as is well known\xff") == b"it is ***, as is well known\xff"


def test_what_can_be_told_for_a_secret_is_masked_though_nobody_knows_it(tmp_path: Path) -> None:
    told = b"git clone https://ada:pw@host/x.git; curl https://i/simple?token=abc"
    assert of(tmp_path).masked(told) == b"git clone https://***@host/x.git; curl https://i/simple?token=***"


def test_local_folders_and_certificates_that_are_named_are_listed_to_be_shown(tmp_path: Path) -> None:
    for name in ("links", "index", "ca"):
        (tmp_path / name).mkdir()
    found = of(
        tmp_path,
        UV_FIND_LINKS=str(tmp_path / "links"),
        UV_INDEX=f"named={(tmp_path / 'index').as_uri()}",
        SSL_CERT_DIR=str(tmp_path / "ca"),
        SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt",
        PIP_FIND_LINKS=str(tmp_path / "absent"),
    )
    assert set(found.files) == {tmp_path / "links", tmp_path / "index", tmp_path / "ca"}
