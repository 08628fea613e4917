"""Copies whole warehouses: to folders of Parquet and SQL and back, and into a file without free space."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog import ddl, queries
from evalsql.catalog.relations import STEPS, Relation
from evalsql.catalog.sql_text import tokens, with_replaced
from evalsql.database import engine
from evalsql.database.database import MEMORY, Database
from evalsql.database.disk import whole_files, whole_folder
from evalsql.database.quack import is_address
from evalsql.errors import AuditError, CatalogError, QueryError, UsageError, WarehouseError, input_error
from evalsql.evaluation.evaluation import Evaluation
from evalsql.evaluation.notices import audits, findings
from evalsql.ingest.files.trec_text import one_path
from evalsql.literals import literal, quoted
from evalsql.phrases import Progress, silent
from evalsql.version import __version__
from evalsql.warehouse.connecting import STORAGE_VERSION
from evalsql.warehouse.export_files import write_query
from evalsql.warehouse.file_checks import ATTACHED, objects_in
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.own_measures import with_added
from evalsql.warehouse.schema import SCHEMA_VERSION, remake_own

MANIFEST, TABLES = "evalsql.json", "tables"
VIEWS, IN_PLACE, INTO_TABLES = "open.duckdb", "open.sql", "load.sql"
_MOST_TOLD = 5
MADE_TABLES = ("measures", "relations")  # that the program writes itself, from its own files and the added measures
_IN_PLACE_WORDS = """\
-- This folder as a warehouse, its tables being read from the Parquet files. In the folder: duckdb -init open.sql
-- From elsewhere, first: set file_search_path = 'the folder';
-- The file open.duckdb holds the same, made already.
"""
_INTO_TABLES_WORDS = """\
-- This folder as a new warehouse file. In the folder: duckdb new.duckdb -c ".read load.sql"
-- Of a folder that is not your own: evalsql import, which runs no SQL of it.
"""


class Contents(NamedTuple):
    """The number of rows by base table in a folder, and what of the warehouse was left out of it."""

    rows: Mapping[str, int]
    left_out: Sequence[str]


def export_warehouse(database: Database, folder: Path, *, overwrite: bool = False) -> Contents:
    """Write all that the warehouse holds into a folder, whole or not at all; overwrite replaces another export."""
    if os.path.lexists(folder):
        if not (folder / MANIFEST).is_file():
            raise UsageError(f"{folder}: exists and is not an export of a warehouse; name another folder")
        if not overwrite:
            raise UsageError(f"{folder}: exists already; --replace overwrites it")
    if "," in str(folder):
        raise UsageError(f"{folder}: has a comma, where DuckDB takes it for several folders; name another one")
    tables = list(database.catalog.of_kind("tables"))
    with whole_folder(folder, is_ours=overwrite) as part:
        (part / TABLES).mkdir()
        rows: dict[str, int] = {}
        with database.transaction():
            for table in tables:
                query = f"select {', '.join(map(quoted, table.columns))} from main.{quoted(table.name)}"
                rows[table.name] = write_query(database, query, "parquet", part / TABLES / f"{table.name}.parquet")
            ((digest,),) = database.rows("select sql_digest from main.warehouse")
        # Of a file that is open for reading only, some relations may live with the connection.
        own = {each.name: _for_shells(each) for each in database.catalog.own}
        catalog = replace(database.catalog, temporary=frozenset(), relations={**database.catalog.relations, **own})
        relations = [statement for _, statement in ddl.statements(catalog, ddl.order(catalog))]
        filled = [text for table in tables for text in (table.body, _insertion(table, "", _file(table)))]
        in_place = _IN_PLACE_WORDS, _tables_in_place(database, tables)
        for name, (words, held) in {IN_PLACE: in_place, INTO_TABLES: (_INTO_TABLES_WORDS, filled)}.items():
            statements = [*held, f"create schema if not exists {STEPS}", *relations]
            text = words + "".join(f"{statement}\n;\n" for statement in statements)
            (part / name).write_text(text, encoding="utf-8")
        _write_views(part, tables)
        facts = {"evalsql": __version__, "schema": SCHEMA_VERSION, "sql_digest": digest, "rows": rows}
        (part / MANIFEST).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
        # What users made beside a warehouse's own tables and relations.
        known = {*catalog.relations, queries.SCORES}
        objects = objects_in(database)
        return Contents(rows, sorted(f"{kind} {name}" for _, name, kind in objects if name not in known))


# SQL for any DuckDB client


def _for_shells(relation: Relation) -> Relation:
    """The relation with its body without comments, in a line; CatalogError where that means something else.

    DuckDB's shell takes a text apart line by line, otherwise than the engine, and runs a line that begins with a dot.
    """
    query, place = relation.body, f"{relation.path}:{relation.body_line}"
    comments = [(each.start, each.end, " ") for each in tokens(query) if each.kind == "comment"]
    line = " ".join(re.split(r"[\r\n]+", with_replaced(query, comments)))
    asked = "select json_deserialize_sql(json_serialize_sql($1)) = json_deserialize_sql(json_serialize_sql($2))"
    try:
        same = engine.parser().cursor().execute(asked, [query, line]).fetchall() == [(True,)]
    except engine.Error as error:
        raise CatalogError(f"{place}: cannot be written in a line: {error}") from error
    if not same:
        raise CatalogError(f"{place}: has a string of several lines; chr(10) ends a line in a string too")
    return replace(relation, body=line)


def _file(table: Relation) -> str:
    return _rows_in(f"{TABLES}/{table.name}.parquet")


def _rows_in(path: str) -> str:
    """A Parquet file; what stands in the name of a folder, as in ``date=1/tables``, is no column of it."""
    return f"read_parquet({literal(path)}, hive_partitioning = false)"


def _insertion(table: Relation, schema: str, rows: str) -> str:
    columns = ", ".join(map(quoted, table.stored_columns))
    return f"insert into {schema}{quoted(table.name)} ({columns}) select {columns} from {rows}"


def _tables_in_place(database: Database, tables: Sequence[Relation]) -> Iterator[str]:
    for table in tables:
        yield f"create or replace view {quoted(table.name)} as select * from {_file(table)}"
        for comment in ddl.comments(database.catalog, table):
            yield comment.replace("comment on table ", "comment on view ", 1)


def _write_views(part: Path, tables: Sequence[Relation]) -> None:
    """A DuckDB file with all views and macros, in which the tables are views of the Parquet files beside it."""
    reach = Reach(folders=[str(part), one_path(part), TABLES])
    with closing(open_database(part / VIEWS, reach=reach)) as database:
        database.execute(f"set file_search_path = {literal(str(part))}")
        added = database.catalog["added_relations"]
        # The engine looks for a path that is not whole in the current folder first, which may be another export.
        insert_rows(database, added, part / TABLES / f"{added.name}.parquet")
        with database.transaction():
            make_added(database)
            for table in tables:
                database.execute(f"drop table main.{quoted(table.name)}")
            for statement in _tables_in_place(database, tables):
                database.execute(statement)


def make_added(database: Database) -> None:
    before = database.catalog
    database.catalog = with_added(database)
    if database.catalog.own:
        remake_own(database, before, are_kept=True)


# Back again


def import_warehouse(folder: str | Path, path: str | Path, *, progress: Progress = silent) -> Contents:
    """Make a warehouse file of a folder that ``export_warehouse`` wrote, whole or not at all.

    The folder's SQL is not run: views and macros are this program's, those of added measures after the usual checks.
    Raises AuditError where its tables do not fit together, InputError for one that is missing or damaged.
    """
    if is_address(str(path)) or str(path) == MEMORY:
        raise UsageError(f"{path}: is not a file; name a new one")
    folder, path = Path(folder), Path(path)
    facts = _manifest(folder)
    with whole_files(path, replace=False, one=True, advice="--db names a new file for what is imported") as part:
        tables_folder = Path(os.path.abspath(folder / TABLES))
        reach = Reach(folders=[str(tables_folder), one_path(tables_folder)])  # the engine looks at the pattern too
        with (
            closing(open_database(path, stored_at=part / path.name, reach=reach, progress=progress)) as database,
            database.transaction(),
        ):
            tables = list(database.catalog.of_kind("tables"))
            for done, table in enumerate(tables):
                progress("importing", done, len(tables))
                if table.name not in (*MADE_TABLES, "warehouse"):
                    _read_table(database, table, folder, facts["rows"])
            if found := findings(Evaluation(database), audits(database.catalog, quick=True), progress):
                lines = "\n".join(finding for _, finding, _ in found[:_MOST_TOLD])
                raise AuditError(f"{folder}: its tables do not fit together:\n{lines}\nnothing was imported")
            make_added(database)
            if facts.get("sql_digest") == database.catalog.digest:
                database.execute("delete from main.warehouse")
                _read_table(database, database.catalog["warehouse"], folder, facts["rows"])
                made_by = database.rows("select schema_version, sql_digest from main.warehouse")
                if made_by != [(SCHEMA_VERSION, database.catalog.digest)]:
                    fault = f"says otherwise than {MANIFEST} which evalsql wrote it"
                    raise input_error(folder / TABLES / "warehouse.parquet", fault)
    return Contents(facts["rows"], [])


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if path.exists() and not path.is_file():  # one would wait for a pipe's writer
        raise input_error(path, "is a folder, a pipe or a device, expected a file")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        schema, rows = int(facts["schema"]), {str(name): int(count) for name, count in facts["rows"].items()}
        written_by = str(facts["evalsql"])
    except FileNotFoundError as error:
        raise UsageError(f"{folder}: is not an export of a warehouse: the file {MANIFEST} is missing") from error
    except (OSError, ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        raise input_error(path, f"is damaged: {error}") from error
    if schema > SCHEMA_VERSION:
        raise UsageError(f"{folder}: was exported by evalsql {written_by}, which is newer; upgrade this program")
    if schema < SCHEMA_VERSION:
        raise UsageError(
            f"{folder}: was exported by evalsql {written_by}, whose tables were different; evalsql import of that "
            "version makes a file, which this one brings up to date. DuckDB makes one by "
            f"{INTO_TABLES}, but runs whatever stands in it: read that first where the folder is not your own"
        )
    return {**facts, "rows": rows}


def _read_table(database: Database, table: Relation, folder: Path, rows: Mapping[str, int]) -> None:
    path = Path(os.path.abspath(folder / TABLES)) / f"{table.name}.parquet"
    label = folder / TABLES / path.name
    if not path.is_file():
        raise input_error(label, "is missing from the export")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise input_error(label, "is a link to a file outside of the export; put the file itself there")
    try:
        held = {name: kind for name, kind, *_ in database.rows(f"describe from {_rows_in(one_path(path))}")}
        expected = {name: kind for name, kind, *_ in database.rows(f"describe main.{table.name}")}
        for name in expected | held:
            if (kind := held.get(name)) != expected.get(name):  # the engine would round, or leave out
                raise QueryError(f"the type of {name} is {kind}, expected {expected.get(name)}")
        count = insert_rows(database, table, path)
    except QueryError as error:
        reason = str(error).partition("\n")[0]
        raise input_error(label, f"cannot be read as the table {table.name}: {reason}") from error
    if count != rows.get(table.name):
        raise input_error(label, f"holds {count:,} rows, {MANIFEST} says {rows.get(table.name, 0):,}")


def insert_rows(database: Database, table: Relation, path: Path) -> int:
    return int(database.column(_insertion(table, "main.", _rows_in(one_path(path))))[0])


def vacuum(database: Database) -> tuple[int, int]:
    """Write the file anew without its free space. Returns its size in bytes before and after.

    The database is to be closed afterwards: it has the old file open, which keeps others out until the new one is in
    its place. The old file stays as it is where anything fails, as where the new one is not the same.
    """
    if is_address(database.path):
        raise UsageError(
            f"{database.path}: a server has the file open, and it cannot be rewritten; stop the server first"
        )
    if database.path == MEMORY or database.read_only:
        raise UsageError("only a file that is open for writing can be rewritten")
    path = Path(database.path).resolve()
    database.execute("checkpoint")
    before = path.stat().st_size
    try:
        with whole_files(path, replace=True, one=True) as part:
            _copy(database, part / path.name)
    except UsageError as error:
        raise WarehouseError(f"{error}; it is as it was") from error
    return before, path.stat().st_size


def _copy(database: Database, copy: Path) -> None:
    def contents(name: str) -> list[tuple[object, ...]]:
        objects = sorted(objects_in(database, name))
        tables = [".".join(map(quoted, (name, schema, table))) for schema, table, kind in objects if kind == "table"]
        return [*objects, *(database.rows(f"select count(*) from {table}")[0] for table in tables)]

    copied = f"{ATTACHED}_copy"  # a file may be called by any other name
    database.execute(f"attach {literal(str(copy))} as {copied} (storage_version {literal(STORAGE_VERSION)})")
    try:
        database.execute(f"copy from database {quoted(database.name)} to {copied}")
        if contents(database.name) != contents(copied):
            raise WarehouseError(f"{database.path}: the copy is not the same as the file; it is as it was")
    finally:
        with suppress(QueryError):  # DuckDB 1.5 leaves one open where it stumbles
            database.execute("rollback")
        database.execute(f"detach {copied}")
