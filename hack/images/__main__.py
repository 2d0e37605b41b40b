"""``python -m hack.images [--base IMAGE] [--registry PREFIX]``: what ``make images`` runs.

Prints each image with its digest; the same, for installing, goes to ``images.json`` in the cache folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from hack.images.application import version
from hack.images.grounds import debian_grounds
from hack.images.own_base import grounds_on
from hack.images.push import push
from hack.images.recipes import LABEL, RECIPES, build
from hack.kind.cluster import alone, running
from hack.kind.commands import ClusterError, say
from hack.kind.engine import running_engine
from hack.kind.settings import Settings


def main() -> int:
    """Build, push where there is a registry, tell."""
    words = argparse.ArgumentParser(prog="python -m hack.images", description=__doc__)
    words.add_argument("--base", default="", help="an image to stand on; default: a Debian made here")
    words.add_argument("--registry", default="", help="where to push; default: the test cluster's, if it is up")
    told = words.parse_args()
    settings, start = Settings.from_environment(), time.monotonic()
    try:
        with alone(settings):
            references = make(settings, told.base, told.registry)
    except ClusterError as error:
        say(f"error: {error}")
        return 1
    for name, reference in references.items():
        print(f"{name:10} {reference}")
    say(f"  {time.monotonic() - start:.1f} s")
    return 0


def make(settings: Settings, base: str = "", registry: str = "") -> dict[str, str]:
    """Build all images; push them to ``registry``, else to the running test cluster's. Returns name to reference.

    Without a registry a reference is the image's own digest. On a base of the user's there is no ``python``, which is
    for the test cluster alone.
    """
    cluster = None if registry else running(settings)
    engine = running_engine(settings) if base or registry or cluster else None
    if engine is None and (base or registry):
        raise ClusterError("a base is pulled, and a registry pushed to, by a container engine, and none answers")
    grounds = grounds_on(settings, engine, base) if engine and base else debian_grounds(settings)
    references = {}
    for name, recipe in RECIPES.items():
        if recipe.ground in grounds:
            path = f"change2task/{name}:{version()}" if recipe.ours else "python:3.11"
            built = build(settings, name, grounds[recipe.ground], f"c2t.test/{path}")
            references[name] = built.image.identity
            if engine and (registry or cluster):
                digest = push(engine, built.image, f"{registry or settings.registry_on_host}/{path}")
                references[name] = f"{registry or settings.registry_name}/{path.rpartition(':')[0]}@{digest}"
    if engine and (registry or cluster):
        # Of every change of the code the engine would keep the images before it.
        engine.docker("image", "prune", "--force", "--filter", f"label={LABEL}")
        (settings.cache / "images" / "images.json").write_text(json.dumps(references, indent=1) + "\n")
    return references


if __name__ == "__main__":
    sys.exit(main())
