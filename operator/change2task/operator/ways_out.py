"""What a person can do about each failure, by what failed: sentences that can be followed as they stand.

Specs are immutable, so what stands in a base's can only be had otherwise by a new ModernBase. Where a person has mended
something else, the operator goes on when it is asked to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from change2task.api.mining import MINE_ANNOTATION
from change2task.api.reasons import Reason
from change2task.pipeline.keys import RETRY_ANNOTATION

RETRY = f"then set the annotation {RETRY_ANNOTATION} to another word"


class WayOut(NamedTuple):
    """What to do. ``anew``: it is done with another resource, so that this one need not be tried again."""

    do: str
    anew: bool = False

    def words(self, *, again: bool) -> str:
        """The sentence; ``again``: nothing more happens by itself."""
        return f"{self.do}; {RETRY}" if again and not self.anew else self.do


BASE_FAILED = (
    "where the spec is at fault, make a new ModernBase, and new TaskCandidates on it; where something else was, mend it"
    f" and {RETRY}"
)
"""Of a base that cannot serve: on one machine a manifest is edited and run again, here it is immutable."""
WaysOut = Mapping[Reason, WayOut]

_OTHERS = "and new TaskCandidates on it"
EVERYWHERE: WaysOut = {
    Reason.FOREIGN_OBJECT: WayOut("remove that object, or make it again under another name"),
    Reason.EVICTED: WayOut("see that the nodes have memory and disk to spare"),
    Reason.PREEMPTED: WayOut("make room for its pods, or a new ModernBase with a higher podTemplate.priorityClassName"),
    Reason.NODE_LOST: WayOut("look at the nodes"),
    Reason.START_FAILED: WayOut("look at the events of the pod"),
    Reason.RESULT_LOST: WayOut("look at the pod's containers, and at who deletes Jobs and pods in its namespace"),
}
STEP: WaysOut = {
    **EVERYWHERE,
    Reason.IMAGE_PULL_FAILED: WayOut(
        "let the nodes pull from the operator's registry, by pull secrets of the namespace's service account, or of the"
        " podTemplate of a new ModernBase"
    ),
    Reason.UNSCHEDULABLE: WayOut("add or free nodes, or make a new ModernBase with less in podTemplate.resources"),
    Reason.QUOTA_EXCEEDED: WayOut("raise the namespace's quota, or lower the operator's caps"),
    Reason.ADMISSION_REFUSED: WayOut(
        "let the namespace take pods of Pod Security level restricted made by the operator; where podTemplate is what"
        f" is refused, make a new ModernBase with another, {_OTHERS}"
    ),
    Reason.OUT_OF_MEMORY: WayOut(
        f"make a new ModernBase with more memory in podTemplate.resources.limits, {_OTHERS}", anew=True
    ),
    Reason.DEADLINE_EXCEEDED: WayOut(
        "see what made images or nodes slow; a new ModernBase with higher checks.timeoutSeconds gives its Jobs more"
    ),
    Reason.NOT_ISOLATED: WayOut(
        "install a network plug-in that enforces policies, or set allowUnisolated of the operator and accept the risk"
    ),
    Reason.INFRASTRUCTURE: WayOut("look at the pod's containers, and at the registry"),
}
FETCH: WaysOut = {
    **STEP,
    Reason.CREDENTIALS_REFUSED: WayOut("mend the Secret, or the ConfigMap of authorities"),
    Reason.INFRASTRUCTURE: WayOut(
        "look at what the network lets through; where spec.repository.url is wrong, make a new ModernBase with another"
    ),
    Reason.OUT_OF_MEMORY: WayOut(
        "the history is too large for this fetch; a new ModernBase with spec.history.depth fetches less of it",
        anew=True,
    ),
    Reason.EVICTED: WayOut(
        "the history may be too large for the node's disk; a new ModernBase with spec.history.depth fetches less of it"
    ),
    Reason.DEADLINE_EXCEEDED: WayOut(
        "see what makes the network slow; a new ModernBase with spec.history.depth fetches less"
    ),
}
REPLAY: WaysOut = {
    **STEP,
    Reason.RESULT_LOST: WayOut("look at the pod's containers, and ask for another replay"),
    Reason.OUT_OF_MEMORY: WayOut("free memory of the nodes, and ask for another replay", anew=True),
}
_MINE_AGAIN = f"then set the annotation {MINE_ANNOTATION} of the base to another word"
MINING: WaysOut = {
    reason: WayOut(f"{way.do}; {_MINE_AGAIN}", anew=True)
    for reason, way in {
        **STEP,
        Reason.OUT_OF_MEMORY: WayOut("free memory of the nodes"),
        Reason.DEADLINE_EXCEEDED: WayOut("see what made images or nodes slow, or say a later spec.mining.since"),
        Reason.ADMISSION_REFUSED: WayOut("let the namespace take the pods and TaskCandidates that the operator makes"),
    }.items()
}
BUILD: WaysOut = {
    **EVERYWHERE,
    Reason.CREDENTIALS_REFUSED: WayOut("mend what it names in the builds' namespace"),
    Reason.INFRASTRUCTURE: WayOut("look at the log of the build"),
    Reason.UNSCHEDULABLE: WayOut(
        "add a node that takes privileged pods of the builds' namespace; with an external engine, see that its claim is"
        " bound"
    ),
    Reason.QUOTA_EXCEEDED: WayOut("raise the quota of the builds' namespace"),
    Reason.ADMISSION_REFUSED: WayOut("let the builds' namespace take privileged pods (Pod Security level privileged)"),
    Reason.IMAGE_PULL_FAILED: WayOut(
        "check the operator's images.builder (images.podman), and the pull secrets of the service account of the"
        " builds' namespace"
    ),
    Reason.OUT_OF_MEMORY: WayOut(
        "setup takes more memory than builds may; make a new ModernBase that installs less in spec.environment.setup",
        anew=True,
    ),
    Reason.DEADLINE_EXCEEDED: WayOut(
        "see what makes the network slow; a new ModernBase can install less in spec.environment.setup"
    ),
}
