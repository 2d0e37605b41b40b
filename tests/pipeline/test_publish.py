"""A task as it is published: named by all that makes it one, with its checks as graders and agents need them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from change2task.api.fidelity import ChangeProfile, Fidelity
from change2task.api.modernbase import Scope
from change2task.api.patches import INLINE_LIMIT
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import CheckSpec, Family, Script, StaticOracle
from change2task.api.taskvariant import OutputContract, Statement, TaskVariant, variant_name
from change2task.checks import mapping
from change2task.checks.naming import naming
from change2task.construct.models import Proposal
from change2task.construct.patches import derive
from change2task.families.contract import FamilyContract, Oracle
from change2task.history.models import Evidence, MergedChange, Signals
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.publish import MOST_INLINE, counts_of, published_files, published_patches, variant_of
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.qualification import Qualification
from change2task.validate.verdict import passed, refused
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.support.repos import Content, RepoBuilder
from tests.support.runners import NoRuns
from tests.support.variants import variant

HEALTHY: dict[str, Content] = {"app.py": "X = 1\n", "data.txt": "1\n", "tests/test_app.py": "A\nB\n", "gone.py": "G\n"}
TASK: dict[str, Content] = {"app.py": "X = 2\n"}
AGENT: dict[str, Content] = {**TASK, "tests/test_app.py": "A\n"}
PROFILE = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=1)
FIDELITY = Fidelity(
    files=1, hunks=1, lines=1, symbols=1, target_checks=1, regression_checks=1, score=1, line_ratio=1,
    regression_ratio=1, source=PROFILE, modern=PROFILE,
)  # fmt: skip
STATEMENT = Statement(title="Fix it", body="", provenance="title")
EXPLOIT = CheckSpec(
    id="exploit",
    kind="script",
    script=Script(
        command=("sh", "x"), files={"x": "exit 1\n", "edge": "e" * MOST_INLINE, "big": "é" * (MOST_INLINE // 2 + 1)}
    ),
)
API = CheckSpec(id="api", kind="static", role="regression", static=StaticOracle(gone=("six",)))


@dataclass(frozen=True)
class Won:
    """All that an accepted proposal is published from."""

    base: BaseOnHand
    evidence: Evidence
    contract: FamilyContract
    case: Case
    proposal: Proposal
    qualification: Qualification
    regression_digest: str = "1" * 64
    source_patch: str = "2" * 64

    def published(self) -> TaskVariant:
        return variant_of(**{name: getattr(self, name) for name in self.__dataclass_fields__})

    def qualified(self, **other: Any) -> Won:
        return replace(self, qualification=replace(self.qualification, **other))


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Won]:
    tmp_path = tmp_path_factory.mktemp("won")
    repo = RepoBuilder(tmp_path / "repo", branch="healthy")
    healthy = repo.commit(HEALTHY)
    trees = [repo.tree()]
    for branch, files in (("task", TASK), ("agent", AGENT)):
        repo.switch(branch, at=healthy)
        repo.commit(files)
        trees.append(repo.tree())
    with Repository.open(repo.path) as upstream:
        yield _won(Workbench(upstream, tmp_path / "bench"), healthy, trees)


def _won(repository: Repository, commit: str, trees: list[str]) -> Won:
    base = BaseOnHand(
        name="base", url="https://example.org/app", key="k", commit=commit, tree=trees[0], environment_key="e",
        inventory_digest="i", healthy=frozenset(), other={}, check_format="pytest", scope=Scope(),
        repository=repository, runner=NoRuns(),
    )  # fmt: skip
    change = MergedChange(
        commit="a" * 40, parent="b" * 40, kind="commit", proof="given", title="Fix it", commits=("a" * 40,)
    )
    case = Case(
        healthy_tree=trees[0], before_tree=trees[1], after_tree=trees[0], permitted=frozenset({"app.py"}), roles={},
        tests=mapping.TestMap(mapped=(), lost=()), healthy=frozenset(), naming=naming("pytest"), demand=Demand.ALL,
        source_profile=PROFILE, historical_regression=frozenset(), introduced=frozenset(), test_paths={},
        statement=STATEMENT, beside=(EXPLOIT, API),
    )  # fmt: skip
    return Won(
        base=base,
        evidence=Evidence(
            change=change, head=commit, files=(), statement=STATEMENT, profile=PROFILE, patch_digest="0" * 64,
            signals=Signals(advisories=("CVE-2024-1",)),
        ),
        contract=FamilyContract(
            family=Family.SECURITY_REPAIR,
            goal="Repair it.",
            output=OutputContract(output="patch", permitted=("*.py",), protected=("tests/**",)),
            oracle=Oracle(grading="checks", behaviour_must_fail=True),
        ),
        case=case,
        proposal=Proposal(strategy="exact-reversal", level=1, tree=trees[1]),
        qualification=Qualification(
            gates=[passed("fidelity", Reason.ACCEPTED, "all is well")],
            fidelity=FIDELITY,
            patches=derive(repository, *trees),
            statement=STATEMENT,
            targets=("tests/test_app.py::test_b", "exploit"),
            observers=("tests/test_app.py::test_c",),
            regression=("tests/test_app.py::test_a", "tests/test_app.py::test_d"),
            hidden_regression=("tests/test_app.py::test_b[2]",),
            hidden_files={"tests/test_app.py": "cut", "never/there.py": "cut"},
        ),
    )  # fmt: skip


def test_a_field_that_says_nothing_changes_no_name_of_a_task_and_one_that_does_says_so() -> None:
    spec = variant().spec
    before = spec.document()
    for field in ("traces", "tracesLeft", "labels", "shared"):
        assert not before.pop(field)
    del before["checks"]["hiddenRegression"], before["statement"]["codeCut"]
    canonical = json.dumps(before, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert variant_name(spec) == f"tv-{hashlib.sha256(canonical).hexdigest()[:16]}"
    for said in ({"traces": {"NEWS.md": "removed"}}, {"traces_left": {"*": "needed"}}, {"labels": ("exact-value",)}):
        assert variant_name(spec.replacing(**said)) != variant_name(spec)


class TestNames:
    """A task's name is the hash of what it is."""

    def test_the_same_task_has_the_same_name_whoever_publishes_it(self, won: Won) -> None:
        assert won.published() == won.published()
        assert won.published().metadata.name == variant_name(won.published().spec)

    @pytest.mark.parametrize(
        ("part", "other"),
        [
            ("base", {"key": "other"}),
            ("base", {"environment_key": "other"}),
            ("contract", {"goal": "Repair it well."}),
            ("contract", {"output": OutputContract(output="patch", permitted=("**",), protected=())}),
            ("proposal", {"strategy": "three-way"}),
            ("qualification", {"targets": ("exploit",)}),
            ("qualification", {"observers": ()}),
            ("qualification", {"regression": ()}),
            ("qualification", {"hidden_files": {}}),
            ("qualification", {"statement": STATEMENT.replacing(body="More.")}),
            ("case", {"beside": (EXPLOIT.replacing(script=EXPLOIT.script.replacing(command=("sh", "y"))), API)}),
        ],
    )
    def test_another_task_has_another_name(self, won: Won, part: str, other: dict[str, Any]) -> None:
        was = getattr(won, part)
        changed = was.replacing(**other) if hasattr(was, "replacing") else replace(was, **other)
        assert replace(won, **{part: changed}).published().metadata.name != won.published().metadata.name

    @pytest.mark.parametrize("name", ["regression_digest", "source_patch"])
    def test_what_lies_in_the_store_enters_by_its_digest(self, won: Won, name: str) -> None:
        assert replace(won, **{name: "3" * 64}).published().metadata.name != won.published().metadata.name

    @pytest.mark.parametrize(
        "other",
        [{"runs": {"seconds": 3}}, {"roles": ()}, {"gates": [passed("fidelity", Reason.ACCEPTED, "in other words")]}],
        ids=["runs", "roles", "words"],
    )
    def test_how_it_was_found_out_is_no_part_of_it(self, won: Won, other: dict[str, Any]) -> None:
        assert won.qualified(**other).published() == won.published()

    @pytest.mark.parametrize(
        "other",
        [
            {"gates": [refused("fidelity", Reason.FIDELITY_TOO_LOW, "low")]},
            {"gates": []},
            {"patches": None},
            {"fidelity": None},
            {"statement": None},
        ],
        ids=["refused", "no gate", "no patches", "no fidelity", "no statement"],
    )
    def test_only_what_every_gate_accepted_becomes_one(self, won: Won, other: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match="only an accepted qualification"):
            won.qualified(**other).published()


