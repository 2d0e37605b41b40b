"""The files of which a task's two images are built: one for the agent, one for the verifier, on the same environment.

The steps are those that made the base, held to the packages that its lock names. The agent's image is set up on the
agent's tree, so that no healthy file is ever in a layer of it; the verifier's on the healthy tree, as the base was.
Everything is at the paths that states have where sandboxes choose them, except for temporary files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from change2task.base import dating, lock
from change2task.checks.plan import quote
from change2task.corpus.exports.roots import ATTRIBUTES, root_stream
from change2task.corpus.exports.task import ExportTask, File, Files, Leaf, NotExportable

UV: Final = "0.13.9"
"""The uv that sets images up; any that knows ``exclude-newer`` and hashed constraints would do."""
ROOT: Final = "/c2t"
AGENT: Final = "agent"
AGENT_ID: Final = 1000
BARE: Final = f"{ROOT}/healthy.git"
_START: Final = re.compile(r"(CPython|Go) (\d+\.\d+)(\.\d+)?")
_SETUP: Final = """\
# Lays the tree out, sets the environment up beside it, and leaves what setup left in the tree in {root}/leftovers.
set -eu
cd {root}
mkdir -p env home leftovers work tmp cache
git init -q work
git -C work symbolic-ref HEAD refs/heads/main
git -C work config core.logAllRefUpdates false
mkdir -p work/.git/info
printf '%s\\n' {attributes} >work/.git/info/attributes
git -C work fast-import --quiet <build/tree.fast-import
[ "$(git -C work rev-parse refs/heads/main)" = {commit} ] || {{ echo "the tree is not {commit}" >&2; exit 1; }}
git -C work reset -q --hard
rm -rf work/.git/ORIG_HEAD work/.git/hooks work/.git/logs work/.git/description
# Tools that ask git for a version find none, as when the base was made.
mv work/.git git
cd work
{steps}
cd {root}
find work -name __pycache__ -type d -prune -exec rm -rf {{}} +
export GIT_DIR={root}/git GIT_WORK_TREE={root}/work
git reset -q --hard
rm -f git/ORIG_HEAD
git ls-files --others -z | tar -C work --null -T - -cf - | tar -C leftovers -xf -
git ls-files --others | sed 's|^|/|' >>git/info/exclude
mv git work/.git
rm -rf cache build
"""
_PYTHON: Final = (
    "uv -q venv --allow-existing --no-project{seed} --python {minor} --python-preference only-system {root}/env"
)
_COMPILE: Final = (
    "{root}/env/bin/python -I -m compileall -q --invalidation-mode unchecked-hash {root}/env/lib >/dev/null || :"
)
_COLLECT: Final = """\
#!/bin/sh
# Leaves what the agent changed as /logs/artifacts/answer.patch, or, where git cannot tell, its words as answer.failed.
# Nothing that the agent left in its repository is run, and git has no more rights than the agent had.
set -C
out=/logs/artifacts
mkdir -p "$out" && rm -rf "$out/answer.patch" "$out/answer.failed"
as() {{ if [ "$(id -u)" = 0 ]; then setpriv --reuid={id} --regid={id} --clear-groups -- "$@"; else "$@"; fi; }}
git_() {{
    as env GIT_INDEX_FILE="$place/index" GIT_NO_REPLACE_OBJECTS=1 HOME="$place" \\
        git -C {root}/work -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=false "$@"
}}
place=$(as mktemp -d) || exit 1
if git_ read-tree {commit} && git_ add -A && git_ diff --cached --binary --full-index --no-renames --no-ext-diff \\
    --no-textconv {commit} >"$place.patch"; then
    mv "$place.patch" "$out/answer.patch"
else
    echo "git cannot tell what was changed; the repository in {root}/work was damaged" >"$out/answer.failed"
