"""The files of one revision, as far as a recipe is inferred from them.

It exists so that inference is a pure function of a revision's files: no checkout, no import, nothing of the project
is ever run to find out how it is installed. What the files mean is left to the inferring modules.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from configparser import ConfigParser, Error
from dataclasses import dataclass
from typing import Any

_LARGEST = 4 << 20


@dataclass(frozen=True)
class ProjectFiles:
    """Names of a revision's regular files and how to read one; names that are not UTF-8 are left out."""

    names: frozenset[str]
    reader: Callable[[str], bytes]

    @classmethod
    def of(cls, files: Mapping[str, str]) -> ProjectFiles:
        """A project held in memory."""
        return cls(frozenset(files), lambda name: files[name].encode())

    def text(self, name: str) -> str | None:
        """A file's text, undecodable bytes replaced; None where it is absent or larger than 4 MiB."""
        if name not in self.names:
            return None
        data = self.reader(name)
        return data.decode("utf-8-sig", errors="replace") if len(data) <= _LARGEST else None

    def toml(self, name: str) -> dict[str, Any]:
        """A TOML file's tables; empty where it is absent. Raises UnreadableFile for broken ones."""
        text = self.text(name)
        if text is None:
            return {}
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UnreadableFile(name, str(error)) from error

    def ini(self, name: str) -> ConfigParser:
        """An INI file's sections; none where it is absent. Raises UnreadableFile for broken ones."""
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(self.text(name) or "")
        except Error as error:
            raise UnreadableFile(name, " ".join(str(error).split())) from error
        return parser

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Names that a regular expression matches whole, sorted."""
        compiled = re.compile(pattern)
        return tuple(sorted(name for name in self.names if compiled.fullmatch(name)))


class UnreadableFile(Exception):
    """A file that describes the project cannot be parsed; the project could not be installed either."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"{name} cannot be parsed: {detail}")
        self.name = name
