"""Columns that somebody adds to the tables of a warehouse, under whatever names, change nothing."""

import shlex
import shutil
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql.catalog.relations import read_catalog
from tests.conftest import SAMPLE, in_process, load_sample, loaded_once, made_once, new_file, own_measure
from tests.long_cases import few_of

TABLES = list(read_catalog().of_kind("tables"))
ADDED = {column for table in TABLES for column in table.columns} | {"satisfaction", "system", "version", "dated_at"}


def _load(warehouse: evalsql.Warehouse) -> None:
    load_sample(warehouse, "bm25", "dense", "tfidf")
    warehouse.annotate(["bm25", "dense"], meta={"system": "s"})
    warehouse.load_qrels({"T01": {"doc-0133": 1}, "T02": {"doc-0001": 1}}, "other")
    warehouse.load_topics({"T01": {"text": "a", "kind": "x"}, "T02": {"text": "b", "kind": "y"}}, qrels="sample")
    warehouse.load_weights({"T01": 3.0, "T02": 1.0}, "other")
    warehouse.load_scores([{"system": "x", "collection": c, "measure": "P@10", "value": 0.5} for c in "cd"])


@pytest.fixture(scope="module")
def files() -> tuple[Path, Path]:
    """A warehouse, and the same whose tables have columns under each name that a column of another has."""
    path = loaded_once("without_added_columns.duckdb", _load)
    return path, made_once("with_added_columns.duckdb", lambda made: _widen(Path(shutil.copy(path, made))))


def _widen(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        for table in TABLES:
            for column in sorted(ADDED - table.columns.keys()):
                connection.execute(f"alter table {table.name} add column {column} varchar default 'z'")


COMMANDS = [
    *("leaderboard", "leaderboard -m ERR --since 2020-01-01 --format csv", "topics -m AP", "ties -m AP", "ls"),
    *("leaderboard -m AP --by kind --qrels sample", "topics bm25 -m P@10", "export topics sample"),
    *(
        "compare bm25 -m AP --qrels sample",
        "explain dense T01 --other bm25 -m AP --qrels sample",
    ),
    *("pool bm25 dense --depth 3 --qrels sample", "diff bm25 dense -m AP --qrels sample", "export weights other"),
    *("check", "holes -m AP --qrels sample", "fuse rrf bm25 dense --name fused", "drop runs bm25", "drop qrels sample"),
    *(
        "agreement sample other",
        "export runs bm25",
        "export qrels --output out",
        "annotate bm25 --meta a=b",
        "report --qrels sample --output r.md",
    ),
    *(f"load runs {SAMPLE / 'runs' / 'hybrid.run'} --qrels sample", f"load qrels {SAMPLE / 'qrels.txt'} --name third"),
]


@pytest.mark.parametrize("words", few_of(COMMANDS, 2))
def test_a_command_says_what_it_said_before(words: str, files: tuple[Path, Path], tmp_path: Path) -> None:
    told = []
    for nth, path in enumerate(files):
        (folder := tmp_path / str(nth)).mkdir()
        outcome = in_process(folder, [*shlex.split(words), "--db", shutil.copy(path, tmp_path / "w.duckdb")], "")
        written = {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
        told.append((outcome.returncode, outcome.stdout, outcome.stderr, written))
    assert told[1] == told[0]
    assert told[0][0] == 0


def test_measures_are_kept_beside_them(files: tuple[Path, Path], tmp_path: Path) -> None:
    own = own_measure(
        tmp_path / "own.sql", "Own", "select qrels, run, topic, 1.0::double as value from evaluated_topics"
    )
    with evalsql.open(shutil.copy(files[1], tmp_path / "w.duckdb")) as warehouse:
        assert warehouse.load_measures(own) == ["Own"]
        warehouse.drop_measures("Own")


NAMED = (
    *('"run date" date', '"x generated always as (1)" integer', '"runs, run" integer'),
    *('"a ""b"" (c" integer', "e enum('a generated always as b', 'c, d')", '"generated always as" varchar'),
)


@pytest.mark.parametrize("column", few_of(NAMED))
def test_an_added_column_may_have_any_name_and_value(column: str, tmp_path: Path) -> None:
    """The words of its name or values are no words of a type."""
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        load_sample(warehouse, "bm25")
        warehouse.execute(f"alter table runs add column {column}")
    with evalsql.open(path) as warehouse:
        warehouse.load_runs(SAMPLE / "runs" / "dense.run", qrels="sample")
        assert warehouse.rows("select run from runs order by run") == [("bm25",), ("dense",)]


NO_COLLATION = "a column or type has no collation here"
COLLATED = (
    "varchar collate nocase",
    "VarChar ( 'de' )",
    "varchar('nocase')",
    "text COLLATE noaccent",
    "\"varchar\"('nocase')",
)


@pytest.mark.parametrize("kind", few_of(COLLATED))
def test_an_added_column_gets_no_collation(kind: str, tmp_path: Path) -> None:
    """Nobody could open the file any more. Types with a collation are for DuckDB 2.0, COLLATE for columns."""
    is_typed, is_read = "(" in kind, '"' in kind or not duckdb.__version__.startswith("1.")
    with evalsql.open(new_file(tmp_path)) as warehouse:
        with pytest.raises(evalsql.EvalsqlError, match=NO_COLLATION if is_read or not is_typed else "Parser Error"):
            warehouse.execute(f"alter table runs add column z {kind}")
        with pytest.raises(evalsql.EvalsqlError, match=NO_COLLATION if is_read and is_typed else "Parser Error"):
            warehouse.execute(f"create type folded as {kind}")
        warehouse.execute("alter table runs add column z enum('collate'); alter table runs add column y decimal(4, 2)")
