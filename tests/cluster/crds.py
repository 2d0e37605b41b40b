"""The definitions as they are installed, by the plural of their kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FILES = sorted((Path(__file__).resolve().parents[2] / "crds").glob("*.yaml"))
DEFINITIONS = {made["spec"]["names"]["plural"]: made for made in (yaml.safe_load(f.read_text("utf-8")) for f in FILES)}


def spec_schema(plural: str) -> dict[str, Any]:
    schema: dict[str, Any] = DEFINITIONS[plural]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    spec: dict[str, Any] = schema["properties"]["spec"]
    return spec
