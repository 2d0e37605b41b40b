"""The plan folder: exact quoting, refusals that say the way out, the same bytes for the same request."""

from __future__ import annotations

import ast
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from change2task.checks.passes import PassOrder, ScriptCall
from change2task.checks.plan import CheckRequest, Perturbation, assignments, words
from change2task.checks.reader import plan_pass, reader_for
from change2task.checks.readers.go_command import parse
from tests.support.passes import NONCE

# Arguments are bytes without NUL; Linux passes any others.
ARGUMENTS = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=6
)


def request(**fields: object) -> CheckRequest:
    return CheckRequest.model_validate({"command": ("pytest",), "format": "pytest", "nonce": NONCE, **fields})


@settings(max_examples=60, deadline=None)
@given(ARGUMENTS)
def test_a_real_shell_reads_back_exactly_the_words(argv: list[str]):
    script = f'for word in {words(tuple(argv))}; do printf "%s\\0" "$word"; done'
    said = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout
    assert said.decode().split("\0")[:-1] == argv


@settings(max_examples=40, deadline=None)
@given(ARGUMENTS)
def test_a_real_shell_reads_back_exactly_the_assignments(values: list[str]):
    script = assignments({"value": values[0]}) + 'printf "%s" "$value"'
    assert subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout.decode() == values[0]


def test_a_word_with_nul_is_refused():
    with pytest.raises(ValueError, match="NUL"):
        words(("a\0b",))


def test_the_plugin_is_written_in_the_oldest_python_it_meets():
    ast.parse(plan_pass("x", request()).files["python/c2t_pytest.py"], feature_version=(3, 6))


def test_equal_requests_give_equal_plans():
    assert plan_pass("x", request()) == plan_pass("x", request())


def test_perturbation_and_extra_variables_are_the_environment():
    plan = plan_pass("x", request(env={"A": "b"}, perturbation=Perturbation(hash_seed=3, time_zone="Asia/Kathmandu")))
    assert plan.env == {"PYTHONHASHSEED": "3", "TZ": "Asia/Kathmandu", "A": "b"}


def test_everything_wanted_has_no_ids_file_and_nothing_wanted_an_empty_one():
    assert "ids" not in plan_pass("x", request()).files
    assert plan_pass("x", request(ids=())).files["ids"] == ""


def test_rebuild_steps_are_files_in_order():
    plan = plan_pass("x", request(rebuild=("make", "make install")))
    assert [name for name in plan.files if name.startswith("rebuild/")] == ["rebuild/00.sh", "rebuild/01.sh"]
    assert plan.files["rebuild/01.sh"].endswith("\nmake install\n")


@pytest.mark.parametrize("name", ["A-B", "1A", "", "A B", "C2T_WORK"])
def test_variables_that_cannot_be_or_are_ours_are_refused(name: str):
    with pytest.raises(ValidationError):
        request(env={name: "x"})


@pytest.mark.parametrize("nonce", ["", "short", "UPPERCASE1", "quote'quote", "a" * 65])
def test_a_nonce_that_could_be_mistaken_is_refused(nonce: str):
    with pytest.raises(ValidationError, match="nonce"):
        request(nonce=nonce)


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(
        ValueError, match=r"'pytests' is not known; did you mean 'pytest'\? Known formats: cargo, ctrf, go, jest, "
    ):
        reader_for("pytests")


@pytest.mark.parametrize("command", [("python", "-m", "twisted.trial"), ("sh", "-c", "cd x && pytest"), ("tox",), ()])
def test_a_command_that_does_not_start_pytest_is_refused_with_the_way_out(command: tuple[str, ...]):
    with pytest.raises(ValueError, match=r"does not start pytest: write it as a list"):
        plan_pass("x", request(command=command))


@pytest.mark.parametrize("command", [("go", "vet", "./..."), ("gotestsum",), ("make", "test"), ()])
def test_a_command_that_does_not_start_go_test_is_refused_with_the_way_out(command: tuple[str, ...]):
    with pytest.raises(ValueError, match=r"write it as a list like \[go, test, ./...\]"):
        plan_pass("x", request(command=command, format="go"))


def test_a_go_command_is_taken_apart():
    command = (
        "go",
        "test",
        "-C",
        "sub",
        "-race",
        "-tags",
        "a,b",
        "-v",
        "-count=3",
        "-run",
        "X",
        "-short",
        "./a",
        "./b/...",
    )
    parsed = parse((*command, "-args", "-z"))
    assert parsed.folder == "sub"
    assert parsed.flags == ("-race", "-tags", "a,b", "-short")
    assert parsed.build_flags == ("-race", "-tags", "a,b")
    assert parsed.run == "X"
    assert parsed.packages == ("./a", "./b/...")
    assert parsed.rest == ("-args", "-z")


def test_a_go_command_without_packages_is_that_of_its_folder():
    assert parse(("/usr/lib/go/bin/go", "test")).packages == (".",)


@pytest.mark.parametrize(("scopes", "words"), [(None, "'./...'"), (("pkg/a", "."), "'./pkg/a' './.'"), ((), "'.'")])
def test_scopes_of_go_are_the_packages_it_tests(scopes: tuple[str, ...] | None, words: str):
    plan = plan_pass("x", request(command=("go", "test", "./..."), format="go", scopes=scopes))
    assert f"set -- {words}\n" in plan.files["check.sh"]
    assert ("pattern='^$'" in plan.files["check.sh"]) == (scopes == ())


def test_another_script_is_another_pass_and_another_label_is_the_same():
    def key(label: str = "a", **script: object) -> str:
        call = ScriptCall.model_validate({"id": "x", "command": ("sh", "x.sh"), **script})
        return PassOrder(tree="t", script=call, perturbation=Perturbation(), label=label).key()

    assert key() == key(label="b")
    assert len({key(), key(files={"x.sh": "exit 0"}), key(command=("sh",)), key(id="y")}) == 4
    assert key() != PassOrder(tree="t", perturbation=Perturbation(), label="a").key()
