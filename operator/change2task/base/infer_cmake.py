"""How a C or C++ project with CMake is made ready: nothing is installed, and every state compiles it.

Libraries that it looks for on the system come from the image or ``systemPackages``; what it would fetch while it is
configured (FetchContent) cannot be had in a state, and the manifest must say how it comes into the environment.
"""

from __future__ import annotations

import re

from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles

FOLDER = "c2t-build"
_FETCHES = re.compile(r"FetchContent_(?:MakeAvailable|Populate)|ExternalProject_Add|CPMAddPackage", re.IGNORECASE)


def infer(files: ProjectFiles, test_seconds: int) -> InferredSetup | None:
    """Steps for the project at the root; None where there is no CMakeLists.txt.

    ``test_seconds`` is the longest time of one test, which ctest itself can hold it to.
    """
    text = files.text("CMakeLists.txt")
    if text is None:
        return None
    evidence = ["CMakeLists.txt at the root: a CMake project, compiled in every state"]
    texts = [text, *(files.text(name) or "" for name in files.matching(r"(?:[^/]+/){1,3}CMakeLists\.txt"))]
    if any(_FETCHES.search(one) for one in texts):
        evidence.append("it can fetch other projects while it is configured, for which states have no network")
    return InferredSetup(
        setup=(),
        rebuild=(
            f"cmake -S . -B {FOLDER} -DBUILD_TESTING=ON",
            f"cmake --build {FOLDER} --parallel 2",
        ),
        command=("ctest", "--test-dir", FOLDER, "--timeout", str(test_seconds), "--output-junit",
                 "{reports}/ctest.xml"),
        evidence=tuple(evidence),
        held="nothing is installed",
        note="as CMakeLists.txt says",
    )  # fmt: skip
