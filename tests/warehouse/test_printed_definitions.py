"""What the engine prints of a definition in a stranger's file may be another one: an operator in it has any name.

SQL makes no such file, but who changes the bytes of one does.
"""

import struct
import warnings
from contextlib import nullcontext, suppress
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, UsageError, WarehouseError
from evalsql.database.statement_calls import CallError, check_printed
from tests.conftest import own_measure, write
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted

_START, _BLOCK = 3 * 4096, 1 << 18  # of DuckDB's files, whose blocks begin with a checksum
_COLUMNS = "evaluation_id, rank, tied_above, tied_below, judged_rank, relevant_rank, grade, document_id"


def change(path: Path, before: bytes, after: bytes) -> None:
    """Put bytes in the place of as many others wherever a file has them, and make the checksums right."""
    content = bytearray(path.read_bytes())
    for at in range(_START, len(content) - _BLOCK + 1, _BLOCK):
        block = bytes(content[at + 8 : at + _BLOCK])
        if before in block:
            changed = block.replace(before, after)
            checksum = 5381
            for (word,) in struct.iter_unpack("<Q", changed):
                checksum ^= word * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
            content[at : at + _BLOCK] = struct.pack("<Q", checksum) + changed
    path.write_bytes(content)


def computed(first: str, last: str) -> list[str]:
    """Statements that have ``judged_ranks`` computed by these expressions."""
    required = {name: f"{name} integer not null" for name in _COLUMNS.split(", ")}
    *start, judged, relevant, grade, document = required.values()
    ranks = [f"first_rank integer generated always as ({first})", f"last_rank integer generated always as ({last})"]
    return [
        "create temp table held as from judged_ranks",
        "drop table judged_ranks",
        f"create table judged_ranks ({', '.join([*start, *ranks, judged, relevant, grade, document])})",
        f"insert into judged_ranks by name select {_COLUMNS} from held",
    ]


def with_operators(crafted: Crafted, minus: str, plus: str, value: str) -> Path:
    """A file whose ranks are computed by operators of these names, of two characters, which are macros of its own."""
    path = crafted(
        *computed("rank << tied_above", "rank >> tied_below"),
        *(f'create macro "{name}"(a, b) as {value}' for name in (minus, plus)),
    )
    for before, after in (("<<", minus), (">>", plus)):
        change(path, b"\x02" + before.encode(), b"\x02" + after.encode())
    return path


