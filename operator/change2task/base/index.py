"""Which addresses and credentials a setup step gets, and how they are kept out of everything that is stored.

It exists because setup is the one place where repository code meets a network. Only settings that say where packages
come from are passed, by name; what pip alone would know is translated for uv. Secrets in them are masked in logs.
Repository code can read them while setup runs: give an index account that may only read.
"""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog

from change2task.api.model import Model
from change2task.vcs.errors import masked

_log = structlog.get_logger(__name__)
_PASSED = re.compile(
    r"UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|INDEX_STRATEGY|FIND_LINKS|NO_INDEX|INSECURE_HOST|"
    r"NATIVE_TLS|SYSTEM_CERTS|HTTP_TIMEOUT|REQUEST_TIMEOUT|HTTP_RETRIES|OFFLINE|INDEX_[A-Z0-9_]+_(?:USERNAME|PASSWORD))|"
    r"PIP_(?:INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|TRUSTED_HOST|CERT|DEFAULT_TIMEOUT|RETRIES)|"
    r"SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO|NODE_EXTRA_CA_CERTS|"
    r"(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy|"
    r"GOPROXY|GOPRIVATE|GONOPROXY|GONOSUMDB|GOSUMDB|GOINSECURE|(?:NPM_CONFIG|npm_config)_(?:REGISTRY|registry)"
)
_FILES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
          "NODE_EXTRA_CA_CERTS", "PIP_CERT")  # fmt: skip
_LISTS = ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "PIP_INDEX_URL",
          "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS")  # fmt: skip
_VISIBLE = ("/usr/", "/etc/ssl/certs/", "/etc/pki/tls/certs/", "/etc/pki/ca-trust/extracted/")
_WORD = re.compile(r"[^\s,]+")
_LOOPBACK = re.compile(
    r"(?P<scheme>\w+)://(?:[^\s/@]*@)?(?P<place>(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?)(?=[/\s]|$)"
)
_MASK = "***"
_SECRET = re.compile(r"(?:PASSWORD|PASSWD|TOKEN|SECRET|API_?KEY|PRIVATE_KEY|CREDENTIALS?)$", re.I)
"""Ends of the names of variables whose values are nobody else's to read."""
_PAIRS = (("index-url", "UV_DEFAULT_INDEX"), ("extra-index-url", "UV_INDEX"), ("find-links", "UV_FIND_LINKS"),
          ("trusted-host", "UV_INSECURE_HOST"))  # fmt: skip


def is_passed(name: str) -> bool:
    """Whether setup steps are given a variable of this name."""
    return _PASSED.fullmatch(name) is not None


