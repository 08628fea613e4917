"""Checks on files and relations that may come from strangers, made before anything of theirs is run.

Names of the engine's functions are qualified here: a macro of the file can have the name of any of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evalsql.catalog.relations import GENERATED, STEPS, Catalog, Relation
from evalsql.errors import CatalogError, QueryError, WarehouseError

if TYPE_CHECKING:
    from evalsql.database.database import Database

_ADVICE = "do not use this file; load its runs and judgments into a new one"
_TABLES = "select database_name, schema_name, table_name, sql from system.main.duckdb_tables()"
_VIEWS = "select database_name, schema_name, view_name, sql from system.main.duckdb_views()"
_TRIGGERS = "select database_name, trigger_name from system.main.duckdb_triggers()"
_COMMENT = re.compile(r"--[^\n]*")
_LOOSE = re.compile(r'[\s"();]|virtual')  # what the engine writes otherwise than our files
_ROW_SOURCES = frozenset({"unnest", "generate_series", "range"})
_SCHEMAS = ("", "main", STEPS, "temp")


def main_tables(database: Database) -> dict[str, str]:
    """The CREATE TABLE of each table in the file's main schema; nothing of the file is evaluated for that."""
    return {name: sql for catalog, schema, name, sql in database.rows(_TABLES) if _is_main(catalog, schema)}


def check_tables(database: Database, tables: Mapping[str, str], *, is_current: bool) -> None:
    """Raise WarehouseError where a base table is something else, or has other columns, or a trigger acts on it.

    Args:
        is_current: whether the file has this version's schema; of others only the kind is looked at.
    """
    expected = {relation.name: relation.body for relation in database.catalog.of_kind("tables")}
    if absent := expected.keys() - tables.keys():
        views = {name for catalog, schema, name, _ in database.rows(_VIEWS) if _is_main(catalog, schema)}
        _refuse(database, absent & views, "is a view where a warehouse has a table")
        if is_current:
            _refuse(database, absent, "is missing")
    if is_current and any(_plain(tables[name]) != _plain(body) for name, body in expected.items()):
        _check_columns(database, expected)
    if not database.read_only:
        _check_triggers(database)


def _is_main(catalog: str, schema: str) -> bool:
    return schema == "main" and catalog not in ("system", "temp")


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


# Bodies of a user's own relations


def check_bodies(database: Database, catalog: Catalog, relations: Iterable[Relation]) -> None:
    """Hold relations of users to what a body is: one SELECT that reads relations of the catalogue and nothing else.

    The engine parses them, so that no other parser's reading stands between this and what is run.

    Raises:
        CatalogError: a body is something else, reaches outside, or its relation has the name of an engine's function.
    """
    relations = list(relations)
    names = ", ".join(f"'{relation.name}'" for relation in relations)  # letters, digits, _
    if names:
        query = (
            f"select function_name from system.main.duckdb_functions() where internal and function_name in ({names})"
        )
        taken = {name for (name,) in database.rows(query)}
        for relation in relations:
            if relation.name in taken:
                raise CatalogError(
                    f"{relation.path}: {relation.name} is a function of the engine; give the file another name"
                )
    known = catalog.relations.keys() | GENERATED | {relation.name for relation in relations}
    for relation in relations:
        _check_body(database, relation, known | set(relation.header.inputs))


def _check_body(database: Database, relation: Relation, known: Iterable[str]) -> None:
    place = f"{relation.path}:{relation.body_line}"
    try:
        ((text,),) = database.rows("select system.main.json_serialize_sql(?::varchar)", [relation.body])
        parsed = json.loads(text)
    except (QueryError, RecursionError) as error:
        raise CatalogError(f"{place}: cannot be read as SQL: {error}") from error
    if parsed["error"]:
        raise CatalogError(f"{place}: expected one SELECT: {parsed['error_message']}")
    if len(parsed["statements"]) != 1:
        raise CatalogError(f"{place}: expected one SELECT, found {len(parsed['statements'])} statements")
    nodes = list(_nodes(parsed["statements"]))
    own = {entry["key"] for node in nodes if "cte_map" in node for entry in node["cte_map"]["map"]}
    # A name such as "x.csv" is a file where it is no CTE.
    tables = {*known, *filter(str.isidentifier, own)}
    functions = {*known, *_ROW_SOURCES}
    for node in nodes:
        kind = node.get("type")
        if isinstance(kind, str) and kind.endswith("_QUERY_NODE"):
            raise CatalogError(f"{place}: expected one SELECT, found one that changes rows")
        if kind == "BASE_TABLE":
            schema, name = node["schema_name"], node["table_name"]
            is_known = name in tables and schema in _SCHEMAS and not node["catalog_name"]
        elif kind == "TABLE_FUNCTION":
            schema, name = node["function"]["schema"], node["function"]["function_name"]
            is_known = name in functions and schema in _SCHEMAS and not node["function"]["catalog"]
        else:
            continue
        if not is_known:
            raise CatalogError(f"{place}: reads {name}, which is no relation of a warehouse")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object within a tree of JSON."""
    pending = [tree]
    while pending:
        found = pending.pop()
        if isinstance(found, dict):
            yield found
            pending.extend(found.values())
        elif isinstance(found, list):
            pending.extend(found)
