"""What is exported, read by the programs it is made for, from their own wheels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.consumers.conftest import Consumer, Corpus

pytestmark = [pytest.mark.consumers, pytest.mark.timeout(3600)]

_LOAD = """
import json, sys
from pathlib import Path
from harbor.models.task.task import Task
print(json.dumps([Task(Path(one)).config.verifier.environment_mode.value for one in sys.argv[1:]]))
"""
_PARSE = """
import json, sys
from pathlib import Path
from verifiers.v1.tasksets.harbor.taskset import HarborConfig, parse_task
found = [parse_task(Path(one), n, HarborConfig()) for n, one in enumerate(sys.argv[1:])]
print(json.dumps([[one.image, one.verifier_image, one.agent_user, one.network_allow, one.category] for one in found]))
"""
_GRADE = """
import json, sys
from swebench.harness.grading import get_eval_report
from swebench.harness.utils import make_test_spec
rows, logs = sys.argv[1:]
found = {}
for line in open(rows):
    row = json.loads(line)
    spec = make_test_spec(row)
    for kind in ("gold", "empty"):
        prediction = {"instance_id": spec.instance_id, "model_name_or_path": kind, "model_patch": row["patch"]}
        log = f"{logs}/{row['change2task']['task']}.{kind}"
        found[log] = get_eval_report(spec, prediction, log, True)[spec.instance_id]["resolved"]
print(json.dumps(found))
"""


def folders(out: Path) -> list[Path]:
    return sorted(path.parent for path in out.glob("*/task.toml"))


def test_harbor_loads_every_task_and_its_lint_finds_nothing(harbor: Consumer, exported: Callable[..., Path]) -> None:
    found = folders(exported("harbor"))
    assert found
    assert harbor.ask(_LOAD, *found) == ["separate"] * len(found)
    for one in found:
        assert json.loads(harbor.run("harbor", "lint", "--extend-select", "ALL", "--json", one)) == []


def test_verifiers_parse_every_task_whose_images_are_pushed(
    verifiers: Consumer, corpus: Corpus, exported: Callable[..., Path], tmp_path: Path
) -> None:
    digest = "@sha256:" + "0" * 64
    images = {name: {"environment": f"reg/e{digest}", "verifier": f"reg/v{digest}"} for name in corpus.tasks()}
    (tmp_path / "images.json").write_text(json.dumps(images))
    found = folders(exported("harbor", "--images", tmp_path / "images.json"))
    told = verifiers.ask(_PARSE, *found)
    assert isinstance(told, list)
    assert [one[:4] for one in told] == [[f"reg/e{digest}", f"reg/v{digest}", "agent", []]] * len(found)


def test_swebench_grades_the_solution_as_solved_and_an_empty_answer_as_not(
    swebench: Consumer, corpus: Corpus, exported: Callable[..., Path], tmp_path: Path
) -> None:
    rows = exported("swe-bench") / "swe-bench.jsonl"
    logs = tmp_path / "logs"
    logs.mkdir()
    names = [json.loads(line)["change2task"]["task"] for line in rows.read_text().splitlines()]
    for name in names:
        gold = corpus.run("show", name, "--part", "G", "--store", corpus.path)
        for kind, patch in (("gold", gold), ("empty", b"")):
            words = ("--store", corpus.path, *corpus.mirror, "--swe-bench-log", logs / f"{name}.{kind}")
            corpus.run("grade", name, "--patch", "-", *words, stdin=patch)
    expected = {str(logs / f"{name}.{kind}"): kind == "gold" for name in names for kind in ("gold", "empty")}
    assert swebench.ask(_GRADE, rows, logs) == expected
