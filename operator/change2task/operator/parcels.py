"""What is needed of a ready base, out of the registry: believed only where it is the one that its status belongs to."""

from __future__ import annotations

from change2task.api.modernbase import ModernBase
from change2task.operator.world import Keeper
from change2task.pipeline.wire import BaseParcel


class BaseDoubted(Exception):
    """A base says that it is ready and what its status names is not what belongs to it."""


def parcel_of(registry: Keeper, base: ModernBase) -> BaseParcel:
    """A ready base's parcel. Raises BaseDoubted where its status was not written by us as it is, RegistryFault."""
    told = base.status
    way_out = "delete it and apply it again; what was built of it is found again"
    if told.parcel is None or told.inventory is None:
        raise BaseDoubted(f"its status says ready and names no parcel; {way_out}")
    try:
        parcel = BaseParcel.model_validate_json(registry.read_document(told.parcel))
    except ValueError as error:
        raise BaseDoubted(f"its status names {told.parcel}, which is no parcel of a base; {way_out}") from error
    if (parcel.key, parcel.inventory.content_hash()) != (told.base_key, told.inventory.digest):
        raise BaseDoubted(f"its status names {told.parcel}, which is another base's parcel; {way_out}")
    return parcel
