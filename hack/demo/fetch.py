"""Bring pinned source archives from the package index that this machine's pip is set up for.

``pip download`` cannot bring a source archive without running its build code to learn its metadata, a minute for what
here takes seconds and a risk for nothing; so the index is read with its own client, as pip is configured to. The
archive's bytes are believed only when their hash is the pinned one.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import requests
from packaging.version import InvalidVersion, Version
from pypi_simple import PYPI_SIMPLE_ENDPOINT, DistributionPackage, NoSuchProjectError, PyPISimple

from hack.demo.pins import Pin

SECONDS = 60.0


class FetchError(Exception):
    """An archive could not be had; the message names it and says what can be done."""


def fetch(name: str, pins: tuple[Pin, ...], cache: Path) -> dict[str, Path]:
    """The archives of one package by version, from ``cache`` where it holds them, else from the index."""
    paths = {pin.version: cache / pin.file for pin in pins}
    absent = [pin for pin in pins if not _is_pinned(paths[pin.version], pin)]
    if absent:
        cache.mkdir(parents=True, exist_ok=True)
        with _client() as client:
            offered = {package.filename: package for package in _offered(client, name)}
            for pin in absent:
                _download(client, name, pin, offered, paths[pin.version])
    return paths


def source_archives(name: str) -> dict[str, tuple[DistributionPackage, datetime]]:
    """What the index offers of final, unyanked source releases: version to archive and date of publication."""
    result = {}
    with _client() as client:
        for package in _offered(client, name):
            if package.package_type != "sdist" or package.is_yanked or not package.filename.endswith(".tar.gz"):
                continue
            if package.version and package.upload_time and _is_final(package.version):
                result[package.version] = (package, package.upload_time.astimezone(UTC))
    return result


def configured_index(environment: Mapping[str, str], pip_settings: Mapping[str, str]) -> str:
    """The address of the index: pip's variable, uv's variables, pip's configuration, else the client's default."""
    for variable in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        if environment.get(variable):
            return environment[variable]
    for section in ("install", "download", "global"):
        if found := pip_settings.get(f"{section}.index-url"):
            return found
    return PYPI_SIMPLE_ENDPOINT


@cache
def pip_settings() -> dict[str, str]:
    """What ``pip config list`` tells, by ``section.key``."""
    command = (sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list")
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    pairs = (line.partition("=") for line in listed.stdout.splitlines())
    return {key: "".join(shlex.split(value)) for key, _, value in pairs}


def _client() -> PyPISimple:
    settings = pip_settings()
    session = requests.Session()
    certificates = os.environ.get("PIP_CERT") or settings.get("global.cert")
    if certificates:
        session.verify = certificates
    return PyPISimple(configured_index(os.environ, settings), session=session)


def _offered(client: PyPISimple, name: str) -> list[DistributionPackage]:
    try:
        return client.get_project_page(name, timeout=SECONDS).packages
    except NoSuchProjectError as error:
        raise FetchError(f"the package index does not know {name}; is it a mirror that holds only a part?") from error
    except requests.RequestException as error:
        raise FetchError(f"the package index cannot be asked for {name}: {error}") from error


def _download(
    client: PyPISimple, name: str, pin: Pin, offered: Mapping[str, DistributionPackage], target: Path
) -> None:
    package = offered.get(pin.file)
    if package is None:
        raise FetchError(f"the package index offers no {pin.file}; pins of {name} stand in hack/demo/archives.toml")
    partial = target.with_name(target.name + ".partial")
    try:
        client.download_package(package, partial, verify=False, timeout=SECONDS)
    except (requests.RequestException, OSError) as error:
        raise FetchError(f"{pin.file} could not be downloaded: {error}") from error
    if not _is_pinned(partial, pin):
        found = hashlib.sha256(partial.read_bytes()).hexdigest()
        partial.unlink()
        raise FetchError(
            f"{pin.file} has SHA-256 {found}, pinned is {pin.sha256}: the index serves other bytes than were published"
        )
    partial.rename(target)


def _is_pinned(path: Path, pin: Pin) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == pin.sha256


def _is_final(version: str) -> bool:
    try:
        parsed = Version(version)
    except InvalidVersion:
        return False
    return not parsed.is_prerelease
