"""JUnit XML, TAP and CTRF as real runners write them, and as nobody should: what is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.checks.naming import naming
from change2task.checks.plan import CheckRequest
from change2task.checks.reader import plan_pass, reader_for
from change2task.checks.readers import ctrf, junit_xml, tap
from change2task.checks.readers.report import NotReadable, Told
from change2task.checks.readers.report_ids import Places
from tests.support.passes import NONCE, run_suite

WRITTEN = Path(__file__).parent / "reports"
"""Written by Surefire 3.5, PHPUnit 9.6 and jest-ctrf-json-reporter for small projects of ours."""
TREE = (
    "./src/test/java/org/example/NoiseTest.java",
    "./src/test/java/org/example/SetUpTest.java",
    "./other/src/test/java/org/example/SetUpTest.java",
    "./tests/CalcTest.php",
    "./a.test.js",
)


def ids(name: str, parse=junit_xml.parse, report: str = "x.xml") -> dict[str, tuple[str, str | None]]:
    places = Places("/c2t/work", TREE)
    return {
        places.identity(test, report): (test.outcome, test.signature)
        for test in parse((WRITTEN / name).read_bytes()).tests
    }


def test_surefire_names_methods_of_classes_that_are_found_in_the_tree():
    noise = "src/test/java/org/example/NoiseTest.java::NoiseTest."
    assert ids("surefire.xml") == {
        f"{noise}passes": ("passed", None),
        f"{noise}fails": (
            "failed",
            "org.opentest4j.AssertionFailedError: &#27;[31mno&#27;[0m ==> expected: <1> but was: <2>",
        ),
        f"{noise}breaks": ("error", "java.lang.IllegalStateException: bad"),
        f"{noise}skipped": ("skipped", "why"),
        **{f"{noise}cases(String)[{number}]": ("passed", None) for number in (1, 2, 3)},
        f"{noise}Inner.deep": ("passed", None),
    }


def test_a_class_of_two_modules_is_the_one_beside_its_report_or_none():
    beside = ids("surefire-set-up.xml", report="other/target/surefire-reports/TEST-org.example.SetUpTest.xml")
    assert beside == {
        "other/src/test/java/org/example/SetUpTest.java::SetUpTest": ("error", "java.lang.RuntimeException: before all")
    }
    assert list(ids("surefire-set-up.xml")) == ["org.example.SetUpTest::"]


def test_phpunit_names_files_and_its_messages_do_not_begin_with_the_test():
    calc = "tests/CalcTest.php::CalcTest."
    assert ids("phpunit.xml") == {
        f"{calc}testAdds": ("passed", None),
        f"{calc}testFails": (
            "failed",
            r"PHPUnit\Framework\ExpectationFailedException: Failed asserting that 2 is identical to 3.",
        ),
        f"{calc}testBreaks": ("error", "RuntimeException: bad"),
        f"{calc}testSkipped": ("skipped", None),
        f'{calc}testCases with data set "a b"': ("passed", None),
        f'{calc}testCases with data set "q"é"': ("passed", None),
    }


def test_a_ctrf_report_gives_titles_once():
    assert {name: outcome for name, (outcome, _) in ids("jest-ctrf.json", ctrf.parse).items()} == {
        'a.test.js::d é > ok "q"': "passed",
        "a.test.js::d é > fails": "failed",
        "a.test.js::d é > skipped": "skipped",
        "a.test.js::d é > later": "error",
    }


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "document type"),
        (OUTSIDE, "document type"),
        ('<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><testsuite/>', "document type"),
        ('<testsuite><testcase name="a"/>', "not well-formed"),
        ("", "is empty"),
        ("PASSED", "not well-formed"),
        ("<html/>", "outermost element"),
        ("<testsuite>" * 300 + "</testsuite>" * 300, "more than 200 deep"),
        ('<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>', "in a testcase"),
    ],
)  # fmt: skip
def test_xml_that_is_no_whole_report_is_refused(text: str, why: str):
    with pytest.raises(NotReadable, match=why):
        junit_xml.parse(text.encode())


def test_colours_that_xml_cannot_hold_do_not_hide_a_result():
    text = b'<testsuite><testcase name="a\x1b[31m&#27;&#x1b;"><failure message="&#0;no"/></testcase></testsuite>'
    [test] = junit_xml.parse(text).tests
    assert (test.name, test.outcome, test.signature) == ("a?[31m??", "failed", "?no")


def test_a_test_that_passed_when_it_was_run_again_did_not_pass():
    text = b'<testsuite><testcase name="a"><flakyFailure message="no"/></testcase></testsuite>'
    assert junit_xml.parse(text).tests[0].outcome == "failed"


@pytest.mark.parametrize(
    ("text", "wanting"),
    [
        ("ok 1 - a\n", "no plan"),
        ("1..2\nok 1 - a\n", "2 tests were planned and 1 told of"),
        ("1..1\nok 1 - a\nBail out! disk\n", "bailed out: disk"),
        ("1..1\n    ok 1 - inner\n", "1 tests were planned"),
        ("1..2\nok 1 - a\n  ---\n  text: x\nok 2 - b\n", "2 tests were planned and 1"),
        ("1..1\nok 1 - a\n", None),
    ],
)  # fmt: skip
def test_tap_that_does_not_come_to_its_end_is_wanting(text: str, wanting: str | None):
    found = tap.parse(text.encode()).wanting
    assert found is None if wanting is None else wanting in (found or "")


@pytest.mark.parametrize("text", ["{}", "[]", "{", '{"results": {"tests": [{}]}}', '{"results": {"tests": 1}}',
                                  '{"results": {"tests": [{"name": "a", "status": "good"}]}}'])  # fmt: skip
def test_json_that_is_no_ctrf_is_refused(text: str):
    with pytest.raises(NotReadable):
        ctrf.parse(text.encode())


def test_a_ctrf_list_shorter_than_its_summary_is_wanting():
    one = {"results": {"summary": {"tests": 2}, "tests": [{"name": "a", "status": "passed"}]}}
    assert ctrf.parse(json.dumps(one).encode()).wanting == "its summary counts 2 tests and it lists 1"


@given(st.binary(max_size=400), st.sampled_from([junit_xml.parse, tap.parse, ctrf.parse]))
@settings(max_examples=150, deadline=None)
def test_no_bytes_make_a_parser_fall_over(data: bytes, parse):
    try:
        parse(data)
    except NotReadable:
        return


def junit(folder: Path, script: str, **request: object):
    return run_suite(
        folder, {"run.sh": script}, command=("sh", "run.sh"), check_format="junit", reports=("out/**/*.xml",), **request
    )


TWO = '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'


def write(name: str, text: str) -> str:
    return f"mkdir -p out && cat >out/{name} <<'E'\n{text}\nE\n"


def test_a_command_that_fails_though_no_test_did_gives_no_verdict(tmp_path: Path):
    suite = junit(tmp_path, write("a.xml", TWO) + "echo coverage too low\nexit 3\n")
    assert suite.harness_error is not None
    assert "exit code 3, and its reports tell of no failure" in suite.harness_error
    assert "coverage too low" in suite.harness_error


def test_one_id_in_two_reports_is_no_check_and_its_worst_result_counts(tmp_path: Path):
    bad = '<testsuite><testcase name="a"><failure/></testcase></testsuite>'
    suite = junit(tmp_path, write("a.xml", TWO) + write("b.xml", bad) + "exit 1\n")
    assert suite.duplicates == ("a",)
    assert suite.results["a"].outcome == "failed"


def test_a_report_that_was_cut_gives_no_verdict(tmp_path: Path):
    suite = junit(tmp_path, write("a.xml", TWO) + write("b.xml", TWO[:30]))
    assert "'out/b.xml' is not well-formed" in (suite.harness_error or "")


def test_links_and_pipes_are_no_reports(tmp_path: Path):
    script = "mkdir out && ln -s /etc/passwd out/a.xml && mkfifo out/b.xml && mkdir out/c.xml\n"
    suite = junit(tmp_path, script)
    assert suite.message == "The check command ended with exit code 0 and left no report."


@pytest.mark.parametrize(
    ("form", "command", "reports", "why"),
    [
        ("tap", ("perl", "t"), None, "nobody says where its reports are"),
        ("junit", ("x",), ("-",), "only format tap is read from it"),
        ("tap", ("x", "{reports}/a"), ("-",), "it stands alone"),
        ("jest", ("npm", "test"), None, r"does not start the runner of format jest itself"),
        ("node", ("node", "a.js"), None, "does not start the runner"),
        ("unittest", ("make", "test"), None, "does not start Python"),
        ("cargo", ("make",), None, "does not start cargo's tests"),
        ("cargo", ("cargo", "+nightly", "test"), None, "names a toolchain of rustup"),
    ],
)  # fmt: skip
def test_a_command_that_a_reader_cannot_use_is_refused_with_the_way_out(form, command, reports, why: str):
    with pytest.raises(ValueError, match=why):
        plan_pass("x", CheckRequest(command=command, format=form, reports=reports, nonce=NONCE))


def test_names_are_files_and_functions_as_sources_have_them():
    java = naming("junit").name("src/FooTest.java::FooTest.adds(int)[1]")
    assert (java.scope, java.function, java.case) == ("src/FooTest.java", "FooTest.adds", "(int)[1]")
    title = naming("jest").name("a.test.js::parses [x] (y)")
    assert (title.function, title.case) == ("parses [x] (y)", "")


def test_a_file_that_a_report_names_outside_the_tree_is_no_place():
    told = Told(name="a", outcome="passed", file="/etc/passwd", owner="x.Y")
    assert Places("/c2t/work", TREE).identity(told, "r.xml") == "x.Y::a"


def test_results_from_nobody_are_no_pass(tmp_path: Path):
    for form in ("junit", "tap", "ctrf", "cargo", "unittest", "jest"):
        suite = reader_for(form).read(tmp_path, NONCE).suite
        assert not suite.finished
        assert not suite.results
