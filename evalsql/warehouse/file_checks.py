"""Looks at what a file is, which may come from a stranger, before anything in it is run.

Names of the engine's functions are qualified here: a macro of the file can have the name of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import SCORES
from evalsql.catalog.measure_names import quoted
from evalsql.errors import QueryError, WarehouseError
from evalsql.warehouse.connecting import UNFINISHED
from evalsql.warehouse.schema import objects_in

if TYPE_CHECKING:
    from evalsql.database.database import Database

_ADVICE = "do not use this file; load its runs and judgments into a new one"
_TABLES = "select database_name, schema_name, table_name, sql from system.main.duckdb_tables()"
_COMMENT = re.compile(r"--[^\n]*")
_LOOSE = re.compile(r'[\s"();]|virtual')  # what the engine writes otherwise than our files


def main_tables(database: Database) -> dict[str, str]:
    """The CREATE TABLE of each table in the file's main schema; nothing of the file is evaluated for that."""
    main = (database.name, "main")
    return {name: sql for catalog, schema, name, sql in database.rows(_TABLES) if (catalog, schema) == main}


def is_empty(database: Database) -> bool:
    """Whether the file defines nothing; to list functions takes the engine long, so tables are looked for first."""
    return not main_tables(database) and not objects_in(database, database.name)


def version_of(database: Database, tables: Collection[str]) -> tuple[int, str, str]:
    """Versions of the schema and of the program that made the file, and the digest of its SQL; refuses other files."""
    # What has the name may be a view of anything.
    columns = "schema_version::integer, evalsql_version::varchar, sql_digest::varchar"
    query = f"select {columns} from {quoted(database.name)}.main.warehouse"
    try:
        ((schema_version, made_by, digest),) = database.rows(query) if "warehouse" in tables else []
    except (QueryError, ValueError) as error:
        held = {name for _, name, _ in objects_in(database, database.name)}
        filled = {*tables} - {"measures", "relations"}
        rows = (f"select 1 from {quoted(database.name)}.main.{quoted(table)} limit 1" for table in filled)
        # Others have a table of the name warehouse too.
        if held == {"warehouse"} or not held <= {*database.catalog.relations} or any(map(database.rows, rows)):
            raise WarehouseError(f"{database.path}: is a DuckDB file but not an evalsql warehouse") from error
        remedy = "delete it, then evalsql load" if held else "evalsql load"
        raise WarehouseError(UNFINISHED.format(path=database.path, remedy=remedy)) from error
    return schema_version, made_by, digest


def foreign_relations(database: Database) -> list[str]:
    """Kinds and names of the views and macros in the file that no relation of the catalogue has."""
    catalog = replace(database.catalog, temporary=frozenset())  # a user's own measures are in the file too
    ours = {(catalog.schemas.get(name, "main"), name) for name in (*catalog.relations, SCORES)}
    found = {
        f"{kind.removesuffix(' table')} {name if schema == 'main' else f'{schema}.{name}'}"
        for schema, name, kind in objects_in(database, database.name)
        if kind != "table" and (schema, name) not in ours
    }
    return sorted(found)


def check_tables(database: Database, tables: Mapping[str, str], *, is_current: bool) -> None:
    """Raise WarehouseError where a base table is something else, or has other columns, or a trigger acts on it.

    Of a file that has not this version's schema, which is current, only the kind is looked at.
    """
    expected = {relation.name: _columns(relation.body) for relation in database.catalog.of_kind("tables")}
    if absent := expected.keys() - tables.keys():
        views = {name for _, name, kind in objects_in(database, database.name) if kind == "view"}
        _refuse(database, absent & views, "is a view where a warehouse has a table")
        if is_current:
            _refuse(database, absent, "is missing")
    if is_current:
        # Users may have added columns.
        held = {name: [each for each in _columns(tables[name]) if each in expected[name]] for name in expected}
        changed = [name for name in expected if held[name] != expected[name]]
        _refuse(database, changed, "has other columns than a warehouse")
    with suppress(QueryError):  # DuckDB 1.5 has no triggers, and reads no file that has some
        triggers = "select trigger_name from system.main.duckdb_triggers()"
        found = [] if database.read_only else [name for (name,) in database.rows(triggers)]
        _refuse(database, found, "is a trigger, which a warehouse has none of")


def _refuse(database: Database, names: Iterable[str], what: str) -> None:
    for name in sorted(names):
        raise WarehouseError(f"{database.path}: {name} {what}; {_ADVICE}")


def _columns(sql: str) -> list[str]:
    """Each column with its type, as words, of a CREATE TABLE."""
    inside = _COMMENT.sub("", sql).partition("(")[2].rpartition(")")[0]
    return [_LOOSE.sub("", part.lower()) for part in re.split(r",(?![^(]*\))", inside)]
