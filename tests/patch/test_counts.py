from change2task.patch.counts import Counts, count, count_files, total
from change2task.patch.unified import parse_patch

PATCH = b"""\
diff --git a/a.py b/a.py
index 0123456..789abcd 100644
--- a/a.py
+++ b/a.py
@@ -3,3 +3,4 @@
 c
-d
+D
+D2
 e
@@ -20,0 +22 @@
+tail
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""


def test_files_hunks_and_lines_are_counted():
    assert count(parse_patch(PATCH)) == Counts(files=2, hunks=2, removed=1, added=3)
    assert count(parse_patch(PATCH)).lines == 4


def test_changed_lines_are_numbered_on_their_own_side():
    first, second = count_files(parse_patch(PATCH))
    assert (first.path, first.hunks, first.removed_lines, first.added_lines) == (b"a.py", 2, (4,), (4, 5, 22))
    assert (second.path, second.lines) == (b"run.sh", 0)


def test_some_files_alone_can_be_totalled():
    files = [file for file in count_files(parse_patch(PATCH)) if file.path != b"a.py"]
    assert total(files) == Counts(files=1, hunks=0, removed=0, added=0)


def test_an_empty_patch_counts_nothing():
    assert count(parse_patch(b"")) == Counts(0, 0, 0, 0)
