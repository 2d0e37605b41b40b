"""What names the change goes from the agent's tree where it is proved to be the change's, and nothing else does."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from change2task.construct.traces import Followed, Names, Removed, Trace, traces_of, without_traces

LOG = b"""Changes
=======

1.1
---

- Text that was there before, about something else.
- Spans show hours where there are any
  (they did not).

1.0
---

- The very first release of all, with everything in it.
"""


def traced(scene, before: Mapping[str, bytes], after: Mapping[str, bytes], now: Mapping[str, bytes], **how) -> Trace:
    files = [
        Followed(before=p.encode() if p in before else None, after=p.encode(), modern=p.encode(), **how)
        for p in after
        if before.get(p) != after[p]
    ]
    return traces_of(scene.repository, scene.tree(before), scene.tree(after), scene.tree(now), files)


def cleared(scene, now: Mapping[str, bytes], traces=(), logs=(), names=None, documents=(), code=(), **how) -> Removed:
    tree = scene.tree(now)
    return without_traces(scene.repository, tree, traces, logs, names or Names(), documents, code, **how)


def test_an_entry_that_the_change_added_goes_and_every_other_byte_stays(scene):
    entry = b"- Spans show hours where there are any\n  (they did not).\n"
    before, later = (
        LOG.replace(entry, b""),
        LOG.replace(b"1.1\n---\n", b"1.1\n---\n\n- Something that came later still.\n"),
    )
    traces = traced(scene, {"CHANGES.rst": before}, {"CHANGES.rst": LOG}, {"CHANGES.rst": later})
    gone = cleared(scene, {"CHANGES.rst": later}, traces, documents={"CHANGES.rst"})
    assert scene.files(gone.tree)["CHANGES.rst"] == later.replace(entry, b"")
    assert gone.files == {"CHANGES.rst": "2 lines of the change removed"}


def test_a_run_that_was_broken_up_loses_its_long_lines_alone(scene):
    before, after = b"# Use\n", b"# Use\n\nCall span() with any number of seconds.\n\nEnjoy.\n"
    now = after.replace(b"\n\nEnjoy", b"\n\nThen read it.\n\nEnjoy")
    traces = traced(scene, {"u.md": before}, {"u.md": after}, {"u.md": now})
    gone = cleared(scene, {"u.md": now}, traces, documents={"u.md"})
    assert scene.files(gone.tree)["u.md"] == b"# Use\n\nThen read it.\n\nEnjoy.\n"


def test_lines_that_the_change_replaced_come_back_where_its_own_still_stand_whole(scene):
    before, after = (
        b"# Use\n\nusage: span [SECONDS]\n\nEnjoy.\n",
        b"# Use\n\nusage: span [-h] [SECONDS] [HOURS]\n\nEnjoy.\n",
    )
    later = after + b"\nWritten later on, by somebody.\n"
    traces = traced(scene, {"u.md": before}, {"u.md": after}, {"u.md": later})
    gone = cleared(scene, {"u.md": later}, traces, documents={"u.md"})
    assert scene.files(gone.tree)["u.md"] == before + b"\nWritten later on, by somebody.\n"
    assert gone.files == {"u.md": "1 lines of the change removed, 1 that it replaced put back"}


def test_lines_that_the_change_moved_do_not_come_back_twice(scene):
    line, new = b"A line about spans of some time.\n", b"A line that is quite another one.\n"
    before, after = b"One\n" + line + b"Two\n", b"One\n" + new + b"Two\n" + line
    traces = traced(scene, {"u.md": before}, {"u.md": after}, {"u.md": after})
    assert scene.files(cleared(scene, {"u.md": after}, traces, documents={"u.md"}).tree)["u.md"].count(line) == 1


def test_line_ends_that_have_changed_since_do_not_matter(scene):
    before, after = b"# Use\n", b"# Use\nCall span() with any number of seconds.\n"
    now = after.replace(b"\n", b"\r\n")
    traces = traced(scene, {"u.md": before}, {"u.md": after}, {"u.md": now})
    assert scene.files(cleared(scene, {"u.md": now}, traces, documents={"u.md"}).tree)["u.md"] == b"# Use\r\n"


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        (b"", b"too short\n", b"too short\n"),
        (
            b"A line that stood there before it.\n",
            b"A line that stood there before it.\nx\n",
            b"A line that stood there before it.\n",
        ),
        (b"", b"A line that somebody has reworded.\n", b"A line that was reworded by somebody.\n"),
        (b"", b"\0 a line of twenty characters and more\n", b"\0 a line of twenty characters and more\nx"),
    ],
    ids=["short", "older", "reworded", "binary"],
)
def test_what_is_not_proved_to_be_the_changes_stays(scene, before, after, now):
    traces = traced(scene, {"d.md": before}, {"d.md": after}, {"d.md": now})
    gone = cleared(scene, {"d.md": now}, traces, documents={"d.md"})
    assert (scene.files(gone.tree), gone.files) == ({"d.md": now}, {})


def test_a_file_that_the_change_added_and_nobody_touched_goes(scene):
    now = {"news/603.feature.rst": b"Hours.\n", "keep.md": b"x\n"}
    traces = traced(scene, {"keep.md": b"x\n"}, now, now)
    gone = cleared(scene, now, traces, documents={"news/603.feature.rst", "keep.md"})
    assert list(scene.files(gone.tree)) == ["keep.md"]


def test_a_file_that_code_names_is_left_and_said(scene):
    now = {"docs/usage.md": b"Hours.\n", "t.py": b"open('docs/usage.md').read()\n"}
    traces = traced(scene, {"t.py": now["t.py"]}, now, now)
    gone = cleared(scene, now, traces, documents={"docs/usage.md"}, code={"t.py"})
    assert scene.files(gone.tree) == now
    assert gone.left == {"docs/usage.md": "t.py names it"}


def test_a_document_that_no_more_than_packaging_reads_is_emptied_so_that_it_is_found(scene):
    now = {"docs/usage.md": b"Hours.\n", "setup.py": b"open('docs/usage.md').read()\n"}
    gone = cleared(scene, now, traced(scene, {"setup.py": now["setup.py"]}, now, now), documents={"docs/usage.md"})
    assert scene.files(gone.tree) == {**now, "docs/usage.md": b""}
    assert gone.files == {"docs/usage.md": "emptied: the change brought it, and setup.py names it"}


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ("a.py", b"# see docs/usage.md\nx = 1\n"),
        ("a.py", b'"""See docs/usage.md."""\n'),
        ("a.py", b'def a():\n    """See docs/usage.md."""\n'),
        ("a.go", b"package a\n\n// A is told of in docs/usage.md.\nvar A = 1\n"),
        ("a.js", b"/* docs/usage.md */\nlet a = 1\n"),
    ],
)
def test_what_a_comment_names_is_nobodys_input(scene, reader: str, content: bytes):
    now = {"docs/usage.md": b"Hours.\n", reader: content}
    gone = cleared(scene, now, traced(scene, {reader: content}, now, now), documents={"docs/usage.md"}, code={reader})
    assert list(scene.files(gone.tree)) == [reader]


@pytest.mark.parametrize(
    ("reader", "code", "doubtful"), [("pyproject.toml", False, False), ("t.py", True, True)], ids=["packaging", "test"]
)
def test_a_document_loses_its_lines_whoever_names_it_and_what_code_names_is_doubtful(scene, reader, code, doubtful):
    before, after = b"# Tool\n", b"# Tool\n\nSpans show hours where there are any.\n"
    now = {"README.md": after, reader: b'x = "README.md"\n'}
    traces = traced(scene, {"README.md": before, reader: now[reader]}, now, now)
    known = {"documents": {"README.md"}, "code": {reader} if code else set()}
    gone = cleared(scene, now, traces, **known)
    assert scene.files(gone.tree)["README.md"] == before
    assert gone.doubtful == ({"README.md"} if doubtful else set())
    careful = cleared(scene, now, traces, **known, careful=True)
    assert scene.files(careful.tree)["README.md"] == (after if doubtful else before)


@pytest.mark.parametrize(
    ("entry", "definitions"),
    [
        ("- Spans show hours ([#603]).", "[#603]: https://example.org/a/b/issues/603\n"),
        ("- Spans show hours [as asked][hours] (#603).", "[Hours]: https://example.org/1\n"),
        ("- Spans show hours, `as asked`_ (#603).", ".. _as asked: https://example.org/1\n"),
        ("- Spans show hours, see hours_ (#603).", ".. _hours: https://example.org/1\n"),
        ("- Spans show hours (#603).", "[pull]: https://example.org/a/b/pull/603\n"),
    ],
)
def test_link_definitions_that_only_the_entry_uses_go_with_it(scene, entry: str, definitions: str):
    kept = "[#60]: https://example.org/60\n[other]: https://example.org/2\n.. _apart: https://example.org/3\n"
    log = f"# News\n\n- Before it ([#60], [#60]).\n{entry}\n\n{definitions}{kept}"
    gone = cleared(scene, {"NEWS.md": log.encode()}, logs={"NEWS.md"}, names=Names(request=603))
    assert scene.files(gone.tree)["NEWS.md"].decode() == f"# News\n\n- Before it ([#60], [#60]).\n\n{kept}"


def test_a_link_that_is_used_elsewhere_keeps_its_definition(scene):
    log = b"- Hours (#603), see [x].\n- Days, see [x].\n\n[x]: https://example.org/1\n"
    gone = cleared(scene, {"NEWS.md": log}, logs={"NEWS.md"}, names=Names(request=603))
    assert scene.files(gone.tree)["NEWS.md"] == b"- Days, see [x].\n\n[x]: https://example.org/1\n"


def test_an_uncollected_test_file_goes_unless_a_test_reads_it_by_its_stem(scene):
    now = {"tests/hours.py": b"SPANS = 1\n", "tests/data.json": b"{}\n", "tests/test_a.py": b"import hours\n"}
    traces = traced(scene, {"tests/test_a.py": now["tests/test_a.py"]}, now, now, is_prose=False)
    gone = cleared(scene, now, traces, code=set(now))
    assert sorted(scene.files(gone.tree)) == ["tests/hours.py", "tests/test_a.py"]
    assert gone.left == {"tests/hours.py": "tests/test_a.py names it"}


@pytest.mark.parametrize("name", ["conftest.py", "__init__.py"])
def test_what_runners_read_unasked_stays(scene, name):
    now = {f"tests/{name}": b"x = 1\n"}
    gone = cleared(scene, now, traced(scene, {}, now, now, is_prose=False))
    assert scene.files(gone.tree) == now


@pytest.mark.parametrize(
    "text",
    [
        "- Spans show hours (#603)",
        "- Spans show hours. `#603 <https://example.org/a/b/issues/603>`_",
        "- Spans show hours ([1f2e3d4](https://example.org))",
        "- Spans show *hours*,\n  where there are any of them. (#12)",
        "- :pr:`603`: spans",
        "- Spans show hours, as was asked in #590",
    ],
)
def test_entries_of_a_change_log_that_name_the_change_go(scene, text):
    log = f"# News\n\n- Before it. (#60)\n{text}\n- After it. (#6030)\n"
    names = Names(
        request=603,
        issues=(590,),
        commits=("1f2e3d4" + "0" * 33,),
        news=("Spans show hours where there are any of them.",),
    )
    gone = cleared(scene, {"NEWS.md": log.encode()}, logs={"NEWS.md"}, names=names)
    assert scene.files(gone.tree)["NEWS.md"].decode() == "# News\n\n- Before it. (#60)\n- After it. (#6030)\n"
    assert gone.files == {"NEWS.md": "1 entries that name the change removed"}


def test_of_nested_entries_only_the_one_that_names_the_change_goes(scene):
    log = b"* Spans:\n\n  * hours (#603)\n  * days (#604)\n* Others\n"
    gone = cleared(scene, {"NEWS.md": log}, logs={"NEWS.md"}, names=Names(request=603))
    assert scene.files(gone.tree)["NEWS.md"] == b"* Spans:\n\n  * days (#604)\n* Others\n"


def test_what_packaging_holds_of_the_change_is_told_and_left(scene):
    now = {"setup.cfg": b"[metadata]\nversion = 1.2.0 of the tool\n"}
    traces = traced(scene, {"setup.cfg": b"[metadata]\n"}, now, now, is_fixed=True)
    gone = cleared(scene, now, traces)
    assert scene.files(gone.tree) == now
    assert gone.left == {"setup.cfg": "it is packaging or a setting, of which no line is taken"}


def test_a_broken_run_loses_neither_rules_nor_lines_that_stood_there_before(scene):
    rule, known = b"=" * 24 + b"\n", b"See the guide for all the rest.\n"
    before = rule + b"Intro\n" + rule + known
    run = b"\n" + rule + b"Labels are joined by a colon now\n" + rule + b"-" * 24 + b"\n" + known
    now = (before + run).replace(b"a colon now", b"one sign") + b"Labels are what stands in front.\n"
    after = before + run + b"Labels are what stands in front.\n"
    traces = traced(scene, {"g.md": before}, {"g.md": after}, {"g.md": now})
    gone = cleared(scene, {"g.md": now}, traces, documents={"g.md"})
    assert scene.files(gone.tree)["g.md"] == now.replace(b"Labels are what stands in front.\n", b"")
