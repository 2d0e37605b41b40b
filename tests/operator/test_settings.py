"""The operator's settings: read whole or refused with the field and the value."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.operator.settings import OperatorSettings, SettingsFault

TEXT = """
registry: {prefix: registry.example.com:5000/tasks, insecure: true}
images: {runner: registry.example.com:5000/tasks/runner:1, builder: registry.example.com:5000/tasks/builder:1}
mirrors:
  repositories: {"https://github.com/ada/toolbox": "http://git.example.com/toolbox.git"}
index: {url: "https://index.example.com/simple/"}
watchNamespaces: [team]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "operator.yaml"
    path.write_text(text)
    return path


def test_a_file_in_the_shape_that_the_chart_writes(tmp_path: Path) -> None:
    settings = OperatorSettings.read(written(tmp_path, TEXT))
    assert settings.registry.prefix == "registry.example.com:5000/tasks"
    assert settings.watch_namespaces == ("team",)
    assert settings.caps.cluster == 16


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT + "caps: {perBase: 0}\n", "caps.perBase: Input should be greater than or equal to 1, not '0'"),
        (TEXT + "worker: 3\n", "worker: Extra inputs are not permitted"),
        ("images: {runner: x, builder: y}\n", "registry: Field required"),
        ("[1, 2", "cannot be read"),
        (TEXT + "build: {builder: kaniko}\n", "build.builder: Input should be 'dind', 'podman' or 'external'"),
        (TEXT + "build: {builder: external}\n", "external says where the engine is"),
        (TEXT + "build: {external: {host: 'tcp://e:1', secret: s, claim: c}}\n", "external says where the engine is"),
        (TEXT + "build: {builder: podman}\n", "needs images.podman"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsFault, match=r"operator\.yaml") as refused:
        OperatorSettings.read(written(tmp_path, text))
    assert said in str(refused.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsFault, match="cannot be read"):
        OperatorSettings.read(tmp_path / "none.yaml")


def test_what_builds_reach_must_be_closed_for_tasks(tmp_path: Path) -> None:
    assert OperatorSettings.read(written(tmp_path, TEXT)).closed() == (
        "git.example.com:80",
        "index.example.com:443",
        "registry.example.com:5000",
    )


def test_an_engine_outside_must_be_closed_for_tasks_too(tmp_path: Path) -> None:
    engine = "build: {builder: external, external: {host: 'tcp://engine.example.com:2376', secret: s, claim: c}}\n"
    settings = OperatorSettings.read(written(tmp_path, TEXT + engine))
    assert "engine.example.com:2376" in settings.closed()
    assert settings.engine_image == ""
