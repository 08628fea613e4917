"""Rows and columns in a stranger's file that no load writes."""

import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import QueryError, UsageError, Warehouse, WarehouseError
from evalsql.catalog.relations import read_catalog
from evalsql.catalog.sql_text import typed_columns
from evalsql.cli.output import protected_files
from evalsql.database.database import Database
from evalsql.warehouse import file_checks
from evalsql.warehouse.export_files import write
from tests.conftest import Command, assert_refused, csv_rows
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("file", ["'/' || repeat('x', 5000)", "'a' || chr(0) || 'b'"])
def test_what_can_be_no_files_name_is_in_nobodys_way(
    command: Command, crafted: Crafted, tmp_path: Path, file: str
) -> None:
    path = crafted(f"update files set file = {file}")
    for _ in range(2):  # what is there already might be one of these files
        done = command("topics", "-m", "AP", "-o", "board.csv", "--db", path)
        assert (done.returncode, (tmp_path / "board.csv").exists()) == (0, True), done.stderr
    assert_refused(command("topics", "-m", "AP", "-o", path, "--format", "csv", "--db", path), "is in use here")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("file", ["//evil.example/share/y", r"\\evil.example\share\y", r"/\evil.example\y"])
def test_no_other_machine_is_asked_for_a_file(crafted: Crafted, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for = list[str]()

    def exists(path: str) -> bool:
        looked_for.append(path)
        return True

    with evalsql.open(crafted(f"update files set file = '{file}'"), read_only=True) as warehouse:
        monkeypatch.setattr("os.sep", "\\")
        monkeypatch.setattr("os.path.exists", exists)
        assert protected_files(warehouse) == [Path(warehouse.path)]
    assert not [each for each in looked_for if "evil" in each]


@pytest.mark.usefixtures("few_measures")
def test_a_run_of_an_empty_name_has_a_column(command: Command, crafted: Crafted) -> None:
    path = crafted("update runs set run = '' where run = 'bm25'")
    told = command("topics", "--wide", "-m", "AP", "--format", "csv", "--db", path)
    named = command("topics", "-m", "AP", "--format", "csv", "--db", path)
    expected = {row["topic"]: row["value"] for row in csv_rows(named.stdout) if row["run"] == ""}
    assert expected
    assert {row["topic"]: row[" "] for row in csv_rows(told.stdout)} == expected


@pytest.mark.usefixtures("few_measures")
def test_no_index_says_which_rows_a_table_has(crafted: Crafted) -> None:
    """With this one ``lower(topic) = 't01'`` had no rows; the macro is in no file that is opened."""
    for read_only in (True, False):
        path = crafted("create temp macro lower(x) as concat('not ', x)", "create index i on topics (lower(topic))")
        with duckdb.connect(str(path), read_only=True) as connection:
            assert (
                connection.execute("select topic from topics where system.main.lower(topic) = 't01'").fetchall() == []
            )
        with pytest.raises(WarehouseError, match=r'"i" is an index of a table of evalsql\'s, .*; drop index "i", in'):
            evalsql.open(path, read_only=read_only)
    listed = ("judged_ranks (rank, last_rank)", 'retrieved ("First_Rank")', "runs (run)", '"QRELS" (qrels, form)')
    for on in (*(f'index "(a" on {each}' for each in listed), 'unique index "(a" on topics using art (topic_id)'):
        with pytest.raises(WarehouseError, match=r'"\(a" is an index of a table of evalsql\'s'):
            evalsql.open(crafted(f"create {on}"))


@pytest.mark.usefixtures("few_measures")
def test_evalsql_makes_no_index_of_its_tables(crafted: Crafted) -> None:
    with evalsql.open(crafted("create table mine (topic varchar)")) as warehouse:
        for made in ("topics (lower(topic))", "main.topics (topic)", 'w.main."Retrieved" using art (rank)'):
            for name in ("another", '"on"', '"("'):
                for kind in ("index", "unique index", "/* ( */ index if not exists"):
                    with pytest.raises(UsageError, match="evalsql's tables have no index"):
                        warehouse.execute(f"create {kind} {name} on {made}")
        assert warehouse.rows("from duckdb_indexes()") == []
        warehouse.execute('create index "lower(x)" on mine using art ("topic")')
    with evalsql.open(warehouse.path, read_only=True) as warehouse:
        assert warehouse.rows("select index_name from duckdb_indexes()") == [("lower(x)",)]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("key", ["unique (run)", "unique (run_id, run)", "primary key (run_id)"])
def test_no_key_says_which_rows_a_table_has(crafted: Crafted, key: str) -> None:
    """A key has an index of its own, which may lie as others do."""
    path = crafted()
    with duckdb.connect(str(path)) as connection:
        ((made,),) = connection.execute("select sql from duckdb_tables() where table_name = 'runs'").fetchall()
        for statement in (
            f"{made.replace('TABLE runs', 'TABLE keyed').rstrip(');')}, {key})",
            *("insert into keyed from runs", "drop table runs", "alter table keyed rename to runs"),
        ):
            connection.execute(statement)
    for read_only in (True, False):
        fault = "different columns" if "primary" in key else "a key, which evalsql's tables have none of"
        with pytest.raises(WarehouseError, match=f"runs has {fault}"):
            evalsql.open(path, read_only=read_only)


MAPS = ("map(['a' collate {0}], ['b'])", "map(['a'], ['b' collate {0}])", "map(['a' collate {0}], ['b' collate {0}])")


COLLATED = [*product(("runs", "qrels"), ("nocase", "noaccent", "nfc", "noaccent.nocase"))]


@pytest.mark.parametrize(("table", "collation"), few_of(COLLATED, 1))
def test_no_collation_within_meta_makes_one_system_of_two(crafted: Crafted, table: str, collation: str) -> None:
    """With nocase S and s were one system of a board; the engine shows a collation of plain columns only."""
    required = [each.name for each in typed_columns(read_catalog()[table].body) if each.text.endswith(" not null")]
    for made in MAPS:
        path = crafted(
            f"create table changed as select * replace ({made.format(collation)} as meta) from {table} limit 0",
            f"insert into changed from {table}",
            *(f"alter table changed alter {column} set not null" for column in required),
            *(f"drop table {table}", f"alter table changed rename to {table}"),
        )
        with pytest.raises(WarehouseError, match=f"{table} has another type or collation in meta; do not use"):
            evalsql.open(path, read_only=True)
    path = crafted(f"alter table {table} add column extra varchar collate {collation}")
    with pytest.raises(WarehouseError, match=f"{table} has another type or collation in extra"):
        evalsql.open(path, read_only=True)
    with evalsql.open(crafted(f"update {table} set meta = map(['a'], ['collation'])"), read_only=True) as warehouse:
        assert warehouse.rows(f"select distinct meta['a'] from {table}") == [("collation",)]


def test_no_alias_of_a_type_tells_another_one(crafted: Crafted) -> None:
    """CREATE TABLE tells an alias, such as JSON, for the type; in bytes that are changed it may be INTEGER."""
    path = crafted("alter table assessments alter grade type json using cast(grade as json)")
    tables = {table.name: table.body for table in read_catalog().of_kind("tables")}
    with closing(Database(duckdb.connect(str(path)), read_catalog(), path=str(path), read_only=True)) as database:
        assert "grade JSON" in file_checks.main_tables(database)["assessments"]
        told = file_checks.main_tables(database) | {"assessments": tables["assessments"]}
        with pytest.raises(WarehouseError, match="assessments has another type or collation in grade; do not use"):
            file_checks.check_tables(database, told, is_current=True)


def test_types_within_types_within_types_are_read_or_refused_in_words(crafted: Crafted) -> None:
    with evalsql.open(crafted(f"alter table runs add column deep integer{'[]' * 160}"), read_only=True) as warehouse:
        assert warehouse.rows("select distinct deep from runs") == [(None,)]
    with pytest.raises(WarehouseError, match="DuckDB does not plan a query of its tables; do not use this file"):
        evalsql.open(
            crafted("set max_expression_depth to 10000", f"alter table runs add column deep integer{'[]' * 900}"),
            read_only=True,
        )


def test_nothing_lists_the_columns_of_a_file() -> None:
    """The engine binds views for that of which the file keeps no columns: their files would be opened."""
    for package in ("warehouse", "database"):
        for path in (Path(evalsql.__file__).parent / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not [each for each in ("duckdb_columns", "information_schema", "pragma_table_info") if each in text]


def test_spans_of_which_nothing_is_said_are_exported(empty: Warehouse, tmp_path: Path) -> None:
    span = {"topic": "1", "document": "d", "start": 0, "end": 9}
    empty.load_qrels([{**span, "grade": 1}], "judged", form="spans")
    empty.load_run([{**span, "score": 1.0}], "run", collapse="max")
    empty.execute("update runs set meta = map(); update qrels set meta = map()")
    for kind, name in (("runs", "run"), ("qrels", "judged")):
        done = write(empty.database, kind, name, "jsonl", tmp_path / f"{name}.jsonl")
        assert (done.num_rows, "--unit" in str(done.remarks)) == (1, False)


def test_a_column_beside_those_of_a_table_changes_no_figure(crafted: Crafted) -> None:
    path = crafted("alter table measures add column scale varchar default 'logarithmic'")
    with evalsql.open(path, read_only=True) as warehouse:
        rows = warehouse.rows(
            "select scale, compared = value, count(*) > 0 from compared_values where measure = 'AP' group by all"
        )
    assert rows == [("linear", True, True)]  # the mean of AP is no geometric one


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("added", ["column note bigint default length({})", "column note bigint default hidden()"])
def test_no_load_plans_a_text_of_the_file(crafted: Crafted, added: str) -> None:
    """Of pandas_scan(null) in it DuckDB 1.5 ends the process."""
    planned = "json_serialize_plan('from runs')"
    path = crafted(f"create macro hidden() as length({planned})", f"alter table topics add {added.format(planned)}")
    for read_only in (True, False):
        with pytest.raises(WarehouseError, match=r"(hidden|topics) in it calls json_serialize_plan; DROP takes it out"):
            evalsql.open(path, read_only=read_only)


@pytest.mark.skipif(duckdb.__version__.startswith("1."), reason="DuckDB 1.5 ends with such a figure in its own words")
def test_a_page_of_ranks_that_are_0_is_refused_in_words(command: Command, crafted: Crafted) -> None:
    path = crafted("update judged_ranks set rank = 0 where rank = 1")
    outcome = command("report", "-m", "AP", "-o", "page.html", "--db", path)
    assert_refused(outcome, "a figure is no finite number; evalsql check", code=3)


@pytest.mark.parametrize(
    ("added", "mend"),
    [
        (
            ["alter table qrels add note integer", "alter table qrels alter note set not null"],
            'alter table qrels alter "note" drop not null',
        ),
    ],
)
def test_a_message_says_what_in_the_file_a_load_runs_into(empty_file: Warehouse, added: list[str], mend: str) -> None:
    path = empty_file.path
    empty_file.close()

    def load(*statements: str) -> None:
        with duckdb.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        with evalsql.open(path) as warehouse:
            for name in ("one", "two"):
                warehouse.load_qrels({"q": {"d": 1}}, name, replace=True)

    with pytest.raises(QueryError, match=f"Constraint Error: .*; in another DuckDB client {mend} takes out what"):
        load(*added)
    load(mend)


def test_an_sqlite_database_is_no_warehouse(command: Command, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "lite.duckdb")) as connection:
        connection.execute("create table runs (run_id integer)")
    for arguments in (("ls",), ("sql", "--write", "select 1")):
        outcome = command(*arguments, "--db", tmp_path / "lite.duckdb")
        assert_refused(outcome, "lite.duckdb: is an SQLite database and no DuckDB file", code=3)
