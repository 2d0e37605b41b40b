"""How a plain Go module is made ready for tests without a network.

It exists because Go needs no installation but a module cache and, to be quick, a build cache of what does not belong
to the project: the standard library and dependencies. The project's own packages are compiled in every state.
"""

from __future__ import annotations

import re

from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles

_FOREIGN = "{{if .Standard}}{{.ImportPath}}{{else if .Module}}{{if not .Module.Main}}{{.ImportPath}}{{end}}{{end}}"
_SEED = "${GOMODCACHE%/*}/gocache"


def infer(files: ProjectFiles) -> InferredSetup | None:
    """Steps for the module at the root; None where there is no go.mod.

    The steps find the environment's folder as the parent of ``GOMODCACHE``, and the build cache in ``GOCACHE``.
    """
    text = files.text("go.mod")
    if text is None:
        return None
    evidence = ["go.mod at the root: a Go module"]
    steps: list[str] = []
    vendored = "vendor/modules.txt" in files.names
    if vendored:
        evidence.append("vendor/ holds its dependencies")
    elif re.search(r"^\s*require\b", text, re.MULTILINE):
        steps.append("go mod download")
        evidence.append("dependencies are downloaded into the environment's module cache, held by go.sum")
    else:
        evidence.append("no dependencies")
    steps.append(
        f'packages="$(go list -deps -test -f \'{_FOREIGN}\' ./... | grep -v "^unsafe$" | grep -v " " | sort -u)"'
        # Without a package named, go would build the project itself.
        f' && mkdir -p "{_SEED}" && if [ -n "$packages" ]; then GOCACHE="{_SEED}" go build $packages; fi'
    )
    version = re.search(r"^go\s+(\d+\.\d+(?:\.\d+)?)\s*$", text, re.MULTILINE)
    return InferredSetup(
        setup=tuple(steps),
        rebuild=(f'mkdir -p "$GOCACHE" && cp -R "{_SEED}/." "$GOCACHE/"',),
        env={"GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false" + ("" if vendored else " -mod=mod")},
        go=version[1] if version else "",
        evidence=tuple(evidence),
        note="as the module says",
    )
