"""A Harbor task directory: what is in it, what is not in what an agent gets, and that equal tasks give equal bytes."""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import replace

import pytest

from change2task.api.taskvariant import InterfaceName, Statement
from change2task.corpus.exports import program
from change2task.corpus.exports.environment import environment, start_image
from change2task.corpus.exports.harbor import harbor_task
from change2task.corpus.exports.statement import problem_statement
from change2task.corpus.exports.task import Images, NotExportable
from tests.support.exporting import HEALTHY, RIGHT, SECRET, task


def test_the_folder_has_what_harbor_reads() -> None:
    files = harbor_task(task(), {})
    for name in ("task.toml", "instruction.md", "environment/Dockerfile", "tests/Dockerfile", "tests/test.sh",
                 "solution/solve.sh"):  # fmt: skip
        assert name in files
    assert files["tests/test.sh"].executable
    assert files["solution/solve.sh"].executable
    assert files["solution/solution.patch"].content == RIGHT


def test_nothing_of_the_healthy_tree_or_the_hidden_checks_is_where_an_agent_is() -> None:
    files = harbor_task(task(), {})
    given = b"".join(f.content for name, f in files.items() if name.startswith(("environment/", "instruction.md")))
    assert b"the healthy way" not in given
    assert b"test_hidden" not in given
    healthy = files["tests/build/tree.fast-import"].content
    assert HEALTHY in healthy
    assert SECRET in healthy


def test_neither_words_nor_configuration_name_the_change_or_a_healthy_revision() -> None:
    one = task()
    files = harbor_task(one, {})
    spec = one.variant.spec
    for name in ("instruction.md", "task.toml", "environment/Dockerfile", "environment/build/setup.sh"):
        for told in (spec.source_change.commit, spec.base.commit, spec.checks.targets[0].id):
            assert told.encode() not in files[name].content


def test_the_verifier_is_apart_and_nothing_has_a_network() -> None:
    config = tomllib.loads(harbor_task(task(), {})["task.toml"].content.decode())
    assert config["verifier"]["environment_mode"] == "separate"
    for table in (config["agent"], config["environment"], config["verifier"], config["verifier"]["environment"]):
        assert table["network_mode"] == "no-network"
    assert config["agent"]["user"] == "agent"


def test_a_title_of_any_signs_is_a_title_still() -> None:
    title = 'A "\\ \x7f \u2028 \U0001f600 title\twith all'
    said = Statement(title=title, body="", provenance="intent")
    config = tomllib.loads(harbor_task(task(statement=said), {})["task.toml"].content.decode())
    assert config["task"]["description"] == title


def test_pushed_images_are_named_and_dockerfiles_stay() -> None:
    one = replace(task(), images=Images("reg/env@sha256:1", "reg/verifier@sha256:2"))
    files = harbor_task(one, {})
    config = tomllib.loads(files["task.toml"].content.decode())
    assert config["environment"]["docker_image"] == "reg/env@sha256:1"
    assert config["verifier"]["environment"]["docker_image"] == "reg/verifier@sha256:2"
    assert "environment/Dockerfile" in files


def test_a_start_image_is_the_manifest_s_the_usual_one_or_the_one_that_is_given() -> None:
    one = task()
    usual = "docker.io/library/python:3.13-slim-bookworm"
    assert start_image(one, {}) == usual
    assert start_image(one, {usual: "mine"}) == "mine"
    assert start_image(replace(one, recipe=one.recipe.replacing(image="python:3.9")), {}) == "python:3.9"


def test_variables_reach_the_image_as_they_are() -> None:
    assert environment({"A": 'b "c" \\ $d'}) == 'ENV A="b \\"c\\" \\\\ \\$d"'
    with pytest.raises(NotExportable, match="A has several lines"):
        environment({"A": "b\nc"})


def test_equal_tasks_give_equal_bytes() -> None:
    assert harbor_task(task(), {}) == harbor_task(task(), {})


def test_the_program_goes_along_without_rooms_that_grading_never_enters() -> None:
    names = zipfile.ZipFile(io.BytesIO(program.archive())).namelist()
    assert "change2task/pipeline/exported.py" in names
    assert "change2task/checks/harness/run.sh" in names
    assert not [name for name in names if name.split("/")[1] in {"cli", "operator", "pods", "cluster"}]
    pins = program.requirements().decode()
    assert "pydantic==" in pins
    assert "--hash=sha256:" in pins


def test_the_statement_has_goal_words_and_names() -> None:
    said = Statement(title="T", body="Words.\n", provenance="intent", interface=(InterfaceName(name="f", path="a.py"),))
    assert problem_statement(task(statement=said).variant) == (
        "# T\n\nFix it.\n\nWords.\n\nChecks use these names:\n\n- `f` in `a.py`\n"
    )


_BLOCKED = """
import re, sys
from importlib.metadata import packages_distributions

def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()

pins = {canonical(one) for one in sys.argv[1].split(",")}
known = {name for name, of in packages_distributions().items() if {canonical(one) for one in of} & pins}
known |= {*sys.stdlib_module_names, "change2task", "_distutils_hack"}
absent = {f"change2task.{room}" for room in ("cli", "operator", "pods", "cluster")}

class Blocker:
    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        if name in absent or not (first in known or first.startswith("_sysconfigdata")):
            raise ModuleNotFoundError(f"No module named {name!r} in a verifier", name=name)

sys.meta_path.insert(0, Blocker())
import change2task.pipeline.exported
print("imported")
"""


def test_what_goes_along_needs_nothing_but_what_its_lock_names() -> None:
    names = ",".join(line.partition("==")[0] for line in program.requirements().decode().splitlines() if "==" in line)
    done = subprocess.run([sys.executable, "-c", _BLOCKED, names], capture_output=True, text=True, check=False)
    assert done.stdout == "imported\n", done.stderr
