"""What tests share: where things are, and warehouses to test on."""

import atexit
import csv
import gc
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import InputWarning, Warehouse
from evalsql.catalog.relations import Catalog, read_catalog
from evalsql.cli import main
from evalsql.warehouse import connecting, own_measures
from evalsql.warehouse import open as opening
from evalsql.warehouse.warehouse import Warehouse as PlainWarehouse
from tests import pool

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
SAMPLE = ROOT / "evalsql" / "sample"
FEW = (
    *("ap", "ndcg", "num_ret", "rr", "tap", "count_of", "coverage", "document_words", "first_names", "group_means"),
    *("holdings", "inventory", "judgments", "rankings", "stored_values", "summary", "tie_effects"),
    *("topic_groups", "topic_texts"),
)
KEPT = ("tables", "formats", "loading", "stored_scores", "explanation", "selection", "migrations", "audits", "page")


def pytest_configure() -> None:
    gc.disable()  # what is imported and collected is no garbage: to look through it took three seconds in each worker


def pytest_collection_finish() -> None:
    # It stays to the end. Statsmodels collects garbage in every correction, which took a fifth of a second each time.
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # the engine's package complains about what is left at the end


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


# A shell makes what it starts in the background ignore Ctrl-C, and tests send it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # ranx compiles for minutes otherwise
# It imports matplotlib, which lists the fonts of the machine for seconds where it does not find the list it kept.
_CACHES = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
os.environ.setdefault("MPLCONFIGDIR", str(Path(_CACHES, "matplotlib")))

# The template of warehouses is made anew for the tests, wherever the user's own is.
if "EVALSQL_TEST_CACHE" not in os.environ:
    os.environ["EVALSQL_TEST_CACHE"] = os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)


@cache
def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """A file or folder for all workers: the first to want it makes it, the others wait."""
    path = Path(os.environ["EVALSQL_TEST_CACHE"]) / name
    while not path.exists():
        try:
            path.with_suffix(".claimed").mkdir()
        except FileExistsError:
            time.sleep(0.1)
            continue
        try:
            if not path.exists():
                make(path.with_suffix(".made"))
                path.with_suffix(".made").rename(path)
        finally:
            path.with_suffix(".claimed").rmdir()
    return path


def _make_empty(path: Path) -> None:
    evalsql.open(path).close()


def loaded_once(name: str, load: Callable[[Warehouse], object]) -> Path:
    """A warehouse file for all workers, with what that loads."""

    def make(path: Path) -> None:
        shutil.copy(made_once("empty.duckdb", _make_empty), path)
        with evalsql.open(path) as warehouse:
            load(warehouse)

    return made_once(name, make)


@cache
def _scratch() -> Path:
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def new_file(folder: Path | None = None, like: Path | None = None) -> Path:
    """A warehouse file, by default without data, copied, since making one takes seconds."""
    copy, name = tempfile.mkstemp(".duckdb", dir=folder or _scratch())
    os.close(copy)
    return Path(shutil.copy(like or made_once("empty.duckdb", _make_empty), name))


def new_warehouse() -> Warehouse:
    """An empty warehouse in memory."""
    return pool.warehouse_in_memory()


def open_held(path: Path) -> Warehouse:
    """A file open for reading, which this process holds to the end, so that it opens at once the next time."""
    _held(path)
    return evalsql.open(path, read_only=True)


@cache
def _held(path: Path) -> Warehouse:
    warehouse = evalsql.open(path, read_only=True)
    atexit.register(warehouse.close)
    return warehouse


