"""What tests share: where things are, and warehouses to test on."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import evalsql
from evalsql import Warehouse

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
SAMPLE = ROOT / "evalsql" / "sample"


def real_data() -> Path | None:
    """The folder of public data that is not part of the project, if it is here."""
    folder = Path(os.environ.get("EVALSQL_REAL_DATA") or ROOT.parent / "shared" / "data")
    return folder if folder.is_dir() else None


@pytest.fixture
def real() -> Path:
    folder = real_data()
    if folder is None:
        pytest.skip("no real data: EVALSQL_REAL_DATA names no folder and ../shared/data is not there")
    return folder


# The template of warehouses is made anew for the tests, wherever the user's own is.
if "EVALSQL_TEST_CACHE" not in os.environ:
    os.environ["EVALSQL_TEST_CACHE"] = os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)


@cache
def _empty_file() -> Path:
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    evalsql.open(folder / "empty.duckdb").close()
    return folder / "empty.duckdb"


def new_file(folder: Path | None = None) -> Path:
    """A warehouse file without data, copied, since making one takes seconds."""
    copy, name = tempfile.mkstemp(".duckdb", dir=folder or _empty_file().parent)
    os.close(copy)
    return Path(shutil.copy(_empty_file(), name))


def new_warehouse() -> Warehouse:
    return evalsql.open(new_file())


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Warehouse]:
    """An empty warehouse."""
    with evalsql.open(new_file(tmp_path)) as warehouse:
        yield warehouse


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse file with the sample; tests do not change it."""
    path = new_file(tmp_path_factory.mktemp("warehouse"))
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs(str(SAMPLE / "runs" / "*.run"))
    return path


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs ``evalsql`` as a user does, in an empty folder."""

    def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if key != "EVALSQL_DB"}
        return subprocess.run(
            [sys.executable, "-m", "evalsql", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=120,
            check=False,
        )

    return run


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
