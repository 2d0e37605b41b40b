"""The first container of a step: finds out which passes are needed and lays them, each into the volume of its slot.

It runs before anything of the repository does, without a network. What it writes for the judge alone (which pass
lies in which slot, under which nonce) is on the desk, a volume that no slot mounts.
"""

from __future__ import annotations

import math
import secrets
import shutil
from importlib import resources
from pathlib import Path

import structlog

from change2task.api.model import Model
from change2task.checks.laying import CheckCommand, lay, plan_order, variables
from change2task.checks.passes import InfrastructureFault, PassOrder
from change2task.checks.plan import quote
from change2task.pods.places import SECONDS, SLOT, SLOT_FOLDERS, START, Places
from change2task.pods.replay import Needed, Needs, read_input, replay
from change2task.runtime.models import Layout

log = structlog.get_logger(__name__)

_HARNESS_SECONDS = 30
"""What the harness may need beyond the suite's own limit before its slot ends it; as on one machine."""


class LaidPass(Model):
    """A pass in a slot, and the nonce that its results must bear."""

    slot: int
    order: PassOrder
    nonce: str


class Laid(Model):
    """What lies on the desk: every pass that was laid, and the checks they run."""

    checks: CheckCommand | None = None
    passes: tuple[LaidPass, ...] = ()


def prepare(places: Places, slots: int) -> Laid:
    """Lay as many of the needed passes as there are slots. Raises InfrastructureFault."""
    found = replay(*read_input(places), places)
    needed = found.passes if isinstance(found, Needs) else None
    _give_tools(places)
    laid: list[LaidPass] = []
    for number in range(slots):
        _make_folders(places.slot(number))
        if needed is not None and number < len(needed.orders):
            laid.append(_lay(needed, number, places))
    desk = Laid(checks=None if needed is None else needed.checks, passes=tuple(laid))
    _write(places.desk / "laid.json", desk.canonical())
    log.info("laid", passes=len(laid), slots=slots, needed=0 if needed is None else len(needed.orders))
    return desk


def _give_tools(places: Places) -> None:
    """A shell that needs nothing of the image, for the moment before the image's own programs run."""
    places.tools.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(places.busybox, places.tools / "busybox")
    (places.tools / "busybox").chmod(0o755)
    (places.tools / SLOT).write_text(slot_script())


def slot_script() -> str:
    """What is process 1 of every slot."""
    return resources.files("change2task.pods").joinpath(SLOT).read_text("utf-8")


def _make_folders(slot: Path) -> None:
    for name in SLOT_FOLDERS:
        (slot / name).mkdir(parents=True, exist_ok=True)


def _lay(needed: Needed, number: int, places: Places) -> LaidPass:
    order, nonce, layout, slot = needed.orders[number], secrets.token_hex(8), Layout.fixed(), places.slot(number)
    runtime = needed.environment.runtime()
    plan = plan_order(order, needed.checks, nonce)
    try:
        lay(order, plan, needed.repository, runtime, slot / "work", slot / "plan")
        _write(slot / "plan" / START, _start(variables(plan, runtime, layout), layout).encode())
        seconds = math.ceil(plan.total_timeout_seconds) + _HARNESS_SECONDS
        _write(slot / "plan" / SECONDS, f"{seconds}\n".encode())
    except OSError as error:
        raise InfrastructureFault(f"{order.label} cannot be laid: {error}") from error
    return LaidPass(slot=number, order=order, nonce=nonce)


def _start(environment: dict[str, str], layout: Layout) -> str:
    """A script that becomes the harness, with this environment alone and the arguments that it is given."""
    words = " ".join(quote(f"{name}={value}") for name, value in sorted(environment.items()))
    become, run = f"exec /c2t/tools/busybox env -i {words}", f'{quote(f"{layout.plan}/run.sh")} "$@"'
    return (
        f"cd {quote(layout.work)} || exit 70\n"
        f"[ -x /bin/sh ] && {become} /bin/sh {run}\n"
        f"{become} /c2t/tools/busybox sh {run}\n"
    )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