fi 2>"$place.words"
[ -f "$out/answer.failed" ] && cat "$place.words" >>"$out/answer.failed"
rm -rf "$place" "$place.patch" "$place.words"
exit 0
"""


def start_image(task: ExportTask, others: Mapping[str, str]) -> str:
    """The image that both images start from; ``others`` replace it by name. Raises NotExportable."""
    found = task.recipe.image or _usual(task)
    return others.get(found, found)


def _usual(task: ExportTask) -> str:
    built = task.base.status.environment
    told = _START.fullmatch((built and built.interpreter) or "")
    if told is None:
        return "docker.io/library/debian:bookworm-slim"
    if told[1] == "Go":
        return f"docker.io/library/golang:{told[2]}{told[3] or ''}-bookworm"
    return f"docker.io/library/python:{told[2]}-slim-bookworm"


def variables(task: ExportTask) -> dict[str, str]:
    """What commands in either image get, as states get it."""
    found = {"TZ": "UTC", "LANG": "C.UTF-8"}
    if task.recipe.toolchain == "python":
        found |= {"VIRTUAL_ENV": f"{ROOT}/env", "PYTHONDONTWRITEBYTECODE": "1", "UV_OFFLINE": "1",
                  "UV_PYTHON_DOWNLOADS": "never", "PATH": f"{ROOT}/env/bin:$PATH"}  # fmt: skip
    if task.recipe.toolchain == "go":
        found |= {"GOMODCACHE": f"{ROOT}/env/gomod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOENV": "off"}
    return {**found, **task.recipe.env}


def build_files(task: ExportTask, tree: Mapping[bytes, Leaf], commit: str, when: int) -> Files:
    """What a build stage is given: the tree, and how the environment is set up on it."""
    steps: list[str] = []
    if task.recipe.toolchain == "python":
        seed = " --seed" if any(re.search(r"\bpip\b", step) for step in _without_uv(task)) else ""
        steps.append(_PYTHON.format(seed=seed, minor=_minor(task), root=ROOT))
    steps += [f"sh -c {quote(step)} || exit $?" for step in task.recipe.setup]
    if task.recipe.toolchain == "python":
        steps.append(_COMPILE.format(root=ROOT))
    script = _SETUP.format(root=ROOT, attributes=quote(ATTRIBUTES), commit=commit, steps="\n".join(steps))
    files = {
        "build/setup.sh": File(script.encode()),
        "build/tree.fast-import": File(root_stream(tree, when)),
    }
    if task.lock is not None:
        files["build/lock.txt"] = File(task.lock.encode())
        files["build/pins.txt"] = File(lock.without_hashes(task.lock).encode())
    return files


def build_stages(task: ExportTask, image: str) -> str:
    """The first two stages of a Dockerfile: ``start`` with what both need of the distribution, and ``build``."""
    packages = " ".join(dict.fromkeys(("ca-certificates", "git", *task.recipe.system_packages)))
    inside: dict[str, str] = {"HOME": f"{ROOT}/home", "DEBIAN_FRONTEND": "noninteractive", **variables(task)}
    for name in ("UV_OFFLINE", "GOPROXY"):
        inside.pop(name, None)
    lines = [
        f"ARG BASE_IMAGE={image}",
        "FROM ${BASE_IMAGE} AS start",
        f"RUN apt-get update && apt-get install -y --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*",
        "",
        "FROM start AS build",
    ]
    if task.recipe.toolchain == "python":
        inside |= {"UV_LINK_MODE": "copy", "UV_NO_CONFIG": "1", "UV_NO_PROGRESS": "1",
                   "UV_PROJECT_ENVIRONMENT": f"{ROOT}/env", "UV_CACHE_DIR": f"{ROOT}/cache", "PIP_NO_INPUT": "1",
                   "PIP_DISABLE_PIP_VERSION_CHECK": "1"}  # fmt: skip
        built = task.base.status.environment
        # An index without dates has nothing under a date; then the lock alone holds packages.
        inside |= dating.variables(task.recipe.as_of) if built is not None and built.dated else {}
        if task.lock is not None:
            inside |= {"UV_CONSTRAINT": f"{ROOT}/build/lock.txt", "PIP_CONSTRAINT": f"{ROOT}/build/pins.txt"}
        lines.append(f"RUN python3 -m venv /opt/uv && /opt/uv/bin/pip install --no-cache-dir uv=={UV}")
        lines.append("RUN ln -s /opt/uv/bin/uv /usr/local/bin/uv")
    lines += [f"COPY build {ROOT}/build", environment(inside), f"RUN sh {ROOT}/build/setup.sh"]
    return "\n".join(lines) + "\n"


def environment(values: Mapping[str, str]) -> str:
    """An ``ENV`` instruction; only ``PATH`` refers to what was before. Raises NotExportable."""
    words = []
    for name, value in values.items():
        if "\n" in value or "\r" in value:
            raise NotExportable(f"the variable {name} has several lines, which no Dockerfile can set")
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        words.append(f'{name}="{text if name == "PATH" else text.replace("$", chr(92) + "$")}"')
    return "ENV " + " \\\n    ".join(words)


def agent_image(task: ExportTask, image: str, commit: str, when: int) -> Files:
    """``environment/``: the image an agent works in."""
    dockerfile = (
        f"# The environment of {task.id}: the agent's tree in one root commit, and the packages of the base's lock.\n"
        f"{build_stages(task, image)}\n"
        "FROM start\n"
        f"RUN groupadd -g {AGENT_ID} {AGENT} && useradd -m -u {AGENT_ID} -g {AGENT_ID} -s /bin/bash {AGENT}"
        f" && mkdir -p /opt/change2task && ln -s {ROOT}/work /testbed"
        # Harnesses run git as root, whose the tree is not.
        f" && git config --system --add safe.directory {ROOT}/work\n"
        f"COPY --from=build {ROOT}/env {ROOT}/env\n"
        f"COPY --from=build --chown={AGENT_ID}:{AGENT_ID} {ROOT}/work {ROOT}/work\n"
        "COPY collect.sh /opt/change2task/collect.sh\n"
        f"{environment(variables(task))}\n"
        f"WORKDIR {ROOT}/work\n"
    )
    collect = _COLLECT.format(root=ROOT, commit=commit, id=AGENT_ID)
    files = {"Dockerfile": File(dockerfile.encode()), "collect.sh": File(collect.encode(), executable=True)}
    return files | build_files(task, task.agent, commit, when)


def _minor(task: ExportTask) -> str:
    built = task.base.status.environment
    told = _START.fullmatch((built and built.interpreter) or "")
    if told is None:
        raise NotExportable("the base does not say which Python it has")
    return told[2]


def _without_uv(task: ExportTask) -> list[str]:
    return [step.replace("uv pip", "") for step in task.recipe.setup]


def as_json(document: object) -> bytes:
    """JSON for people: sorted, indented, one line end."""
    return (json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()