SIGNS = ("{} ", " {}", "{}\n", "{}\t", "\n{}", "({}", "{}(", "{})")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("sign", few_of(SIGNS, 2))
def test_no_operator_computes_ranks_otherwise(crafted: Crafted, sign: str) -> None:
    path = with_operators(crafted, sign.format("-"), sign.format("+"), "1")
    with duckdb.connect(str(path), read_only=True) as connection:
        ((told,),) = connection.execute("select sql from duckdb_tables() where table_name = 'judged_ranks'").fetchall()
        assert f"(rank {sign.format('-')} tied_above)" in told
        assert connection.execute("select distinct first_rank, last_rank from judged_ranks").fetchall() == [(1, 1)]
    fault = "judged_ranks (computes first_rank or last_rank otherwise|has different columns)"
    for read_only, external in product((True, False), (None, False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # of the macros
            with pytest.raises(WarehouseError, match=fault):
                evalsql.open(path, read_only=read_only, external_access=external)


@pytest.mark.usefixtures("few_measures")
def test_nothing_that_an_operator_calls_is_bound_as_a_file_is_brought_up_to_date(
    crafted: Crafted, tmp_path: Path
) -> None:
    """To bind this one the engine looks for a file, which is not there."""
    table = write(tmp_path / "nowhere.csv", "a\n1\n")
    path = with_operators(crafted, "- ", "+ ", f"(select count(*) from read_csv('{table}'))")
    table.unlink()
    with duckdb.connect(str(path)) as connection:
        connection.execute("update warehouse set schema_version = 3")
        with pytest.raises(duckdb.IOException, match="nowhere"):
            connection.execute("select first_rank from judged_ranks")
    with pytest.warns(InputWarning, match="macro"), evalsql.open(path) as warehouse:
        assert warehouse.rows("select distinct first_rank = subtract(rank, tied_above) from judged_ranks") == [(True,)]


# It raises what the engine says of macros that are not there, where these arguments are tried.
SILENT = (
    "\"-\"(a, b) as case when date_part(case when a = b then 'not found, does not exist' else 'year' end, "
    "date '2020-01-01') > 0 then 1 else 0 end"
)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    "operator", few_of([SILENT, '"-"(a, b) as 1', '"+"(a, b) as 1', 'steps."-"(a, b) as 1', '"+"(a) as 1'], 2)
)
def test_no_macro_computes_ranks(crafted: Crafted, operator: str) -> None:
    path = crafted(f"create macro {operator}")
    for read_only, external in product((True, False), (None, False)):
        with (
            pytest.warns(InputWarning, match="macro") if external is None else nullcontext(),
            evalsql.open(path, read_only=read_only, external_access=external) as warehouse,
        ):
            ranks = warehouse.rows("select rank, tied_above, tied_below, first_rank, last_rank from judged_ranks")
        assert ranks
        assert all(
            (rank - above, rank + below) == found for rank, above, below, *found_ in ranks for found in [(*found_,)]
        )


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("version", few_of(range(1, 9), 2))
def test_no_default_is_computed_as_a_file_is_brought_up_to_date(crafted: Crafted, version: int) -> None:
    """A file of schema 1 has no such table, and rows are put into it."""
    planned = "json_serialize_plan('from read_csv(''nowhere.csv'')')"
    path = crafted(
        "drop table judged_documents",
        "create table judged_documents (qrels_id integer not null, topic_id integer not null, document_id integer "
        f"not null, grade integer not null, extra varchar default {planned})",
        "alter table qrels drop column form" if version == 1 else "checkpoint",
        f"update warehouse set schema_version = {version}",
    )
    with pytest.raises(WarehouseError, match="judged_documents in it calls json_serialize_plan; DROP takes it out"):
        evalsql.open(path)


HIDDEN = ("json_serialize_plan", "JSON_Serialize_Plan", "enable_logging", "arrow_scan", "write_log")
PLACES = (
    "default(('a' {} CAST('t' AS BOOLEAN)))",
    "AS SELECT (1 /* 2), ('a' {} 'b'), (3 */ 4)",
    "AS SELECT (1 ' 2), ('a' {} 'b'), (3 ' 4)",
    'AS SELECT (1 " 2), {}(1), (3 " 4)',
    "AS SELECT (1 -- 2), {}(1)",
    "AS SELECT ($$ || {}(1)), $$",
    'AS SELECT "{}"(1)',
    "AS SELECT (('a'){})",
)


@pytest.mark.parametrize(("place", "name"), [*product(PLACES, HIDDEN)])
def test_a_name_that_is_refused_is_found_wherever_it_stands(place: str, name: str) -> None:
    with pytest.raises(CallError, match=name.lower()):
        check_printed(place.format(name))


@pytest.mark.parametrize(
    "text", ["default((a combine b))", "AS SELECT (a COMBINE b)", 'AS SELECT "combine"(a, b)', "AS SELECT finalize(a)"]
)
def test_states_are_not_put_together(text: str) -> None:
    """Both words may be those of strings, and finalize that of a column: it takes one value, behind a bracket."""
    with pytest.raises(CallError, match=r"^(combine|finalize)$"):
        check_printed(text)
    check_printed("AS SELECT 'combine' AS finalize, finalize AS x, 'finalize';")


@pytest.mark.parametrize("place", ["(1 /* 2), {} (3 */ 4)", "(1 -- 2), {}\n", "{}", "(({}))"])
@pytest.mark.parametrize("call", ["query('from ' || x)", "query('pragma enable_logging')", '"query"($1)'])
def test_no_query_is_hidden(place: str, call: str) -> None:
    with pytest.raises(CallError):
        check_printed(f"AS SELECT * FROM {place.format(call)}")


@pytest.mark.parametrize(
    "text",
    [
        "AS SELECT query, \"query\", t.query AS query FROM queries AS t WHERE (query = 'a');",
        "(topic_id INTEGER, query VARCHAR, getenv VARCHAR)",
        "AS SELECT * FROM query_table('runs');",
        "AS SELECT * FROM query('from runs');",
        'AS SELECT recombine, combined FROM runs AS "my logging";',
    ],
)
def test_other_words_are_no_matter(text: str) -> None:
    check_printed(text)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    "name", few_of(["A /*", "A, B", "A DE", "A ' ", 'A " ', "A);-", "A B ", "A,B)", "A\n--", "    "], 3)
)
@pytest.mark.parametrize("table", ["runs", "warehouse"])
def test_no_name_of_a_type_tells_other_columns(crafted: Crafted, table: str, name: str) -> None:
    """CREATE TABLE has it as it is, and what follows may be columns, a comment or a string."""
    path = crafted(f"alter table {table} add column added json")
    with evalsql.open(path, read_only=True) as warehouse:
        assert set(warehouse.rows(f"select added from {table}")) == {(None,)}
    change(path, b"\x04JSON", b"\x04" + name.encode())
    with duckdb.connect(str(path), read_only=True) as connection:
        ((told,),) = connection.execute(f"select sql from duckdb_tables() where table_name = '{table}'").fetchall()
        assert f"added {name}" in told
    for read_only in (True, False):
        with pytest.raises(WarehouseError, match=f"{table} has (different columns|another type or collation in added)"):
            evalsql.open(path, read_only=read_only)


