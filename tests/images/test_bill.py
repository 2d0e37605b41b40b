"""The bill of materials lists what is there, and is the same for the same content."""

from __future__ import annotations

import json
from pathlib import Path

from cyclonedx.model.bom import Bom
from packageurl import PackageURL

from hack.images.bill import bill
from hack.images.grounds import distribution, packages
from hack.images.wheels import Wheel
from hack.layers import Layer
from tests.images.support import a_ground

WHEELS = (Wheel("pydantic-core", "2.50.5", "pydantic_core-2.50.5-cp311-cp311-manylinux2014_x86_64.whl", "ab" * 32),)
LAYERS = (Layer(Path("ground.tar"), "1" * 64), Layer(Path("application.tar"), "2" * 64))


def a_bill(*, wheels: tuple[Wheel, ...] = WHEELS, layers: tuple[Layer, ...] = LAYERS) -> bytes:
    return bill("runner", "0.1.0", a_ground(), wheels, layers)


def addresses(document: bytes) -> dict[str, PackageURL]:
    return {one["name"]: PackageURL.from_string(one["purl"]) for one in json.loads(document)["components"]}


def test_it_lists_packages_wheels_and_the_program_with_their_versions() -> None:
    found = addresses(a_bill())

    assert {(one.type, name, one.version) for name, one in found.items()} == {
        ("deb", "git", "1:2.39.5-0+deb12u3"),
        ("deb", "ca-certificates", "20230311"),
        ("pypi", "pydantic-core", "2.50.5"),
        ("pypi", "change2task", "0.1.0"),
    }
    assert found["git"].qualifiers == {"arch": "amd64", "distro": "debian-12"}
    assert found["git"].namespace == "debian"


def test_a_wheel_is_named_by_file_and_hash() -> None:
    listed = next(one for one in json.loads(a_bill())["components"] if one["name"] == "pydantic-core")

    assert listed["hashes"] == [{"alg": "SHA-256", "content": WHEELS[0].sha256}]
    assert addresses(a_bill())["pydantic-core"].qualifiers == {"file_name": WHEELS[0].file}


def test_an_image_without_the_program_does_not_list_it() -> None:
    assert set(addresses(a_bill(wheels=()))) == {"git", "ca-certificates"}


def test_it_names_the_layers_that_it_speaks_of() -> None:
    told = {one["name"]: one["value"] for one in json.loads(a_bill())["metadata"]["component"]["properties"]}

    assert told == {
        "change2task:base": "debian:bookworm",
        "change2task:layer:0": f"sha256:{'1' * 64}",
        "change2task:layer:1": f"sha256:{'2' * 64}",
    }


def test_the_same_content_gives_the_same_bytes_and_another_one_another_number() -> None:
    other = a_bill(layers=LAYERS[:1])

    assert a_bill() == a_bill()
    assert json.loads(a_bill())["serialNumber"] != json.loads(other)["serialNumber"]


def test_it_is_cyclonedx() -> None:
    read = Bom.from_json(json.loads(a_bill()))  # type: ignore[attr-defined]

    assert len(read.components) == 4
    assert read.validate()


def test_packages_are_read_as_dpkg_lists_them() -> None:
    found = packages("zlib1g 1:1.2.13 amd64\nadduser 3.134 all\n")

    assert [(one.name, one.version, one.architecture) for one in found] == [
        ("adduser", "3.134", "all"),
        ("zlib1g", "1:1.2.13", "amd64"),
    ]


def test_a_distribution_without_a_version_is_named_all_the_same() -> None:
    assert distribution('PRETTY_NAME="Debian"\nID=debian\nVERSION_ID="12"\n') == "debian-12"
    assert distribution("ID=debian\n") == "debian"
