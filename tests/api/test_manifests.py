"""Manifests: every fault is found before anything runs and is told with its place, its value and the way out."""

from __future__ import annotations

import json
import time
from datetime import date
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.api.manifests import (
    MAX_DOCUMENT,
    MAX_DOCUMENTS,
    MAX_PROBLEMS,
    MAX_SOURCE,
    ParsedManifests,
    cross_check,
    parse_manifests,
)
from change2task.api.modernbase import ModernBase
from change2task.api.problems import Problem
from change2task.api.taskcandidate import TaskCandidate

BASE = """\
apiVersion: change2task.dev/v1alpha1
kind: ModernBase
metadata: {name: towncrier}
spec:
  repository:
    url: https://github.com/twisted/towncrier
"""
CANDIDATE = """\
apiVersion: change2task.dev/v1alpha1
kind: TaskCandidate
metadata: {name: towncrier-603}
spec:
  baseRef: {name: towncrier}
  change: {pullRequest: 603}
"""


def parse(text: str | bytes, **options: Any) -> ParsedManifests:
    return parse_manifests(text.encode() if isinstance(text, str) else text, "m.yaml", **options)


def only(text: str | bytes) -> Problem:
    parsed = parse(text)
    assert parsed.resources == ()
    (problem,) = parsed.problems
    return problem


def messages(text: str | bytes) -> list[tuple[int, str, str]]:
    return [(p.line, p.field, p.message) for p in parse(text).problems]


# --- what is accepted


def test_several_documents_give_resources_with_their_origin() -> None:
    parsed = parse(f"---\n{BASE}---\n{CANDIDATE}...\n")

    assert parsed.problems == ()
    assert [type(r) for r in parsed.resources] == [ModernBase, TaskCandidate]
    assert [(o.source, o.document, o.line) for o in parsed.origins] == [("m.yaml", 1, 2), ("m.yaml", 2, 9)]


def test_the_example_of_the_design_is_read() -> None:
    text = BASE + (
        "  revision: {healthy: 5534c47df}\n"
        "  environment:\n"
        "    image: python:3.12-slim\n"
        "    asOf: 2024-10-09\n"
        '    setup: ["uv pip install -e . pytest"]\n'
        "    rebuild: []\n"
        "    env: {}\n"
        "  checks:\n"
        '    command: ["python", "-m", "pytest"]\n'
        "    timeoutSeconds: 900\n"
        '  scope: {source: ["src/**"], tests: ["src/towncrier/test/**"], protected: ["pyproject.toml"]}\n'
    )

    (base,) = parse(text).resources

    assert isinstance(base, ModernBase)
    assert base.spec.environment.as_of == date(2024, 10, 9)
    assert base.spec.revision.healthy == "5534c47df"


def test_json_is_read_with_tabs_and_escapes() -> None:
    document = yaml.safe_load(CANDIDATE)
    document["spec"]["intent"] = {"title": "😀 a/b\u2028\x01 \\ud83d", "body": "x\\"}
    text = json.dumps(document, indent="\t").replace("/", "\\/")

    (candidate,) = parse(text).resources

    assert isinstance(candidate, TaskCandidate)
    assert candidate.spec.intent is not None
    assert (candidate.spec.intent.title, candidate.spec.intent.body) == ("😀 a/b\u2028\x01 \\ud83d", "x\\")