class TestChecks:
    """The checks of a published task."""

    def test_each_has_its_role_and_tests_and_scripts_are_hidden(self, won: Won) -> None:
        checks = won.published().spec.checks
        assert [(c.id, c.kind, c.role, c.hidden) for c in (*checks.targets, *checks.observers, *checks.regression)] == [
            ("tests/test_app.py::test_b", "test", "target", True),
            ("exploit", "script", "target", True),
            ("tests/test_app.py::test_c", "test", "observer", True),
            ("api", "static", "regression", False),
        ]

    def test_all_are_counted_those_in_the_store_and_those_that_are_no_tests(self, won: Won) -> None:
        counts = counts_of(won.published())
        assert (counts.target, counts.observer, counts.regression) == (2, 1, 2 + 1 + 1)

    def test_files_of_hidden_checks_are_named_by_their_blob_where_the_task_has_them(self, won: Won) -> None:
        entry = won.base.repository.entry(won.proposal.tree, b"tests/test_app.py")
        assert entry is not None
        assert won.published().spec.checks.hidden_files == {"tests/test_app.py": entry.oid}

    def test_a_scripts_large_files_lie_in_the_store_and_are_all_that_does(self, won: Won) -> None:
        published = won.published().spec.checks.targets[1].script
        assert published is not None
        assert EXPLOIT.script is not None
        assert set(published.files) == {"x", "edge"}, "a file is large beyond the limit, in bytes and not in signs"
        large = EXPLOIT.script.files["big"].encode()
        assert published.artifacts == {"big": hashlib.sha256(large).hexdigest()}
        assert list(published_files(won.case)) == [large]

    def test_the_source_of_the_change_and_its_advisories_are_told(self, won: Won) -> None:
        change = won.published().spec.source_change
        assert (change.commit, change.parent, change.patch_digest) == ("a" * 40, "b" * 40, "2" * 64)
        assert change.advisories == ("CVE-2024-1",)


