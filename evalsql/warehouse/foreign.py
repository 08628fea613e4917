"""Looks at files that may come from strangers, before anything in them is run.

Names of the engine's functions are qualified here: a macro of the file can have the name of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import SCORES
from evalsql.errors import QueryError, WarehouseError
from evalsql.warehouse.schema import objects_in

if TYPE_CHECKING:
    from evalsql.database.database import Database

_ADVICE = "do not use this file; load its runs and judgments into a new one"
_TABLES = "select database_name, schema_name, table_name, sql from system.main.duckdb_tables()"
_VIEWS = "select database_name, schema_name, view_name, sql from system.main.duckdb_views()"
_TRIGGERS = "select database_name, trigger_name from system.main.duckdb_triggers()"
_COMMENT = re.compile(r"--[^\n]*")
_LOOSE = re.compile(r'[\s"();]|virtual')  # what the engine writes otherwise than our files


def foreign_relations(database: Database) -> list[str]:
    """Kinds and names of the views and macros in the file that no relation of the catalogue has."""
    catalog = database.catalog
    ours = {(catalog.schemas.get(name, "main"), name) for name in (*catalog.relations, SCORES)}
    found = {
        f"{kind.removesuffix(' table')} {name if schema == 'main' else f'{schema}.{name}'}"
        for schema, name, kind in objects_in(database, database.name)
        if kind != "table" and (schema, name) not in ours
    }
    return sorted(found)


def main_tables(database: Database) -> dict[str, str]:
    """The CREATE TABLE of each table in the file's main schema; nothing of the file is evaluated for that."""
    return {
        name: sql
        for catalog, schema, name, sql in database.rows(_TABLES)
        if (catalog, schema) == (database.name, "main")
    }


def check_tables(database: Database, tables: Mapping[str, str], *, is_current: bool) -> None:
    """Raise WarehouseError where a base table is something else, or has other columns, or a trigger acts on it.

    Args:
        is_current: whether the file has this version's schema; of others only the kind is looked at.
    """
    expected = {relation.name: relation.body for relation in database.catalog.of_kind("tables")}
    if absent := expected.keys() - tables.keys():
        views = {
            name for catalog, schema, name, _ in database.rows(_VIEWS) if (catalog, schema) == (database.name, "main")
        }
        _refuse(database, absent & views, "is a view where a warehouse has a table")
        if is_current:
            _refuse(database, absent, "is missing")
    if is_current and any(_plain(tables[name]) != _plain(body) for name, body in expected.items()):
        _check_columns(database, expected)
    if not database.read_only:
        _check_triggers(database)


def _plain(sql: str) -> str:
    return _LOOSE.sub("", _COMMENT.sub("", sql).lower())


def _refuse(database: Database, names: Iterable[str], what: str) -> None:
    for name in sorted(names):
        raise WarehouseError(f"{database.path}: {name} {what}; {_ADVICE}")


def _check_columns(database: Database, expected: Mapping[str, str]) -> None:
    """Columns that users added are let pass."""
    held = {name: _columns(sql) for name, sql in main_tables(database).items()}
    for name, body in expected.items():
        found = _columns(body)
        if [column for column in held[name] if column in found] != found:
            _refuse(database, [name], "has other columns than a warehouse")


def _columns(sql: str) -> list[str]:
    """Each column with its type, as words, of a CREATE TABLE."""
    inside = _COMMENT.sub("", sql).partition("(")[2].rpartition(")")[0]
    return [_plain(part) for part in re.split(r",(?![^(]*\))", inside)]


def _check_triggers(database: Database) -> None:
    """DuckDB 1.5 has no triggers, and reads no file that has some."""
    try:
        triggers = database.rows(_TRIGGERS)
    except QueryError:
        return
    _refuse(database, [name for _, name in triggers], "is a trigger, which a warehouse has none of")
