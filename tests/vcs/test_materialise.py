import os
import stat

import pytest

from change2task.vcs.errors import MissingObject, UnsafePath
from change2task.vcs.materialise import EPOCH, check_path, materialise
from change2task.vcs.repository import Repository
from change2task.vcs.trees import FILE, SYMLINK, Entry, Tree
from tests.support.repos import Executable, Submodule, Symlink


@pytest.fixture
def laid_out(source, opened, tmp_path):
    def lay_out(files, **options):
        commit = source.commit(files)
        repo = opened(Repository.open(source.path))
        folder = tmp_path / "out"
        materialise(repo, repo.tree(commit), folder, **options)
        return folder

    return lay_out


def test_files_are_laid_out_byte_for_byte(laid_out):
    files = {b"a": b"1\r\n\0\xff", b"d/e/f": b"", b"caf\xe9 \n\t": b"x", b"big": os.urandom(3_000_000)}
    folder = laid_out(files)
    assert {os.fsencode(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == files


def test_attributes_of_the_tree_are_without_effect(laid_out):
    folder = laid_out({".gitattributes": b"* text eol=crlf ident\n", "a": b"$Id$\n"})
    assert (folder / "a").read_bytes() == b"$Id$\n"


def test_modes_do_not_depend_on_the_umask(laid_out):
    old = os.umask(0o077)
    try:
        folder = laid_out({"plain": b"x", "run": Executable(b"x"), "d/x": b"x"})
    finally:
        os.umask(old)
    modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("plain", "run", "d", "d/x")]
    assert modes == [0o644, 0o755, 0o755, 0o644]


def test_links_are_made_and_never_followed(laid_out, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = laid_out({"l": Symlink(os.fsencode(outside)), "up": Symlink(b"../.."), "broken": Symlink(b"caf\xe9")})
    assert (folder / "l").readlink() == outside
    assert os.fsencode((folder / "broken").readlink()) == b"caf\xe9"
    assert list(outside.iterdir()) == []


def test_a_submodule_is_an_empty_folder(laid_out):
    folder = laid_out({"vendor/lib": Submodule("1" * 40)})
    assert list((folder / "vendor/lib").iterdir()) == []


def test_every_time_is_the_same(laid_out):
    folder = laid_out({"a/b": b"1", "l": Symlink(b"a"), "s": Submodule("1" * 40)}, epoch=1_234_567_890)
    everything = [folder, *folder.rglob("*")]
    assert {path.lstat().st_mtime for path in everything} == {1_234_567_890}
    assert len(everything) == 5
    assert EPOCH > 315_532_800  # zip archives begin in 1980


def test_a_folder_that_is_not_empty_is_refused(laid_out, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/left over").write_bytes(b"x")
    with pytest.raises(FileExistsError, match="not empty"):
        laid_out({"a": b"1"})


@pytest.mark.parametrize(
    "path",
    [
        b"../x",
        b"a/../../x",
        b"/etc/x",
        b"./x",
        b"a//x",
        b"",
        b"a/",
        b".git/config",
        b"a/.GIT/hooks/x",
        b".Git",
        b".git ",
        b".git..",
        b".git::$INDEX_ALLOCATION/x",
        b"git~1/x",
        ".g\u200cit/x".encode(),
        b"a\0b",
    ],
)
def test_paths_that_leave_the_folder_or_reach_git_are_refused(source, opened, tmp_path, path):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    tree = Tree({path: Entry(FILE, repo.write_blob(b"x"))})
    with pytest.raises(UnsafePath):
        materialise(repo, tree, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("path", [b".gitignore", b".github/x", b"a.git", b"...", b"..x", b".gitx", b"git~10", b"\xff"])
def test_names_that_only_look_similar_are_fine(path):
    check_path(path)


def test_nothing_is_written_through_a_link(source, opened, tmp_path):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = Tree(
        {
            b"l": Entry(SYMLINK, repo.write_blob(os.fsencode(outside))),
            b"l/x": Entry(FILE, repo.write_blob(b"x")),
        }
    )
    with pytest.raises(UnsafePath, match="itself a file or a link"):
        materialise(repo, tree, tmp_path / "out")
    assert list(outside.iterdir()) == []


def test_a_missing_blob_is_named(source, opened, tmp_path):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    with pytest.raises(MissingObject, match="ab" * 20):
        materialise(repo, Tree({b"a": Entry(FILE, "ab" * 20)}), tmp_path / "out")


def test_thousands_of_files_take_a_moment(source, opened, tmp_path):
    commit = source.commit({f"d{number % 50}/f{number}": b"%d" % number for number in range(2000)})
    repo = opened(Repository.open(source.path))
    tree = repo.tree(commit)
    materialise(repo, tree, tmp_path / "out")
    assert sum(len(files) for _, _, files in os.walk(tmp_path / "out")) == 2000