class TestPatches:
    """The three patches of a published task."""

    def test_each_is_published_with_the_bytes_that_lead_from_tree_to_tree(self, won: Won) -> None:
        variant, repository = won.published(), won.base.repository
        trees = variant.spec.trees
        task, hiding, restoration = published_patches(variant, won.qualification)
        assert [task[0], hiding[0], restoration[0]] == [
            variant.spec.task_patch, variant.spec.hiding_patch, variant.spec.restoration_patch
        ]  # fmt: skip
        assert repository.apply(trees.healthy, task[1]) == trees.task
        assert repository.apply(trees.task, hiding[1]) == trees.agent
        assert repository.apply(trees.task, restoration[1]) == trees.healthy
        assert [patch.inline() for patch, _ in (task, hiding, restoration)] == [task[1], hiding[1], restoration[1]]

    def test_one_that_is_too_long_for_a_resource_is_named_by_its_digest(self, won: Won) -> None:
        assert won.qualification.patches is not None
        long = b"+" + b"x" * INLINE_LIMIT
        qualified = won.qualified(patches=replace(won.qualification.patches, hiding=long))
        variant = qualified.published()
        assert variant.spec.hiding_patch.encoding == "artifact"
        [(patch, content)] = [
            pair for pair in published_patches(variant, qualified.qualification) if pair[0].encoding == "artifact"
        ]
        assert (patch.digest, content) == (hashlib.sha256(long).hexdigest(), long)
