"""What a forge says of the requests that are mined: asked once, kept as an export, read from it ever after."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console

from change2task.cli.failures import InputError
from change2task.cli.mining import Ground
from change2task.history.forge import ForgeExportInvalid, export_rows, records_of
from change2task.history.forges import github, gitlab
from change2task.history.forges.client import Client, ForgeRefuses, Waiting
from change2task.history.mining.issues import issues_of, number_of, repeated_numbers
from change2task.history.mining.survey import Found
from change2task.pipeline.mining import Known

_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)")
_SUFFIX = ".forge.json"
_MOST_TOKEN = 4096


class ForgeApi(StrEnum):
    """Forges whose API can be asked."""

    GITHUB = "github"
    GITLAB = "gitlab"


_APIS: dict[ForgeApi, ModuleType] = {ForgeApi.GITHUB: github, ForgeApi.GITLAB: gitlab}
_VARIABLES = {ForgeApi.GITHUB: ("GITHUB_TOKEN", "GH_TOKEN"), ForgeApi.GITLAB: ("GITLAB_TOKEN",)}


@dataclass(frozen=True)
class Forge:
    """What the options say of a forge."""

    export: Path | None
    api: ForgeApi | None
    url: str | None
    token_file: Path | None


Knowing = Callable[[Sequence[Found], int], Known]


def known_of(forge: Forge, ground: Ground, *, beside: Path | None, console: Console) -> Knowing:
    """What gives the forge's words on changes once they are found; raises InputError before anything is read.

    ``beside``: the folder of the manifests, whose export a run would read too.
    """
    name = ground.base.metadata.name
    place = forge.export if forge.export is not None else beside / f"{name}{_SUFFIX}" if beside is not None else None
    if forge.api is None and (forge.url is not None or forge.token_file is not None):
        raise InputError("--forge-url and --token-file mean something with --forge-api only")
    rows = _read(place, wanted=forge.export is not None and forge.api is None)
    if twice := repeated_numbers(rows):
        shown = ", ".join(f"#{number}" for number in twice[:5])
        console.print(f"note: {place}: {shown} more than once; the last record counts", markup=False, soft_wrap=True)
    if forge.api is None:
        known = _known(rows, str(place))
        return lambda _found, _closely: known
    asking = _Asking(forge, ground.base.spec.repository.url, place, console)
    return lambda found, closely: asking.ask(rows, found, closely)


def _read(place: Path | None, *, wanted: bool) -> list[Any]:
    if place is None or not (wanted or place.exists()):
        return []
    try:
        return export_rows(place.read_bytes(), str(place))
    except ForgeExportInvalid as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{place}: cannot be read: {error.strerror}") from error


def _known(rows: Sequence[Any], name: str) -> Known:
    try:
        return Known(records_of(rows, name), issues_of(rows))
    except ForgeExportInvalid as error:
        raise InputError(str(error)) from error


class _Asking:
    def __init__(self, forge: Forge, url: str, place: Path | None, console: Console) -> None:
        api = forge.api or ForgeApi.GITHUB
        self._api = _APIS[api]
        host, self._repository = _at_forge(url)
        self._place = place
        self._console = console
        waiting = Waiting(time.time, time.sleep, lambda text: console.print(text, markup=False, soft_wrap=True))
        address = forge.url or self._api.api_url(host)
        try:
            self._client = Client(
                address, _token(api, forge.token_file), waiting, hint=self._api.HINT, headers=self._api.HEADERS
            )
        except ForgeRefuses as error:
            raise InputError(f"--forge-url {error}") from error

    def ask(self, rows: Sequence[Any], found: Sequence[Found], closely: int) -> Known:
        """Ask for the requests of changes, and for the issues of the first ``closely`` of them; keep the answers."""
        numbers = [one.unit.number for one in found if one.unit.number is not None]
        close = frozenset(numbers[:closely])
        with self._client as client:
            try:
                answers = self._api.requests(client, self._repository, frozenset(numbers))
                told = [
                    self._api.with_issues(client, self._repository, row) if number_of(row) in close else row
                    for row in answers
                ]
            except ForgeRefuses as error:
                raise InputError(f"{error}\nwithout --forge-api, messages of commits are read instead") from error
        by_number = {number_of(row): row for row in (*rows, *told)}
        joined = [row for _, row in sorted(by_number.items(), key=lambda item: -(item[0] or 0))]
        self._keep(joined)
        return _known(joined, str(self._place or "the forge's answer"))

    def _keep(self, rows: list[Any]) -> None:
        if self._place is None:
            self._console.print("note: the forge's answers are not kept; --forge FILE says where", markup=False)
            return
        self._place.parent.mkdir(parents=True, exist_ok=True)
        partial = self._place.with_name(f".{self._place.name}.part")
        partial.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(self._place)
        self._console.print(f"{len(rows)} requests kept in {self._place}", markup=False, soft_wrap=True)


def _at_forge(url: str) -> tuple[str, str]:
    """Host, and path of the repository there; raises InputError."""
    match = _SCP.fullmatch(url) if "://" not in url else None
    host, path = (match[1], match[2]) if match else ((parts := urlsplit(url)).hostname or "", parts.path)
    name = path.strip("/").removesuffix(".git")
    if not host or "/" not in name:
        raise InputError(
            f"{url}: --forge-api asks for the repository by its URL, and this names none at a forge; mine the URL, with"
            " --mirror URL=PATH where it lies on this machine"
        )
    return host, name


def _token(api: ForgeApi, file: Path | None) -> str | None:
    if file is None:
        given = next((text for name in _VARIABLES[api] if (text := os.environ.get(name, "").strip())), None)
        where = f"${_VARIABLES[api][0]}"
    else:
        where = f"--token-file {file}"
        try:
            given = file.read_bytes()[: _MOST_TOKEN + 1].decode("ascii").strip()
        except OSError as error:
            raise InputError(f"{where}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError:
            given = "\0"
        if not given:
            raise InputError(f"{where}: the file is empty")
    if given is not None and (len(given) > _MOST_TOKEN or not re.fullmatch(r"[\x21-\x7e]+", given)):
        raise InputError(f"{where}: that is no token; it is one word of plain characters")
    return given
