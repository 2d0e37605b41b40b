from dataclasses import replace

import pytest

from change2task.patch.unified import (
    Line,
    MalformedPatch,
    edit_groups,
    parse_patch,
)
from tests.support.patches import touched

SIMPLE = b"""\
diff --git a/pkg/a.py b/pkg/a.py
index 0123456..789abcd 100644
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -1,4 +1,4 @@ def f():
 one
-two
+TWO
 three
 four
"""


def only(data):
    (file,) = parse_patch(data).files
    return file


def test_a_patch_is_read_as_files_hunks_and_lines():
    file = only(SIMPLE)
    assert (file.old_path, file.new_path, file.path) == (b"pkg/a.py",) * 3
    assert (file.old_mode, file.new_mode, file.old_oid, file.new_oid) == (0o100644, 0o100644, "0123456", "789abcd")
    (hunk,) = file.hunks
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (1, 4, 1, 4)
    assert hunk.section == b" def f():"
    assert hunk.lines[1:3] == (Line("-", b"two\n"), Line("+", b"TWO\n"))


def test_nothing_is_a_patch_without_files():
    assert parse_patch(b"").files == ()
    assert parse_patch(b"\n  \n").files == ()


def test_carriage_returns_are_content():
    data = SIMPLE.replace(b"-two\n+TWO\n", b"-two\r\n+TWO\r\n")
    assert only(data).hunks[0].lines[2] == Line("+", b"TWO\r\n")
    assert parse_patch(data).render() == data


def test_other_line_separators_do_not_cut_lines():
    data = SIMPLE.replace(b"+TWO\n", b"+T\x0bW\x0c\x1c\xe2\x80\xa8O\x85\n")
    assert only(data).hunks[0].lines[2].text == b"T\x0bW\x0c\x1c\xe2\x80\xa8O\x85\n"


def test_a_missing_newline_at_the_end_is_kept_on_each_side():
    data = b"""\
diff --git a/a b/a
index 0123456..789abcd 100644
--- a/a
+++ b/a
@@ -1 +1 @@
-one
\\ No newline at end of file
+two
"""
    assert only(data).hunks[0].lines == (Line("-", b"one"), Line("+", b"two\n"))
    assert parse_patch(data).render() == data


def test_a_mode_change_alone_has_no_hunks():
    file = only(b"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n")
    assert (file.old_mode, file.new_mode, file.hunks) == (0o100644, 0o100755, ())


def test_an_empty_file_is_made_and_deleted():
    made = only(b"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n")
    assert (made.old_path, made.new_path) == (None, b"e")
    gone = only(b"diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n")
    assert (gone.old_path, gone.new_path) == (b"e", None)


def test_binary_data_is_carried_along():
    data = (
        b"diff --git a/i.png b/i.png\nindex 87ae6b6..22f6b3b 100644\nGIT binary patch\n"
        b"literal 8\nPcmYew%wtF_sx$%s42c4`\n\nliteral 7\nOcmYew%wtF_sssQD(E^45\n\n"
    )
    file = only(data)
    assert file.binary
    assert file.hunks == ()
    assert parse_patch(data + SIMPLE).render() == data + SIMPLE


def test_binary_files_without_data_are_told():
    file = only(b"diff --git a/i b/i\nindex 87ae6b6..22f6b3b 100644\nBinary files a/i and b/i differ\n")
    assert file.binary


def test_a_submodule_is_a_file_of_one_line():
    data = (
        b"diff --git a/sub b/sub\nnew file mode 160000\nindex 0000000..1111111\n--- /dev/null\n+++ b/sub\n"
        b"@@ -0,0 +1 @@\n+Subproject commit 1111111111111111111111111111111111111111\n"
    )
    assert only(data).new_mode == 0o160000
    assert parse_patch(data).render() == data


def test_quoted_and_blank_paths_are_bytes():
    header = b'diff --git "a/t\\tab" "b/t\\tab"\nold mode 100644\nnew mode 100755\n'
    assert only(header).path == b"t\tab"
    blanks = b"diff --git a/my file b/my file\nold mode 100644\nnew mode 100755\n"
    assert only(blanks).path == b"my file"
    trap = b"diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n"
    assert only(trap).path == b"x b/x"


def test_a_rename_has_both_names():
    data = b"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
    assert (only(data).old_path, only(data).new_path) == (b"old", b"new")
    assert touched(parse_patch(data)) == {b"old", b"new"}


def test_a_plain_unified_diff_is_read_too():
    data = b"--- a/x.py\t2024-01-01 00:00:00\n+++ b/x.py\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n"
    assert only(data).path == b"x.py"
    assert parse_patch(data).render() == data