def test_a_kubernetes_list_is_unpacked_and_paths_name_the_item() -> None:
    items = [yaml.safe_load(BASE), yaml.safe_load(CANDIDATE), {**yaml.safe_load(CANDIDATE), "spec": {}}]
    parsed = parse(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    assert [r.metadata.name for r in parsed.resources] == ["towncrier", "towncrier-603"]
    assert [p.field for p in parsed.problems] == ["items[2].spec.baseRef", "items[2].spec.change"]


def test_what_kubectl_prints_is_read_and_its_status_dropped() -> None:
    text = CANDIDATE.replace(
        "{name: towncrier-603}",
        "{name: towncrier-603, uid: abc, creationTimestamp: null, resourceVersion: '1', managedFields: [{manager: x}]}",
    )

    (candidate,) = parse(text + "status: {accepted: true, whatever: 1}\n").resources

    assert isinstance(candidate, TaskCandidate)
    assert candidate.status.accepted is None


def test_null_is_absent() -> None:
    (candidate,) = parse(CANDIDATE + "  intent:\n  validation: ~\n").resources

    assert candidate == parse(CANDIDATE).resources[0]


@pytest.mark.parametrize(
    "text", ["\ufeff" + CANDIDATE, CANDIDATE.replace("\n", "\r\n"), f"%YAML 1.2\n---\n{CANDIDATE}"]
)
def test_marks_line_ends_and_directives_of_editors_do_no_harm(text: str) -> None:
    assert parse(text).resources == parse(CANDIDATE).resources
    assert parse(text).problems == ()


def test_quantities_may_be_numbers() -> None:
    (base,) = parse(BASE + "  podTemplate: {resources: {requests: {cpu: 2, memory: 1Gi}}}\n").resources

    assert isinstance(base, ModernBase)
    assert base.spec.pod_template.resources.requests == {"cpu": "2", "memory": "1Gi"}


# --- unknown fields


@pytest.mark.parametrize(
    ("text", "field", "way"),
    [
        (BASE + "  checks: {timeoutSecond: 9}\n", "spec.checks.timeoutSecond", "did you mean timeoutSeconds?"),
        (BASE + "  pod_template: {}\n", "spec.pod_template", "did you mean podTemplate?"),
        (BASE + "  podtemplate: {}\n", "spec.podtemplate", "did you mean podTemplate?"),
        (BASE + "  timeoutSeconds: 9\n", "spec.timeoutSeconds", "it belongs at spec.checks.timeoutSeconds"),
        (BASE + "  revision: {xyzzy: 1}\n", "spec.revision.xyzzy", "known here are healthy, strict, target"),
        (BASE + "specs: {}\n", "specs", "did you mean spec?"),
        (BASE.replace("name: towncrier", "name: towncrier, lables: {}"), "metadata.lables", "did you mean labels?"),
        (CANDIDATE.replace("pullRequest", "pull_request"), "spec.change.pull_request", "did you mean pullRequest?"),
        (
            BASE + "  podTemplate:\n    tolerations:\n    - {key: a, opperator: Exists}\n",
            "spec.podTemplate.tolerations[0].opperator",
            "did you mean operator?",
        ),
    ],
)
def test_an_unknown_field_names_the_one_that_was_meant(text: str, field: str, way: str) -> None:
    told = [(p.field, p.message) for p in parse(text).problems]

    assert (field, way) in [(f, m.split("; ", 1)[1]) for f, m in told if m.startswith("unknown field")]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (BASE.replace("repository:", "repositry:"), ["spec.repositry"]),
        (BASE.replace("spec:", "specs:"), ["specs"]),
        (BASE.replace("{name: towncrier}", "{nmae: towncrier}"), ["metadata.nmae"]),
        (CANDIDATE.replace("baseRef", "baseref"), ["spec.baseref"]),
        (CANDIDATE.replace("baseRef", "xyzzy"), ["spec.xyzzy", "spec.baseRef"]),
        (CANDIDATE.replace("baseRef", "famly"), ["spec.famly", "spec.baseRef"]),
    ],
)
def test_a_misspelt_field_is_one_fault_and_what_it_does_not_explain_is_told_after_it(
    text: str, fields: list[str]
) -> None:
    assert [problem.field for problem in parse(text).problems] == fields


# --- wrong values


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ('pullRequest: "603"', "spec.change.pullRequest", "must be an integer, not a string; remove the quotes"),
        ("pullRequest: abc", "spec.change.pullRequest", "must be an integer, not a string"),
        ("pullRequest: 0", "spec.change.pullRequest", "must be at least 1"),
        ("pullRequest: 1.5", "spec.change.pullRequest", "must be an integer, not a number"),
        ("pullRequest: [1]", "spec.change.pullRequest", "must be an integer, not a list"),
        ("pullRequest: yes", "spec.change.pullRequest", "must be an integer, not a boolean"),
        (
            "commit: 1234567",
            "spec.change.commit",
            'must be a string, but unquoted it is a number in YAML; quote it: "1234567"',
        ),
        (
            "commit: 12e5",
            "spec.change.commit",
            'must be a string, but unquoted it is a number in YAML; quote it: "12e5"',
        ),
        ("commit: no", "spec.change.commit", 'must be a string, but unquoted it is a boolean in YAML; quote it: "no"'),
        ("commit: ''", "spec.change.commit", "must not be empty"),
        (
            "commit: --all",
            "spec.change.commit",
            "does not fit: A commit or tag; the change is it against its parent;"
            r" it must match ^[^-\x00-\x20\x7f-\xa0][^\x00-\x20\x7f-\xa0]*$",
        ),
        ("commit: {a: b}", "spec.change.commit", "must be a string, not a mapping"),
        ("pullRequest: 1, commit: a", "spec.change", "give exactly one of pullRequest, commit and range"),
        ("", "spec.change", "give exactly one of pullRequest, commit and range"),
    ],
)
def test_a_wrong_value_says_what_is_expected(change: str, field: str, message: str) -> None:
    problem = only(CANDIDATE.replace("pullRequest: 603", change))

    assert (problem.line, problem.field, problem.message) == (6, field, message)
    assert (problem.kind, problem.name) == ("TaskCandidate", "towncrier-603")


