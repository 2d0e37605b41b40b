import pytest

from tests.support.repos import RepoBuilder


@pytest.fixture
def source(tmp_path):
    """An empty repository to commit to."""
    return RepoBuilder(tmp_path / "source")


@pytest.fixture
def opened():
    """Open repositories that are closed when the test ends."""
    held = []

    def keep(repository):
        held.append(repository)
        return repository

    yield keep
    for repository in held:
        repository.close()
