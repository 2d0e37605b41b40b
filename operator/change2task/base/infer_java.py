"""How a Maven project is made ready for tests without a network.

What a build needs is only known by building: plugins choose further ones (surefire its provider) when they run. So
the tests are run once while the network is there, whatever comes of them, and what was compiled is removed.
"""

from __future__ import annotations

from change2task.base.inferred import InferredSetup
from change2task.base.project import ProjectFiles

_LEARN = "mvn -B -q -Dmaven.test.failure.ignore=true -DtrimStackTrace=true test"
_FORGET = "find . -name target -type d -prune -exec rm -rf {} +"


def infer(files: ProjectFiles) -> InferredSetup | None:
    """Steps for the project at the root; None where there is no pom.xml."""
    if "pom.xml" not in files.names:
        return None
    return InferredSetup(
        setup=(_LEARN, _FORGET),
        command=("mvn", "-B", "-o", "-fae", "test"),
        evidence=(
            "pom.xml at the root: a Maven project",
            "its tests are run once in setup, so that everything they need is in the local repository",
        ),
        held="versions are those that the POM names",
        note="as the POM says",
    )