@pytest.mark.parametrize("path", ["/x", "x//y", "./x", "x/.", "", "x/../y", "x\ty", "a" * 256])
def test_a_scripts_file_has_a_plain_relative_path(path: str) -> None:
    checks = [{"id": "a", "kind": "script", "script": {"command": ["sh"], "files": {path: ""}}}]
    problem = only(CANDIDATE + f"  checks: {json.dumps(checks)}\n")
    assert "not a relative path in its plainest form" in problem.message


@pytest.mark.parametrize(
    ("extra", "field", "message"),
    [
        ("  family: bugfix\n", "spec.family", "did you mean BugFix?"),
        (
            "  family: Gardening\n",
            "spec.family",
            "must be one of Auto, BugFix, FeatureAddition, TestGeneration, APIMigr",
        ),
        ("  construction: {levels: [1, 4]}\n", "spec.construction.levels[1]", "must be one of 1, 2, 3"),
        ("  checks: [{id: a, kind: static}]\n", "spec.checks[0]", "static is given exactly when kind is static"),
        ("  checks: [{id: a, kind: script}]\n", "spec.checks[0]", "script is given exactly when kind is script"),
        (
            "  checks: [{id: a, kind: static, static: {}}]\n",
            "spec.checks[0].static",
            "at least one name in gone or used",
        ),
        (
            "  checks: [{id: a}, {id: b}, {id: a, kind: static, static: {gone: [x]}}]\n",
            "spec.checks",
            "the id 'a' is given twice",
        ),
        (
            "  checks: [{id: a, kind: script, script: {command: [sh, x], files: {../x: 'exit 0'}}}]\n",
            "spec.checks[0].script.files",
            "'../x' is not a relative path in its plainest form",
        ),
        (
            "  checks: [{id: a, kind: script, script: {command: [sh, x], files: {x: '', x/y: ''}}}]\n",
            "spec.checks[0].script.files",
            "'x' is a file as well as the folder of 'x/y'",
        ),
        (
            '  checks: [{id: a, kind: script, script: {command: ["x\\0"]}}]\n',
            "spec.checks[0].script.command",
            "a NUL character cannot be handed to a process",
        ),
        ("  suspend: 'true'\n", "spec.suspend", "must be true or false, not a string"),
        ("  intent: words\n", "spec.intent", "must be a mapping, not a string"),
    ],
)
def test_a_choice_or_a_union_names_what_there_is(extra: str, field: str, message: str) -> None:
    problem = only(CANDIDATE + extra)

    assert (problem.line, problem.field) == (7, field)
    assert message in problem.message


@pytest.mark.parametrize(
    ("extra", "field", "message"),
    [
        ("  checks: {command: python -m pytest}\n", "spec.checks.command", "must be a list, not a string"),
        ("  checks: {command: []}\n", "spec.checks.command", "at least 1 of them"),
        ("  checks: {timeoutSeconds: 30}\n", "spec.checks", "testTimeoutSeconds (60) is above timeoutSeconds (30)"),
        ("  environment: {asOf: tomorrow}\n", "spec.environment.asOf", "must be a date like 2024-10-09"),
        ("  environment: {env: {PORT: 8080}}\n", "spec.environment.env.PORT", 'quote it: "8080"'),
        ("  environment: {env: {COUNTRY: NO}}\n", "spec.environment.env.COUNTRY", 'quote it: "NO"'),
        ("  environment: {env: {NO: norway}}\n", "spec.environment.env.NO", 'quote it: "NO"'),
    ],
)
def test_faults_of_a_base_are_told_the_same_way(extra: str, field: str, message: str) -> None:
    problem = only(BASE + extra)

    assert (problem.line, problem.field) == (7, field)
    assert message in problem.message