class IndexSettings(Model):
    """Variables for setup steps, host files they name, and the secrets in them."""

    variables: dict[str, str]
    files: tuple[Path, ...] = ()
    secrets: tuple[str, ...] = ()

    def knowing(self, variables: Mapping[str, str]) -> IndexSettings:
        """The same, and the secrets among these variables are masked too."""
        known = {*self.secrets, *_secrets(variables)}
        return self.replacing(secrets=tuple(sorted(known, key=lambda secret: (-len(secret), secret))))

    def masked(self, data: bytes) -> bytes:
        """The bytes with every secret replaced by ***, also where it is percent-encoded or decoded.

        Beside those that are known, they are what can be told for one (``vcs.errors.masked``).
        """
        return self.masked_text(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")

    def masked_text(self, text: str) -> str:
        """The same for text."""
        for secret in self.secrets:
            text = text.replace(secret, _MASK)
        return masked(text)

    def moved(self, root: str) -> tuple[IndexSettings, dict[Path, str]]:
        """The settings for a system that is not this machine's, and under which path it must show each file they name.

        ``root`` is an absolute folder there.
        """
        places = {path: f"{root}/{number}/{path.name}" for number, path in enumerate(sorted(_named(self.variables)))}

        def moved_word(found: re.Match[str]) -> str:
            label, path = _split(found[0])
            return f"{label}{places[path]}" if path in places else found[0]

        variables = {
            name: _WORD.sub(moved_word, value) if name in {*_FILES, *_LISTS} else value
            for name, value in self.variables.items()
        }
        return self.replacing(variables=variables, files=()), places

    def loopback(self) -> str | None:
        """An address among the settings that only this machine itself reaches, such as http://localhost:3141."""
        found = (_LOOPBACK.search(value) for value in self.variables.values())
        return next((f"{one['scheme']}://{one['place']}" for one in found if one is not None), None)


def settings(environ: Mapping[str, str], *, system: Path = Path("/etc")) -> IndexSettings:
    """What this machine says about package indexes: environment, then uv.toml, then pip's configuration."""
    variables = {name: value for name, value in environ.items() if value and _PASSED.fullmatch(name)}
    home = Path(environ.get("HOME", "/"))
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    if not variables.keys() & {"UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_FIND_LINKS"}:
        named = [Path(environ["UV_CONFIG_FILE"])] if environ.get("UV_CONFIG_FILE") else []
        variables |= _of_uv([*named, config / "uv/uv.toml", system / "uv/uv.toml"])
    named = [Path(environ["PIP_CONFIG_FILE"])] if environ.get("PIP_CONFIG_FILE") else []
    of_pip = _of_pip([system / "pip.conf", system / "xdg/pip/pip.conf", home / ".pip/pip.conf", config / "pip/pip.conf",
                      *named])  # fmt: skip
    of_pip |= {name: value for key, _ in _PAIRS if (value := variables.get(name := f"PIP_{_upper(key)}"))}
    if not variables.keys() & {"UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX"}:
        variables |= {uv: of_pip[pip] for key, uv in _PAIRS if (pip := f"PIP_{_upper(key)}") in of_pip}
    for name, value in of_pip.items():
        variables.setdefault(name, value)
    default = variables.get("UV_DEFAULT_INDEX") or variables.get("UV_INDEX_URL")
    if default:
        # uv lets an index have a name (NAME=URL), pip does not.
        variables.setdefault("PIP_INDEX_URL", re.sub(r"^[\w-]+=(?=\w+:)", "", default))
    if "PIP_CERT" in variables:
        variables.setdefault("SSL_CERT_FILE", variables["PIP_CERT"])
    return IndexSettings(variables=variables, files=_files(variables), secrets=_secrets(variables))


def _upper(key: str) -> str:
    return key.upper().replace("-", "_")


def _of_uv(files: Iterable[Path]) -> dict[str, str]:
    for path in files:
        try:
            table: dict[str, Any] = tomllib.loads(path.read_text())
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            _log.warning("a uv configuration is not read", path=str(path), error=str(error))
            continue
        found: dict[str, str] = {}
        indexes = [one for one in table.get("index", []) if isinstance(one, dict) and not one.get("explicit")]
        defaults = [str(one["url"]) for one in indexes if one.get("default") and "url" in one]
        others = [str(one["url"]) for one in indexes if not one.get("default") and "url" in one]
        pip = table.get("pip", {}) if isinstance(table.get("pip"), dict) else {}
        if default := next(iter(defaults), None) or table.get("index-url") or pip.get("index-url"):
            found["UV_DEFAULT_INDEX"] = str(default)
        if more := [*others, *map(str, table.get("extra-index-url", [])), *map(str, pip.get("extra-index-url", []))]:
            found["UV_INDEX"] = " ".join(more)
        if links := table.get("find-links", []):
            found["UV_FIND_LINKS"] = " ".join(map(str, links))
        if found:
            return found
    return {}


def _of_pip(files: Iterable[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in files:
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(path.read_text())
        except FileNotFoundError:
            continue
        except (OSError, ValueError, configparser.Error) as error:
            _log.warning("a pip configuration is not read", path=str(path), error=str(error))
            continue
        for section in ("global", "install"):
            for key in (*(key for key, _ in _PAIRS), "cert"):
                if parser.has_option(section, key):
                    found[f"PIP_{_upper(key)}"] = " ".join(parser.get(section, key).split())
    return found


def _files(variables: Mapping[str, str]) -> tuple[Path, ...]:
    """Host files and folders the variables name, which a sandbox would not show otherwise."""
    return tuple(sorted(path for path in _named(variables) if not f"{path}/".startswith(_VISIBLE)))


def _named(variables: Mapping[str, str]) -> set[Path]:
    """Every host file and folder the variables name."""
    words = [word for name in (*_FILES, *_LISTS) for word in _WORD.findall(variables.get(name, ""))]
    paths = {path for _, path in map(_split, words) if path is not None}
    return {path for path in paths if path.exists()}


def _split(word: str) -> tuple[str, Path | None]:
    """What stands before a path in a word, such as ``corp=file://``, and the absolute path if there is one."""
    label, url = (found[0], word[found.end() :]) if (found := re.match(r"[\w-]+=", word)) else ("", word)
    if url.startswith("file://"):
        return f"{label}file://", Path(unquote(urlsplit(url).path))
    return (label, Path(url)) if url.startswith("/") else (label, None)


def _secrets(variables: Mapping[str, str]) -> tuple[str, ...]:
    found: set[str] = set()
    for name, value in variables.items():
        if _SECRET.search(name):
            found.add(value)
        for user, password in re.findall(r"\w+://([^\s/@:]+)(?::([^\s/@]*))?@", value):
            # A user name alone is a token with many indexes; next to a password it is none.
            secret = password or user
            found |= {secret, unquote(secret)}
    return tuple(sorted((one for one in found if len(one) > 2), key=len, reverse=True))
