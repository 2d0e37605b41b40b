"""The bill of materials of an image, as CycloneDX: every package of the distribution, every wheel, and the program.

It is the same for the same content: its number is made of what it lists, and its time is that of all files in layers.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from hack.images.grounds import Ground, Package
from hack.images.wheels import Wheel
from hack.layers import MOMENT, Layer

PLACE = "usr/share/change2task/sbom.json"


def bill(name: str, version: str, ground: Ground, wheels: Iterable[Wheel], layers: Iterable[Layer]) -> bytes:
    """The document for an image of this name; ``layers`` are all it has but the one that will hold the document."""
    digests = [layer.digest for layer in layers]
    wheels = tuple(wheels)
    properties = [
        Property(name=f"change2task:layer:{place}", value=f"sha256:{one}") for place, one in enumerate(digests)
    ]
    image = Component(
        name=name,
        version=version,
        type=ComponentType.CONTAINER,
        bom_ref="image",
        properties=[Property(name="change2task:base", value=ground.base), *properties],
    )
    components = [_debian(package, ground) for package in ground.packages] + [_wheel(wheel) for wheel in wheels]
    if wheels:
        components.append(_program(version))
    document = Bom(
        metadata=BomMetaData(component=image, timestamp=datetime.fromtimestamp(MOMENT, UTC)),
        components=components,
        serial_number=uuid5(NAMESPACE_URL, repr((name, version, ground.base, ground.packages, wheels, digests))),
    )
    document.register_dependency(image, components)
    return JsonV1Dot6(document).output_as_string(indent=1).encode() + b"\n"


def _debian(package: Package, ground: Ground) -> Component:
    distribution = ground.distribution
    address = PackageURL(
        type="deb",
        namespace=distribution.partition("-")[0],
        name=package.name,
        version=package.version,
        qualifiers={"arch": package.architecture, "distro": distribution},
    )
    return Component(name=package.name, version=package.version, purl=address, bom_ref=str(address))


def _wheel(wheel: Wheel) -> Component:
    address = PackageURL(type="pypi", name=wheel.name, version=wheel.version, qualifiers={"file_name": wheel.file})
    digest = HashType(alg=HashAlgorithm.SHA_256, content=wheel.sha256)
    return Component(name=wheel.name, version=wheel.version, purl=address, bom_ref=str(address), hashes=[digest])


def _program(version: str) -> Component:
    address = PackageURL(type="pypi", name="change2task", version=version)
    return Component(
        name="change2task", version=version, type=ComponentType.APPLICATION, purl=address, bom_ref=str(address)
    )