def test_odd_keys_stand_in_brackets_in_paths() -> None:
    assert only(BASE + "  environment: {env: {a.b: 1}}\n").field == "spec.environment.env['a.b']"


def test_a_long_value_is_cut() -> None:
    problem = only(CANDIDATE + f"  family: {'x' * 5000}\n")

    assert problem.value is not None
    assert len(problem.value) < 100


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        (
            CANDIDATE.replace("v1alpha1", "v1"),
            "apiVersion",
            "this version is not served; the only one here is change2task",
        ),
        (
            CANDIDATE.replace("change2task.dev/", "apps/"),
            "apiVersion",
            "unknown; the only one here is change2task.dev/v1a",
        ),
        (CANDIDATE.replace("apiVersion", "#"), "apiVersion", "missing; write apiVersion: change2task.dev/v1alpha1"),
        (CANDIDATE.replace("TaskCandidate", "Taskcandidates"), "kind", "unknown kind; did you mean TaskCandidate?"),
        (CANDIDATE.replace("TaskCandidate", "Secret"), "kind", "known are ModernBase, TaskCandidate, TaskVariant"),
        (CANDIDATE.replace("kind:", "#"), "kind", "missing; write one of ModernBase, TaskCandidate, TaskVariant"),
        (CANDIDATE.replace("metadata:", "#"), "metadata", "missing; it needs at least name"),
        (CANDIDATE.replace("towncrier-603", "Town_Crier"), "metadata.name", "must match"),
        (CANDIDATE.replace("towncrier-603", "603"), "metadata.name", 'quote it: "603"'),
        (
            CANDIDATE.replace("change2task.dev/v1alpha1", "1"),
            "apiVersion",
            "must be a string; write change2task.dev/v1al",
        ),
        (CANDIDATE.replace("TaskCandidate", "[x]"), "kind", "missing; write one of ModernBase"),
        (CANDIDATE.replace("{name: towncrier-603}", "[x]"), "metadata", "must be a mapping, not a list"),
        ("just words", "", "must be a mapping with apiVersion, kind, metadata and spec, not a string"),
        ("- a\n", "", "must be a mapping with apiVersion, kind, metadata and spec, not a list"),
    ],
)
def test_what_is_no_resource_of_ours_says_so(text: str, field: str, message: str) -> None:
    problem = only(text)

    assert problem.field == field
    assert message in problem.message


def test_every_fault_of_every_document_is_told_and_the_sound_ones_remain() -> None:
    text = "\n---\n".join(
        [
            BASE + "  checks: {command: x, format: 5, timout: 1}\n  checks: {}\n",
            "a: [",
            CANDIDATE,
            CANDIDATE.replace("603", "604") + "  a: 1\n  b: !!python/object:x {}\n",
        ]
    )

    parsed = parse(text)

    assert [r.metadata.name for r in parsed.resources] == ["towncrier-603"]
    assert [(p.document_index, p.line, p.field) for p in parsed.problems] == [
        (1, 8, "spec.checks"),
        (1, 7, "spec.checks.command"),
        (1, 7, "spec.checks.format"),
        (1, 7, "spec.checks.timout"),
        (2, 11, "a[0]"),
        (4, 28, "spec.b"),
        (4, 27, "spec.a"),
        (4, 28, "spec.b"),
    ]


# --- texts that are no manifests


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n---\n", "---\n# a\n...\n", "\ufeff"])
def test_nothing_at_all_is_a_problem(text: str) -> None:
    assert "no document in it" in only(text).message


def test_empty_documents_are_skipped_but_counted() -> None:
    parsed = parse(f"---\n---\n# c\n---\n{CANDIDATE}---\n")

    assert parsed.problems == ()
    assert parsed.origins[0].document == 3


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b"a: b\nc: \xe9\n", "not UTF-8", 2),
        ("a: b\n".encode("utf-16"), "UTF-16", 0),
        (b"a: b\nc: \x00\n", "does not allow this character", 2),
        (b"a:\n\tb: c\n", "does not allow tabs", 2),
        (b"a: 'b\n", "begins in line 1", 1),
    ],
)
def test_bytes_that_are_no_yaml_say_where(content: bytes, message: str, line: int) -> None:
    problem = only(content)

    assert message in problem.message
    assert problem.line == line


