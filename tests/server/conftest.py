"""Servers of the sample; they and their clients find no extension but those of the extra [server]."""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import evalsql
from evalsql.server.policy import with_announced
from evalsql.server.sessions import Sessions, Tokens
from tests.conftest import load_sample
from tests.server.served import RUNS, Served

WRITE, READ = "w" * 20, "r" * 20


@pytest.fixture(autouse=True, scope="package")
def extensions_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """DuckDB takes an extension that lies in the user's home folder wherever it wants one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "team.duckdb"
    with evalsql.open(path) as warehouse:
        load_sample(warehouse, *RUNS)
    return path


@pytest.fixture(scope="module")
def served(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("served") / "team.duckdb"
    shutil.copy(file, path)
    server = Served(path)
    server.start()
    yield server
    assert server.end() == 0
    assert not Path(f"{path}.wal").exists()


@pytest.fixture
def own(file: Path, tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own, to be killed."""
    shutil.copy(file, tmp_path / "team.duckdb")
    server = Served(tmp_path / "team.duckdb")
    server.start()
    yield server
    server.end(signal.SIGKILL)


def _names(announced: str) -> set[str]:
    return {relation.name for relation in with_announced(announced).own}


class Watched(Sessions):
    """Sessions of which three have shown the token that writes, with the lines of the log and a clock to move."""

    def __init__(self) -> None:
        self.time, self.lines = 1000.0, list[str]()
        super().__init__(Tokens(WRITE, READ), self.lines.append, _names, lambda: self.time)
        for name in "abc":
            self.authenticate(name, WRITE, "")


@pytest.fixture
def sessions() -> Watched:
    return Watched()
