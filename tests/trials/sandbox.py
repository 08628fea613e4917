"""Attempts to leave the SQL of a warehouse: to read another file, to write one, or to change a setting back.

Each source that reads a file is put into each kind of statement, read-only and with --write; then come statements that
reach outside in other ways, and files that were crafted so that opening them or asking them would.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections import Counter
from contextlib import chdir
from pathlib import Path

import duckdb

import evalsql
from evalsql import EvalsqlError
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.warehouse import Warehouse
from evalsql.warehouse.writer import Writer
from tests.trials.loads import left, told

SECRET = "the-secret-of-this-machine"
SOURCES = (
    *("read_text('{f}')", "read_blob('{f}')", "read_csv('{f}', header=false)", "read_csv_auto('{f}')"),
    *("sniff_csv('{f}')", "read_json('{f}')", "read_json_auto('{f}')", "read_ndjson_objects('{f}')"),
    *("read_parquet('{f}')", "parquet_metadata('{f}')", "glob('{d}/*')", "'{f}'", '"{f}"'),
    *("query('select * from read_text(''{f}'')')", "query_table('{f}')"),
)
STATEMENTS = (
    *("select * from {s}", "from {s}", "with x as (from {s}) select * from x"),
    *("with x as materialized (from {s}) select * from x", "select (select count(*) from {s})"),
    *("select exists (from {s})", "select * from runs, lateral (from {s}) as x"),
    *("select 1 union all select count(*) from {s}", "explain select * from {s}", "explain analyze select * from {s}"),
    *("explain (analyze) select * from {s}", "describe select * from {s}", "summarize select * from {s}"),
    *("prepare p as select * from {s}; execute p", "create temp view x as select * from {s}; from x"),
    *("create or replace view x as select * from {s}; from x", "create temp macro x() as table from {s}; from x()"),
    "create temp table x as from {s}; from x",
    *("insert into topics select 999, x::varchar from (from {s}) as x; from topics", "pivot {s} on content"),
)
OTHERS = (
    *("copy (select 1) to '{w}'", "copy runs to '{w}' (format csv)", "copy runs from '{f}'"),
    *("copy (select 1) to '{w}' (format parquet)", "export database '{w}'", "import database '{d}'"),
    *("attach '{w}' as other; create table other.x as select 1", "attach '{w}'", "load '{f}'", "install httpfs"),
    *("load json", "set enable_external_access = true; from read_text('{f}')"),
    *("reset enable_external_access; from read_text('{f}')", "pragma enable_external_access = true"),
    *("set allowed_paths = ['{f}']; from read_text('{f}')", "set allowed_directories = ['{d}']; from read_text('{f}')"),
    *("set lock_configuration = false", "set temp_directory = '{w}'", "set log_query_path = '{w}'; select 1"),
    *("pragma profiling_output = '{w}'", "set profiling_output = '{w}'; set enable_profiling = 'json'; select 1"),
    "set secret_directory = '{w}'; create persistent secret x (type s3)",
    *("set extension_directory = '{w}'; install httpfs", "set home_directory = '{d}'"),
    *("set file_search_path = '{d}'; from read_text('secret.txt')", "select getenv('HOME')"),
    *("select content from read_text((select '{f}'))", "checkpoint; copy (select 1) to '{w}'"),
    "begin; copy (select 1) to '{w}'; commit",
    "call enable_logging('QueryLog', storage => 'file', storage_config => {{'path': '{w}'}})",
)
CRAFTED = (
    "create or replace view ap as select content as run from read_text('{f}')",
    "create or replace macro ap() as table select content as run from read_text('{f}')",
    "create or replace view steps.evaluated_topics as select content as run from read_text('{f}')",
    "create or replace macro coalesce_names() as (select content from read_text('{f}'))",
    "create macro abs(x) as (select content from read_text('{f}'))",
    "create view steps.evaluations as select content as run from read_text('{f}')",
    "alter table runs rename to held; create view runs as select content as run from read_text('{f}')",
    "alter table warehouse rename to held; create view warehouse as select 99 as schema_version, "
    "(select content from read_text('{f}')) as evalsql_version, 'x' as sql_digest",
    "insert into added_relations values (1, 'strange', '-- title: T\n-- columns:\n--   v is null;"
    "copy(select 1)to''{w}'';--   m\nselect 1 as v', now()::timestamp); update warehouse set sql_digest = 'other'",
)
ASKED = ("from ap limit 3", "from summary limit 3", "from holdings", "from runs")


def main(_count: int = 1) -> int:
    """Print how many attempts ended in which way; the number of those that got out. Each is made once."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, chdir(name), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        folder = Path(name)
        (folder / "elsewhere").mkdir()
        secret = folder / "elsewhere" / "secret.txt"
        secret.write_text(SECRET)
        words = {"f": str(secret), "d": str(secret.parent), "w": str(folder / "elsewhere" / "written")}
        path = folder / "w.duckdb"
        with evalsql.open(path) as warehouse:
            warehouse.load_qrels({"q1": {"d1": 1}}, "judged")
            warehouse.load_run({"q1": {"d1": 1.0}}, "system")
        attempts = [kind.format(s=source.format(**words)) for source in SOURCES for kind in STATEMENTS]
        attempts += [other.format(**words) for other in OTHERS]
        for read_only in (True, False):
            for attempt in attempts:
                counts[_attempt(path, attempt, read_only=read_only)] += 1
        for statements in CRAFTED:
            counts[_crafted(path, statements.format(**words))] += 1
        is_written = left(secret.parent) != ["secret.txt"]
        counts["WRONG: a file was written" if is_written else "no file was written"] += 1
        counts["WRONG: a warning held the secret" if any(SECRET in str(each.message) for each in warned) else ""] += 1
    del counts[""]
    return told(counts)


def _shut_in(path: Path, *, read_only: bool) -> Warehouse:
    return Warehouse(open_database(path, read_only=read_only, reach=Reach()))


def _attempt(path: Path, text: str, *, read_only: bool) -> str:
    """What came of one statement on a clean file."""
    with _shut_in(path, read_only=read_only) as warehouse:
        try:
            found = repr(Writer(warehouse.database, external=False).run(text))
        except EvalsqlError as error:
            # The statement itself stands in some errors, the file's content in none.
            return f"WRONG: {text}" if SECRET in str(error) else "refused"
    return f"WRONG: {text}" if SECRET in found or os.path.basename(path.parent) in found else "gave rows of its own"


def _crafted(path: Path, statements: str) -> str:
    """What came of a file on which statements were run without this package."""
    crafted = path.with_name("crafted.duckdb")
    crafted.write_bytes(path.read_bytes())
    with duckdb.connect(str(crafted)) as connection:
        connection.execute(statements)
    for opening in (_shut_in, evalsql.open):
        for read_only in (True, False):
            try:
                with opening(crafted, read_only=read_only) as warehouse:
                    found = repr([warehouse.rows(query) for query in ASKED])
            except EvalsqlError as error:
                found = str(error)
            if SECRET in found:
                return f"WRONG: {statements}"
    return "crafted file that was refused or mended"