def test_bytes_that_are_no_text_hide_no_other_document() -> None:
    parsed = parse(b"c: \xe9\n---\n" + CANDIDATE.encode())

    assert len(parsed.resources) == len(parsed.problems) == 1


@pytest.mark.parametrize(
    "content",
    [b"x" * (MAX_SOURCE + 1), b"a: " + b"x" * MAX_DOCUMENT, b"[" * (MAX_DOCUMENT + 1), b"[" * 100_000, b"- " * 100_000],
)
def test_big_and_deep_texts_are_refused_at_once(content: bytes) -> None:
    started = time.monotonic()

    assert only(content).message

    assert time.monotonic() - started < 5


def test_one_document_too_big_hides_no_other() -> None:
    parsed = parse(f"a: {'x' * MAX_DOCUMENT}\n---\n{CANDIDATE}")

    assert len(parsed.resources) == 1
    assert "split it" in parsed.problems[0].message


def test_the_number_of_documents_and_of_problems_is_bounded() -> None:
    parsed = parse("a: 1\n---\n" * (MAX_DOCUMENTS + 1))

    assert len(parsed.problems) == MAX_PROBLEMS + 1
    assert "more problems" in parsed.problems[-1].message


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"{n}: &{n} [{','.join([f'*{o}'] * 10)}]" for o, n in zip("abcdefgh", "bcdefghi", strict=True)]
    started = time.monotonic()

    assert "aliases counted in full" in only("\n".join(lines)).message

    assert time.monotonic() - started < 5


def test_line_ends_that_hide_a_second_document_are_refused() -> None:
    assert "a second document begins here" in only("a: b\r---\rc: d").message


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(content: bytes) -> None:
    parsed = parse(content)

    assert parsed.problems


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(CANDIDATE)), st.integers(0, 12), st.text(max_size=8))
def test_no_slip_of_the_keyboard_makes_it_raise(at: int, cut: int, typed: str) -> None:
    parsed = parse(CANDIDATE[:at] + typed + CANDIDATE[at + cut :])

    assert parsed.problems or parsed.resources
    assert all(str(p).startswith("m.yaml") for p in parsed.problems)


# --- between documents


def resources(*texts: str) -> ParsedManifests:
    parsed = parse("---\n".join(texts))
    assert parsed.problems == ()
    return parsed


def test_a_sound_set_has_no_problem() -> None:
    parsed = resources(BASE, CANDIDATE)

    assert cross_check(parsed.resources, parsed.origins) == ()


def test_a_name_given_twice_names_both_places() -> None:
    parsed = ParsedManifests.joined([resources(BASE, CANDIDATE), parse_manifests(CANDIDATE.encode(), "other.yaml")])

    (problem,) = cross_check(parsed.resources, parsed.origins)

    assert str(problem) == (
        "other.yaml:1: TaskCandidate towncrier-603: metadata.name: this TaskCandidate is given twice, first in"
        " m.yaml:8; rename or remove one (got 'towncrier-603')"
    )


def test_the_same_name_in_another_kind_or_namespace_is_another_one() -> None:
    other = BASE.replace("name: towncrier", "name: towncrier, namespace: b")

    assert cross_check(resources(BASE, other, CANDIDATE.replace("towncrier-603", "towncrier")).resources) == ()


@pytest.mark.parametrize(
    ("texts", "way"),
    [
        ((CANDIDATE,), "add its manifest to the same run"),
        ((BASE.replace("towncrier}", "towncrierr}"), CANDIDATE), "did you mean towncrierr?"),
        ((BASE.replace("towncrier}", "chi}"), CANDIDATE), "there are chi"),
        (
            (BASE, CANDIDATE.replace("crier-603", "crier-603, namespace: b")),
            "no ModernBase of this name in namespace b",
        ),
    ],
)
def test_a_candidate_without_its_base_says_what_to_do(texts: tuple[str, ...], way: str) -> None:
    parsed = resources(*texts)

    (problem,) = cross_check(parsed.resources, parsed.origins)

    assert problem.field == "spec.baseRef.name"
    assert way in problem.message


def test_a_base_known_elsewhere_serves() -> None:
    assert cross_check(resources(CANDIDATE).resources, known_bases=["towncrier"]) == ()