def test_the_text_of_a_mail_around_a_patch_is_kept():
    data = b"From 0123 Mon Sep 17\nSubject: [PATCH] x\n\n---\n pkg/a.py | 2 +-\n\n" + SIMPLE + b"-- \n2.39.5\n\n"
    patch = parse_patch(data)
    assert len(patch.files) == 1
    assert patch.render() == data


def test_an_unchanged_empty_line_without_its_blank_is_read():
    data = SIMPLE.replace(b" three\n", b"\n")
    assert only(data).hunks[0].lines[3] == Line(" ", b"\n")


def bad(data, reason, line=None):
    with pytest.raises(MalformedPatch) as caught:
        parse_patch(data)
    assert reason in str(caught.value)
    if line is not None:
        assert caught.value.line == line


def test_text_that_is_no_patch_is_refused():
    bad(b"I could not solve this task.\n", "no change")


def test_a_hunk_that_ends_too_early_is_refused_with_its_line():
    bad(SIMPLE.removesuffix(b" four\n"), "ends too early", 10)


def test_a_hunk_with_more_lines_than_it_says_is_refused():
    bad(SIMPLE + b"+five\n", "a line too many", 11)
    bad(SIMPLE.replace(b"+TWO\n", b"+TWO\n+2\n+3\n"), "are not the")


def test_a_hunk_without_a_file_is_refused():
    bad(b"@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file", 1)


def test_names_that_contradict_each_other_are_refused():
    bad(
        SIMPLE.replace(b"--- a/pkg/a.py", b"--- a/etc/passwd").replace(b"+++ b/pkg/a.py", b"+++ b/etc/passwd"), "differ"
    )
    bad(SIMPLE.replace(b"+++ b/pkg/a.py", b"+++ b/pkg/b.py"), "differ")
    bad(b"diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", "two names")


def test_dev_null_must_agree_with_the_header():
    bad(SIMPLE.replace(b"--- a/pkg/a.py", b"--- /dev/null"), "contradict")


def test_a_combined_diff_is_refused():
    bad(b"diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,1 -1,1 +1,1 @@@\n", "combined")


def test_a_patch_whose_own_lines_were_changed_to_crlf_is_refused():
    bad(SIMPLE.replace(b"\n", b"\r\n"), "carriage return", 1)


def test_a_hunk_that_changes_nothing_is_refused():
    bad(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "changes nothing")


def test_hunks_must_stand_in_order():
    first = b"@@ -10 +10 @@\n-a\n+b\n"
    bad(b"--- a/x\n+++ b/x\n" + first + b"@@ -2 +2 @@\n-a\n+b\n", "overlaps")


def test_a_change_hidden_behind_a_signature_is_refused():
    bad(SIMPLE + b"-- \n2.39\n" + SIMPLE, "behind the signature")


@pytest.mark.parametrize("junk", [b"garbage\n", b"+x\n", b"Index: y\n", b"diff -u a b\n", b"*** a\n"])
def test_text_between_files_is_refused(junk):
    bad(SIMPLE + junk + SIMPLE, "line 11")


def test_reading_takes_time_in_proportion_to_the_size():
    many = b"".join(SIMPLE.replace(b"a.py", b"%d.py" % number) for number in range(5_000))
    assert len(parse_patch(many).files) == 5_000
    long = b"--- a/x\n+++ b/x\n@@ -0,0 +1,100000 @@\n" + b"+x\n" * 100_000
    assert len(only(long).hunks[0].lines) == 100_000
    with pytest.raises(MalformedPatch):
        parse_patch(b'diff --git "' + b"\\\\a" * 500_000 + b" b/x\n")


def test_edit_groups_are_maximal_runs_with_the_lines_around_them():
    data = b"""\
--- a/x
+++ b/x
@@ -10,6 +10,6 @@
 a
-b
-c
+B
 d
 e
+f
-g
 h
""".replace(b"@@ -10,6 +10,6", b"@@ -10,7 +10,6")
    first, second = edit_groups(only(data).hunks[0])
    assert (first.removed, first.added) == ((b"b\n", b"c\n"), (b"B\n",))
    assert (first.before, first.after) == ((b"a\n",), (b"d\n", b"e\n"))
    assert (first.old_start, first.new_start) == (11, 11)
    assert (second.removed, second.added, second.old_start, second.new_start) == ((b"g\n",), (b"f\n",), 15, 14)


def test_the_group_of_a_new_file_starts_at_its_first_line():
    data = b"diff --git a/n b/n\nnew file mode 100644\nindex 0..1\n".replace(b"0..1", b"0000000..1111111")
    (group,) = edit_groups(only(data + b"--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n").hunks[0])
    assert (group.old_start, group.new_start, group.before, group.after) == (1, 1, (), ())


def test_a_file_without_any_name_is_no_file_of_a_patch():
    nameless = replace(only(b"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n"), new_path=None)
    with pytest.raises(ValueError, match="has a name before or after it"):
        _ = nameless.path
