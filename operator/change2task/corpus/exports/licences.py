"""Which licences a repository states at its root, by the words that each of them is known by. Pure.

It exists so that a dataset's card says under what its code may be passed on. A licence that is not recognised is told
as just that: who passes it on has to read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from change2task.corpus.exports.task import Leaf
from change2task.patch.paths import quote
from change2task.vcs.trees import EXECUTABLE, FILE

_NAME: Final = re.compile(rb"(?i)(licen[cs]e|copying|unlicense)([-._][a-z0-9.+-]*)?")
_KNOWN: Final = (
    ("AGPL-3.0", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0", ("gnu lesser general public license", "version 3")),
    ("LGPL-2.1", ("gnu lesser general public license", "version 2.1")),
    ("GPL-3.0", ("gnu general public license", "version 3")),
    ("GPL-2.0", ("gnu general public license", "version 2")),
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("MPL-2.0", ("mozilla public license", "2.0")),
    ("MIT", ("permission is hereby granted, free of charge", "the above copyright notice and this permission notice")),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software for any purpose",)),
    ("BSD-3-Clause", ("redistributions of source code must retain", "may be used to endorse or promote")),
    ("BSD-2-Clause", ("redistributions of source code must retain",)),
    ("Unlicense", ("this is free and unencumbered software released into the public domain",)),
)


def licences(tree: Mapping[bytes, Leaf]) -> dict[str, str]:
    """Quoted path to SPDX id of each licence file at the root; an empty text where it was not recognised."""
    return {
        quote(path): _recognised(leaf.content)
        for path, leaf in sorted(tree.items())
        if leaf.mode in {FILE, EXECUTABLE} and _NAME.fullmatch(path)
    }


def _recognised(content: bytes) -> str:
    words = " ".join(content.decode(errors="replace").lower().split())
    return next((name for name, phrases in _KNOWN if all(phrase in words for phrase in phrases)), "")