NAMED = (
    *("with query(a) as (select 1 as a)", "with my_logging(a) as (select 1 as a)", "with combine as (select 1 as a)"),
    *("with b as (select 1 as combine)", "with b as (select 1 as query)", "with b as (select 'write_log' as a)"),
    *(
        "with b as (select $$enable_profiling$$ as a)",
        "with b as (from (values (1)) as query(a))",
        "with harmless as (select 1 as a)",
    ),
)


@pytest.mark.parametrize("named", few_of(NAMED, 3))
def test_a_file_can_be_opened_again_after_a_measure_is_kept(crafted: Crafted, tmp_path: Path, named: str) -> None:
    """What looks like a call to the next opening is refused as it is loaded, and nothing is kept of it."""
    body = f"{named} select qrels, run, topic, 1.0::double as value from evaluated_topics"
    measure, path = own_measure(tmp_path / "own.sql", "Own", body), crafted()
    with evalsql.open(path) as warehouse:
        is_harmless = "harmless" in named
        with nullcontext() if is_harmless else suppress(WarehouseError):
            warehouse.load_measures(measure)
        kept = {relation.name for relation in warehouse.catalog.own}
    for read_only in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # of the measure
            with evalsql.open(path, read_only=read_only) as warehouse:
                assert {relation.name for relation in warehouse.catalog.own} == kept
                assert warehouse.rows("select count(*) from ap") != [(0,)]


@pytest.mark.parametrize("named", few_of(NAMED, 2))
def test_a_file_can_be_opened_again_after_a_view_of_one_s_own_is_made(crafted: Crafted, named: str) -> None:
    path = crafted()
    with evalsql.open(path) as warehouse, nullcontext() if "harmless" in named else suppress(UsageError):
        warehouse.execute(f"create view own as {named} select 1 as b")
    with evalsql.open(path) as warehouse:  # a DROP makes nothing, whatever it names
        warehouse.execute("drop view if exists write_log")
    for read_only in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # of the view
            with evalsql.open(path, read_only=read_only) as warehouse:
                assert warehouse.rows("select count(*) from ap") != [(0,)]
