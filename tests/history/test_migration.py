from __future__ import annotations

from change2task.history.migration import derive_migration

OWN = frozenset({"pkg"})


def test_one_module_for_another_is_a_migration() -> None:
    before = b"import pkg_resources\nfrom pkg.core import f\n\nv = pkg_resources.get_distribution('x')\n"
    after = b"from importlib.metadata import version\nfrom pkg.core import f\n\nv = version('x')\n"
    oracle, why = derive_migration([(b"pkg/a.py", before, after)], OWN)
    assert oracle is not None
    assert (oracle.gone, oracle.used) == (("pkg_resources",), ("importlib.metadata.version",))
    assert "importlib.metadata.version" in why


def test_one_name_for_another_of_the_same_module_is_a_migration() -> None:
    oracle, _ = derive_migration([(b"a.py", b"from os import popen, sep\n", b"from os import sep, system\n")], OWN)
    assert oracle is not None
    assert (oracle.gone, oracle.used) == (("os.popen",), ("os.system",))


def test_several_new_modules_are_not_unambiguous() -> None:
    oracle, why = derive_migration([(b"a.py", b"import six\n", b"import io\nimport json\n")], OWN)
    assert oracle is None
    assert "io, json" in why


def test_the_projects_own_modules_and_typing_do_not_count() -> None:
    before = b"from pkg.old import f\nfrom typing import List\n"
    after = b"from pkg.new import f\nfrom typing import Dict\nfrom .rel import g\n"
    assert derive_migration([(b"pkg/a.py", before, after)], OWN)[0] is None


def test_a_module_still_imported_in_another_touched_file_is_not_gone() -> None:
    files = [(b"a.py", b"import six\n", b"import io\n"), (b"b.py", b"import six\n", b"import six\n")]
    assert derive_migration(files, OWN)[0] is None


def test_files_without_a_grammar_and_absent_sides_say_nothing() -> None:
    assert derive_migration([(b"a.txt", b"import six\n", b"import io\n"), (b"b.py", None, None)], OWN)[0] is None
