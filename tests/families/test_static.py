from __future__ import annotations

from change2task.api.taskcandidate import StaticOracle
from change2task.families.static import static_check, static_check_of_answer

ORACLE = StaticOracle(gone=("pkg_resources",), used=("importlib.metadata.version",))
OLD = b"import pkg_resources\n\nv = pkg_resources.get_distribution('x').version\n"
NEW = b"from importlib.metadata import version\n\nv = version('x')\n"


def test_old_gone_and_new_used_passes() -> None:
    assert static_check(ORACLE, {b"a.py": NEW, b"b.py": b"x = 1\n"}).outcome == "passed"


def test_a_use_of_the_old_api_fails_and_is_placed() -> None:
    found = static_check(ORACLE, {b"a.py": OLD, b"b.py": NEW})
    assert found.outcome == "failed"
    assert found.places[0] == "a.py:1 pkg_resources"
    assert "a.py:3" in found.message


def test_an_import_alone_is_a_use_of_the_old_and_none_of_the_new() -> None:
    assert static_check(ORACLE, {b"a.py": NEW + b"import pkg_resources\n"}).outcome == "failed"
    found = static_check(ORACLE, {b"a.py": b"from importlib.metadata import version\n"})
    assert (found.outcome, found.message) == ("failed", "not used in any of 1 files: importlib.metadata.version")


def test_words_in_strings_and_comments_are_no_use() -> None:
    assert static_check(ORACLE, {b"a.py": NEW + b"# pkg_resources\nS = 'pkg_resources'\n"}).outcome == "passed"


def test_globs_choose_the_files() -> None:
    oracle = ORACLE.replacing(paths=("src/**",))
    assert static_check(oracle, {b"src/a.py": NEW, b"setup.py": OLD}).outcome == "passed"


def test_nothing_to_read_is_no_verdict() -> None:
    assert static_check(ORACLE, {b"a.txt": OLD}).outcome == "error"
    assert static_check(ORACLE, {}).outcome == "error"


class TestAnswers:
    """The same oracle on an agent's answer."""

    oracle = ORACLE.replacing(paths=("src/**",))

    def test_new_names_may_be_used_in_any_file_that_was_changed(self) -> None:
        files = {b"src/a.py": b"from lib.versions import v\n"}
        changed = {b"lib/versions.py": NEW}
        assert static_check(self.oracle, files).outcome == "failed"
        assert static_check_of_answer(self.oracle, files, changed, {}).outcome == "passed"

    def test_old_names_may_not_move_into_another_file(self) -> None:
        found = static_check_of_answer(self.oracle, {b"src/a.py": NEW}, {b"lib/old.py": OLD}, {})
        assert (found.outcome, found.places[0]) == ("failed", "lib/old.py:1 pkg_resources")
        assert found.message.startswith("moved aside")

    def test_old_names_stay_where_the_base_has_them(self) -> None:
        changed, healthy = {b"lib/old.py": OLD + b"x = 1\n"}, {b"lib/old.py": OLD}
        assert static_check_of_answer(self.oracle, {b"src/a.py": NEW}, changed, healthy).outcome == "passed"

    def test_files_of_no_known_language_say_nothing(self) -> None:
        files, changed = {b"src/a.py": NEW}, {b"notes.txt": OLD}
        assert static_check_of_answer(self.oracle, files, changed, {}).outcome == "passed"
