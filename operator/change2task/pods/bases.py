"""A base on hand in a pod: out of the layers of its image, nothing fetched and nothing built.

It exists because a pod has neither a network nor an engine; what a base is was settled when it was made, and lies
there. Passes are answered by whoever replays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from change2task.base.environment import PlacedEnvironment
from change2task.checks.passes import InfrastructureFault, PassOrder, PassRecord
from change2task.checks.reader import reader_for
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.wire import BaseParcel
from change2task.pods.answers import placed_in
from change2task.pods.places import Places
from change2task.vcs.mirror import mirror_path
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench


@dataclass(frozen=True)
class HeldBase:
    """A base as candidates see it, and the environment that its passes are laid in."""

    on_hand: BaseOnHand
    environment: PlacedEnvironment


class NoRunner:
    """Stands where passes are never run but replayed."""

    def run(self, order: PassOrder) -> PassRecord:
        """Nothing is run here: raises InfrastructureFault."""
        raise InfrastructureFault(f"{order.label}: no pass is run in this container")

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """Nothing is run here."""


def repository(url: str, places: Places) -> Workbench:
    """The mirror of the image, with a bench for new objects on the desk. Raises InfrastructureFault."""
    mirror = mirror_path(url, places.history)
    if not mirror.is_dir():
        raise InfrastructureFault(f"{mirror} is not in this image; it was made for another repository than {url}")
    return Workbench(Repository.open(mirror), places.desk / "bench")


def environment(key: str, places: Places) -> PlacedEnvironment:
    """An environment of the image. Raises InfrastructureFault."""
    return placed_in(places.environments, key)


def held_base(parcel: BaseParcel, places: Places) -> HeldBase:
    """The base of a parcel. Raises InfrastructureFault."""
    placed, inventory = environment(parcel.environment_key, places), parcel.inventory
    on_hand = BaseOnHand(
        name=parcel.name,
        url=parcel.url,
        key=parcel.key,
        commit=parcel.commit,
        tree=parcel.tree,
        environment_key=parcel.environment_key,
        inventory_digest=inventory.content_hash(),
        healthy=frozenset(inventory.healthy),
        other={identity: check.state for identity, check in inventory.other.items()},
        check_format=parcel.checks.format,
        scope=parcel.scope,
        repository=repository(parcel.url, places),
        runner=NoRunner(),
        modules=placed.modules(),
        build=reader_for(parcel.checks.format).build(parcel.checks.command),
    )
    return HeldBase(on_hand, placed)
