"""The Docker engine that tests use, and the image they start from.

An engine that cannot be reached is a loud skip on a person's machine and a failure in CI (``CI=true``), where
`hack.engine` starts one. ``CHANGE2TASK_TEST_IMAGE`` names another image; it must hold Python 3 and apt.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import docker
import pytest

from change2task.runtime.docker.engine import Engine
from change2task.runtime.errors import SandboxError
from hack.docker_image import ensure_image

IMAGES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "change2task" / "images"
PYTHON = "/usr/bin/python3"


@cache
def _lacking() -> str | None:
    try:
        Engine.connect()
    except SandboxError as error:
        return str(error)
    return None


def test_image() -> str:
    """The image that containers of tests start from; the test ends here where there is no engine."""
    lacking = _lacking()
    if lacking is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have a Docker engine, and {lacking}", pytrace=False)
        pytest.skip(lacking)
    return os.environ.get("CHANGE2TASK_TEST_IMAGE") or _made()


@cache
def _made() -> str:
    return ensure_image(docker.from_env(), IMAGES)


test_image.__test__ = False  # type: ignore[attr-defined]