@pytest.fixture
def few_measures(monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """Some measures and reports for all there are: where making views is what is tested, but not which."""
    made_once("empty.duckdb", _make_empty)  # which all tests copy, so that it has all measures
    whole = read_catalog()
    built = {relation.name for relation in whole.build_order(FEW)}
    kept = [each for each in whole.relations.values() if each.name in built or each.kind in KEPT]
    catalog = Catalog({}, "").extended(kept)
    for module in (own_measures, opening, connecting):
        monkeypatch.setattr(module, "read_catalog", lambda: catalog)
    return catalog


def module_warehouse(load: Callable[[Warehouse], object]) -> Any:
    """A fixture for the tests of a module: a warehouse in memory with what that loads."""

    @pytest.fixture(scope="module")
    def loaded() -> Iterator[Warehouse]:
        with new_warehouse() as warehouse:
            load(warehouse)
            yield warehouse

    return loaded


def module_file(load: Callable[[Warehouse], object]) -> Any:
    """A fixture for the tests of a module: a file with what that loads, which this process holds open."""

    @pytest.fixture(scope="module")
    def path() -> Path:
        file = new_file()
        with evalsql.open(file) as warehouse:
            load(warehouse)
        open_held(file)
        return file

    return path


@pytest.fixture
def empty() -> Iterator[Warehouse]:
    """An empty warehouse in memory."""
    with new_warehouse() as warehouse:
        yield warehouse


@pytest.fixture
def empty_file(tmp_path: Path) -> Iterator[Warehouse]:
    """An empty warehouse in a file."""
    with evalsql.open(new_file(tmp_path)) as warehouse:
        yield warehouse


def load_sample(warehouse: PlainWarehouse, *runs: str) -> None:
    """Load the sample's judgments and these of its runs, by default all."""
    warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
    warehouse.load_runs([SAMPLE / "runs" / f"{run}.run" for run in runs] or str(SAMPLE / "runs" / "*.run"))


@pytest.fixture(scope="session")
def sample_file() -> Path:
    """A warehouse file with the sample; tests do not change it."""
    return loaded_once("sample.duckdb", load_sample)


@pytest.fixture(scope="module")
def sample(sample_file: Path) -> Iterator[Warehouse]:
    """The sample, open for reading."""
    with evalsql.open(sample_file, read_only=True) as warehouse:
        yield warehouse


Outcome = subprocess.CompletedProcess[str]
Command = Callable[..., Outcome]


def in_process(folder: Path, arguments: Sequence[object], stdin: str) -> Outcome:
    """What a process of ``evalsql`` does, done in this one: most of a short command's time is its imports."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(3)]
    streams[0].buffer.write(stdin.encode())
    streams[0].buffer.seek(0)
    streams[2].reconfigure(errors="backslashreplace")
    handler = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.resetwarnings()
        patch.chdir(folder)
        patch.delenv("EVALSQL_DB", raising=False)
        patch.setattr(sys, "argv", ["evalsql", *map(str, arguments)])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            main()
            code: Any = 0
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc()
            code = 1
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
    printed = [stream.buffer.getvalue().decode() for stream in streams[1:]]
    return subprocess.CompletedProcess([str(each) for each in arguments], int(code or 0), *printed)


def of_its_own(folder: Path, arguments: Sequence[object], stdin: str) -> Outcome:
    environment = {key: value for key, value in os.environ.items() if key != "EVALSQL_DB"}
    line = [sys.executable, "-m", "evalsql", *map(str, arguments)]
    return subprocess.run(
        line, input=stdin, capture_output=True, text=True, cwd=folder, env=environment, timeout=600, check=False
    )


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs ``evalsql`` in an empty folder, within this process."""
    return lambda *arguments, stdin="": in_process(tmp_path, arguments, stdin)


@pytest.fixture
def demo(command: Command, tmp_path: Path, sample_file: Path) -> Command:
    """The command in a folder with the sample's warehouse."""
    shutil.copy(sample_file, tmp_path / "evalsql.duckdb")
    return command


@pytest.fixture
def process(tmp_path: Path) -> Command:
    """Runs ``evalsql`` in an empty folder as a user does: in a process of its own."""
    return lambda *arguments, stdin="": of_its_own(tmp_path, arguments, stdin)


def own_measure(path: Path, name: str, select: str) -> Path:
    """A file with a measure of one's own."""
    header = (f"measure: {name}", "title: T", "definition: as it says", "range: 0 1000", "mean: arithmetic")
    return write(path, "".join(f"-- {line}\n" for line in header) + select + "\n")


def assert_refused(outcome: Outcome, *complaints: str, code: int = 2) -> None:
    """A command ended with this code, printed no rows and said all this."""
    assert (outcome.returncode, outcome.stdout, "Traceback" in outcome.stderr) == (code, "", False)
    for complaint in complaints:
        assert complaint in outcome.stderr


def csv_rows(text: str) -> list[dict[str, str]]:
    """The rows of a table that was printed as CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def warned(act: Callable[[], object]) -> list[str]:
    """What is warned of meanwhile."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    return [str(each.message) for each in caught if issubclass(each.category, InputWarning)]


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
