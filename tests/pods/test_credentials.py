"""Git's credentials out of a mounted Secret: what git is told, and what is said of a Secret that cannot be used."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from change2task.pods.credentials import CredentialsFault, git_variables, refused

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LXRleHQ=\n-----END OPENSSH PRIVATE KEY-----"
HOSTS = "git.example.com ssh-ed25519 AAAA"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
HTTPS, SSH = "https://git.example.com/x.git", "ssh://git@git.example.com/x.git"
SECRET = "s3cret-text"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    desk = tmp_path / "desk"
    desk.mkdir()
    return desk


def mounted(folder: Path, **files: str) -> Path:
    """A Secret as the kubelet mounts it."""
    secret = folder / "credentials"
    (secret / "..data").mkdir(parents=True)
    for name, content in files.items():
        key = {"known_hosts": "known_hosts", "ca": "ca.crt", "ssh": "ssh-privatekey"}.get(name, name)
        (secret / key).write_text(content)
    return secret


def answer(variables: dict[str, str], question: str) -> tuple[int, str]:
    done = subprocess.run([variables["GIT_ASKPASS"], question], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_without_a_secret_git_is_told_nothing(tmp_path: Path, desk: Path) -> None:
    assert git_variables(tmp_path / "credentials", HTTPS, desk) == {}


def test_a_user_and_a_password_are_answered_when_git_asks(tmp_path: Path, desk: Path) -> None:
    secret = mounted(tmp_path, username="reader\n", password=f"{SECRET}\n")
    variables = git_variables(secret, HTTPS, desk)
    assert answer(variables, "Username for 'https://git.example.com': ") == (0, "reader")
    assert answer(variables, "Password for 'https://reader@git.example.com': ") == (0, SECRET)
    assert SECRET not in str(variables)


def test_a_token_is_a_password_of_anybody(tmp_path: Path, desk: Path) -> None:
    variables = git_variables(mounted(tmp_path, token=SECRET), HTTPS, desk)
    assert answer(variables, "Username for 'https://git.example.com': ") == (0, "x-access-token")
    assert answer(variables, "Password for 'https://x-access-token@git.example.com': ") == (0, SECRET)


@pytest.mark.parametrize("host", ["other.example.com", "git.example.com.evil.org", "notgit.example.com"])
def test_whom_the_server_sends_git_on_to_is_not_told(tmp_path: Path, desk: Path, host: str) -> None:
    variables = git_variables(mounted(tmp_path, token=SECRET), HTTPS, desk)
    assert answer(variables, f"Password for 'https://x-access-token@{host}': ") == (1, "")
    assert answer(variables, f"Username for 'https://{host}': ") == (1, "")


def test_a_key_is_used_alone_and_only_for_hosts_that_are_known(tmp_path: Path, desk: Path) -> None:
    variables = git_variables(mounted(tmp_path, ssh=KEY, known_hosts=HOSTS), SSH, desk)
    command = variables["GIT_SSH_COMMAND"]
    assert "-oStrictHostKeyChecking=yes" in command
    assert "-oIdentitiesOnly=yes" in command
    assert (desk / "identity").read_text() == f"{KEY}\n"
    assert (desk / "identity").stat().st_mode & 0o777 == 0o600


def test_an_authority_comes_beside_those_of_the_system(tmp_path: Path, desk: Path) -> None:
    variables = git_variables(mounted(tmp_path, ca=CERTIFICATE, token=SECRET), HTTPS, desk)
    assert CERTIFICATE in Path(variables["GIT_SSL_CAINFO"]).read_text()
    assert "GIT_ASKPASS" in variables


WRONG = [
    ("a key of another kind", {"ssh": KEY, "known_hosts": HOSTS}, HTTPS, "username and password"),
    ("a password for ssh", {"username": "a", "password": SECRET}, SSH, "ssh-privatekey and known_hosts"),
    ("a token for ssh of the short form", {"token": SECRET}, "git@git.example.com:x.git", "ssh-privatekey"),
    ("a password without a user", {"password": SECRET}, HTTPS, "lacks username"),
    ("a user without a password", {"username": "a"}, HTTPS, "lacks password"),
    ("a key without hosts", {"ssh": KEY}, SSH, "lacks known_hosts"),
    ("what is no key", {"ssh": SECRET, "known_hosts": HOSTS}, SSH, "no private key"),
    ("what is no certificate", {"ca": SECRET}, HTTPS, "ca.crt"),
    ("two ways at once", {"token": SECRET, "username": "a", "password": SECRET}, HTTPS, "both"),
    ("an empty password", {"username": "a", "password": "\n"}, HTTPS, "password of the Secret is empty"),
    ("a password of several lines", {"username": "a", "password": f"{SECRET}\nx"}, HTTPS, "several lines"),
    ("a stranger", {"pasword": SECRET}, HTTPS, "pasword"),
    ("nothing", {}, HTTPS, "empty"),
]


@pytest.mark.parametrize(("files", "source", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_secret_that_cannot_be_used_is_told_by_its_keys_and_never_by_what_they_hold(
    tmp_path: Path, desk: Path, files: dict[str, str], source: str, said: str
) -> None:
    with pytest.raises(CredentialsFault, match=said) as told:
        git_variables(mounted(tmp_path, **files), source, desk)
    assert SECRET not in str(told.value)
    assert "c2VjcmV0" not in str(told.value)


@pytest.mark.parametrize(
    "detail",
    [
        "fatal: Authentication failed for 'https://git.example.com/x.git/'",
        "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
        "git@github.com: Permission denied (publickey).",
        "Host key verification failed.",
        "fatal: unable to access 'https://x/': The requested URL returned error: 403",
    ],
)
def test_a_refusal_is_told_from_a_network_that_is_away(detail: str) -> None:
    assert refused(detail)
    assert not refused("fatal: unable to access 'https://x/': Could not resolve host: x")
