"""What a file is, before anything in it is run: a stranger may have made it.

Nothing of the file is evaluated here. Names of the engine's functions are qualified: a macro of the file can have the
name of any of them.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any

from evalsql.catalog.relations import STEPS, read_catalog
from evalsql.catalog.sql_text import TypedColumn, tokens, typed_columns
from evalsql.database import engine
from evalsql.database.database import Database
from evalsql.database.disk import UNFINISHED
from evalsql.database.quack import is_address
from evalsql.database.statement_calls import CallError, check_printed
from evalsql.errors import QueryError, WarehouseError
from evalsql.literals import literal, quoted
from evalsql.warehouse.own_measures import hides

# The name of the database with the package's relations. It is the same for the whole process, so that a file that is
# opened again finds it attached, and no file has it.
ATTACHED = f"relations_{os.urandom(8).hex()}"
# A file's macros can have the names of the engine's functions, but in another schema.
_HEAD = r"""^CREATE (TABLE|VIEW) (("([^"]|"")*"|\w+)\.)*("([^"]|"")*"|\w+)"""
OBJECTS = rf"""
    select
        database_name, schema_name, table_name as name, 'table' as kind,
        -- The name is cut off: a bracket behind it would look like a call.
        system.main.regexp_replace(sql, '{_HEAD}', '') as definition
    from system.main.duckdb_tables()
    where not temporary
    union all
    select database_name, schema_name, view_name, 'view', system.main.regexp_replace(sql, '{_HEAD}', '')
    from system.main.duckdb_views()
    where not internal
    union all
    select
        database_name, schema_name, function_name, case function_type when 'macro' then 'macro' else 'macro table' end,
        macro_definition
    from system.main.duckdb_functions()
    where function_type in ('macro', 'table_macro') and not internal
"""
TAKE_OUT = "DROP takes it out, or evalsql export warehouse and import make a new file without it"
MAKES_ROOM = ", in another DuckDB client, makes room for that of evalsql"
_ADVICE = "do not use this file; load its runs and judgments into a new one"
_TABLES = "select database_name, schema_name, table_name, sql from system.main.duckdb_tables()"
_SCHEMAS = "from system.main.duckdb_schemas() where database_name = {database}"
# What an index says of its rows is its maker's: it may name others, or none.
_INDEXES = "select table_name, index_name from system.main.duckdb_indexes() where {in_main}"
_KEYS = """
    select table_name from system.main.duckdb_constraints()
    where {in_main} and constraint_type in ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
"""
# Behind its columns CREATE TABLE has these.
_CONSTRAINTS = {"check", "constraint", "unique", "primary", "foreign"}
_DROP_INDEX = "drop index {}, in another DuckDB client, takes it out"
_OTHER_COLUMNS = "has different columns from a warehouse's"
_GENERATED = "GENERATED ALWAYS AS"  # the engine's words before what computes a column, and a bracket
_PLACES = {"alias", "query_location", "query_location_length"}  # of an expression in a plan, and not what it computes


def main_tables(database: Database) -> dict[str, str]:
    """The CREATE TABLE of each table in the file's main schema; nothing of the file is evaluated for that."""
    main = (database.name, "main")
    return {name: sql for catalog, schema, name, sql in database.rows(_TABLES) if (catalog, schema) == main}


def objects_in(database: Database, name: str = "") -> list[tuple[str, str, str]]:
    """Schema, name and kind of all that an attached database defines, by default the file."""
    in_it = f"database_name = {literal(name or database.name)}"
    return database.rows(f"select distinct schema_name, name, kind from ({OBJECTS}) where {in_it}")


def keeps_measures(database: Database) -> bool:
    """Whether the file has measures of users, which may read any relation; nothing of it is evaluated for that."""
    kept = "table_name = 'added_relations' and estimated_size > 0"
    return bool(database.rows(f"select 1 from system.main.duckdb_tables() where {kept}"))


def is_empty(database: Database) -> bool:
    """Whether the file defines nothing; to list functions takes the engine long, so tables are looked for first."""
    return not main_tables(database) and not objects_in(database)


def version_of(database: Database, tables: Mapping[str, str]) -> tuple[int, str, str]:
    """Versions of the schema and of the program that made the file, and the digest of its SQL; refuses other files."""
    _refuse_computed(database, tables)
    # What has the name may be a view of anything.
    columns = "schema_version::integer, evalsql_version::varchar, sql_digest::varchar"
    query = f"select {columns} from {quoted(database.name)}.main.warehouse where schema_version is not null"
    try:
        ((schema_version, made_by, digest),) = database.rows(query) if "warehouse" in tables else []
    except (QueryError, ValueError) as error:
        held = {name for _, name, _ in objects_in(database)}
        filled = {*tables} - {"measures", "relations"}
        rows = (f"select 1 from {quoted(database.name)}.main.{quoted(table)} limit 1" for table in filled)
        # Others have a table of the name warehouse too.
        if held == {"warehouse"} or not held <= {*database.catalog.relations} or any(map(database.rows, rows)):
            raise WarehouseError(f"{database.path}: is a DuckDB file but not an evalsql warehouse") from error
        remedy = "delete it, then evalsql load" if held else "evalsql load"
        raise WarehouseError(UNFINISHED.format(path=database.path, remedy=remedy)) from error
    return schema_version, " ".join(str(made_by).split()), digest  # messages have the version in a line


def _refuse_computed(database: Database, tables: Mapping[str, str]) -> None:
    """Raise WarehouseError where a warehouse's table has another computed column, which may call the file's macros.

    An operator of any name may hide one in what looks like a comment or a string: they are counted in the bare text.
    """
    ours = {table.name: typed_columns(table.body) for table in database.catalog.of_kind("tables")}
    for table, sql in tables.items():
        if table.lower() in ours:
            known = [each for each in typed_columns(sql) if each.is_computed and each in ours[table.lower()]]
            has_comment = any(each.kind == "comment" for each in tokens(sql))  # the engine writes none
            if has_comment or sql.count(f"{_GENERATED}(") != len(known):
                _refuse(database, [table], _OTHER_COLUMNS)


def refuse_other_values(database: Database) -> None:
    """Raise WarehouseError where the engine computes a column otherwise than evalsql says, as by a macro of the file.

    The text of a column does not tell: an operator in it may have any name, such as a minus and a blank. What the
    column calls is bound here and not run, within the fence.
    """
    for table in database.catalog.of_kind("tables"):
        computed = {each.name: each.text for each in typed_columns(table.body) if each.is_computed}
        said = [text.partition(f"{_GENERATED.lower()} ")[2] for text in computed.values()]
        place = f"{quoted(database.name)}.main.{table.name}"
        if computed and _planned(database, computed, place) != _planned(database, said, place):
            _refuse(database, [table.name], f"computes {' or '.join(computed)} otherwise")


def _planned(database: Database, expressions: Iterable[str], place: str) -> object:
    """The engine's plan of expressions over a table, without what they are called."""
    return _without(_plans(database, f"select {', '.join(expressions)} from {place}"), _PLACES)


def _plans(database: Database, query: str) -> Any:
    try:
        plan = json.loads(database.column(f"select system.main.json_serialize_plan({literal(query)})")[0])
        return plan["plans"]
    except (KeyError, RecursionError) as error:  # there is none, or one of types within types within types
        raise WarehouseError(f"{database.path}: DuckDB does not plan a query of its tables; {_ADVICE}") from error


def _without(tree: object, keys: AbstractSet[str]) -> object:
    if isinstance(tree, dict):
        return {key: _without(value, keys) for key, value in tree.items() if key not in keys}
    return [_without(each, keys) for each in tree] if isinstance(tree, list) else tree


def check_tables(database: Database, tables: Mapping[str, str], *, is_current: bool) -> None:
    """Raise WarehouseError where a base table is none or, of the current schema, has other columns or triggers."""
    in_file = _SCHEMAS.format(database=literal(database.name))
    if database.rows(f"select 1 {in_file} and system.main.lower(schema_name) = 'temp'"):
        advice = f"drop schema {quoted(database.name)}.temp cascade, in another DuckDB client, takes it out"
        raise WarehouseError(f"{database.path}: has a schema temp, which DuckDB does not tell from its own; {advice}")
    expected = {relation.name: typed_columns(relation.body) for relation in database.catalog.of_kind("tables")}
    _refuse_absent(database, expected.keys() - tables.keys(), is_current=is_current)
    if is_current:
        _refuse_other_columns(database, tables, expected)
    there = sorted(expected.keys() & tables.keys())
    _refuse_hidden_columns(database, {name: typed_columns(tables[name]) for name in there}, expected)
    in_main = f"database_name = {literal(database.name)} and schema_name = 'main'"
    indexes = database.rows(_INDEXES.format(in_main=in_main))
    found = [quoted(index) for table, index in indexes if table.lower() in expected]
    _refuse(database, found, "is an index of a table of evalsql's, which have none", _DROP_INDEX)
    keyed = [table for table in database.column(_KEYS.format(in_main=in_main)) if table.lower() in expected]
    _refuse(database, keyed, "has a key, which evalsql's tables have none of")
    with suppress(QueryError):  # DuckDB 1.5 has no triggers, and reads no file that has some
        triggers = "select trigger_name from system.main.duckdb_triggers()"
        found = [] if database.read_only else database.column(triggers)
        _refuse(database, found, "is a trigger, which a warehouse has none of")


def _refuse_absent(database: Database, absent: AbstractSet[str], *, is_current: bool) -> None:
    """Raise WarehouseError where a view has the name of a base table, or a table of the current schema is missing."""
    if not absent:
        return
    views = absent & {name for schema, name, kind in objects_in(database) if (schema, kind) == ("main", "view")}
    advice = _ADVICE if is_current else f"drop view {{}}{MAKES_ROOM}"
    _refuse(database, views, "is a view where a warehouse has a table", advice)
    if is_current:
        _refuse(database, absent, "is missing")


def _refuse_other_columns(
    database: Database, tables: Mapping[str, str], expected: Mapping[str, Sequence[TypedColumn]]
) -> None:
    """Raise WarehouseError where a table lacks a column of evalsql's, or where users added one that calls too much."""
    found = {name: typed_columns(tables[name]) for name in expected}
    ours = {name: [each for each in columns if each in expected[name]] for name, columns in found.items()}
    _refuse(database, [name for name in expected if ours[name] != expected[name]], _OTHER_COLUMNS)
    if found != expected:
        check_definitions(database, check_printed)  # a load computes their defaults, and checks


def _refuse_hidden_columns(
    database: Database, told: Mapping[str, Sequence[TypedColumn]], expected: Mapping[str, Sequence[TypedColumn]]
) -> None:
    """Raise WarehouseError where a table has other columns or types than its CREATE TABLE tells, as its plan does.

    CREATE TABLE has an alias in place of a type, as it is, and leaves out a collation within a MAP.
    """
    tables = ", ".join(f"{quoted(database.name)}.main.{quoted(name)}" for name in told)
    for scan in _scans(_plans(database, f"select 1 from {tables}")):
        table, names = scan["function_data"]["table"], scan["names"]
        said = [column.name for column in told[table]]
        if names != said[: len(names)] or not {each.lower() for each in said[len(names) :]} <= _CONSTRAINTS:
            _refuse(database, [table], _OTHER_COLUMNS)
        types = {column.name: column.text.split()[1].upper() for column in expected[table]}
        for column, kind in zip(names, scan["returned_types"], strict=True):
            aliases = [value for key, value in _keyed(kind) if key == "alias" and value]
            is_collated = any(key == "collation" and value for key, value in _keyed(kind))
            is_other = types.get(column.lower(), kind["id"]) != kind["id"]  # which none ever had in any version
            if is_other and not aliases:
                _refuse(database, [table], f"{_OTHER_COLUMNS}, such as {column}")
            is_named = bool(aliases) and (column.lower() in types or not all(map(str.isidentifier, aliases)))
            if is_other or is_collated or is_named:
                _refuse(database, [table], f"has another type or collation in {column}")


def _scans(plans: Sequence[Any]) -> Iterator[Any]:
    """The parts of a plan that read a table."""
    for each in plans:
        yield from [each] if each["type"] == "LOGICAL_GET" else _scans(each["children"])


def _keyed(tree: object) -> Iterator[tuple[str, Any]]:
    """The keys of a plan's part and of the parts within it, with what they have."""
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield from each.items()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _refuse(database: Database, names: Iterable[str], what: str, advice: str = _ADVICE) -> None:
    for name in sorted(names):
        raise WarehouseError(f"{database.path}: {name} {what}; {advice.format(name)}")


def own_objects(database: Database, made: Collection[str] = ()) -> list[tuple[str, str, str, str]]:
    """Schema, name, kind and text of what the file defines and this version does not; the text begins behind the name.

    Users' measures that evalsql has just ``made`` of their texts are left out: they are held to more than others.
    """
    in_file = f"database_name = {literal(database.name)}"
    rows = database.rows(f"""
        select schema_name, name, kind, definition from ({OBJECTS})
        where {in_file} or database_name = {literal(ATTACHED)}
        group by schema_name, name, kind, definition having system.main.bool_and({in_file})
    """)
    return [each for each in sorted(rows) if each[0] not in ("main", STEPS) or each[1] not in made]


def check_definitions(
    database: Database, check: Callable[[str], None], made: Collection[str] = (), advice: str = TAKE_OUT
) -> None:
    """Raise WarehouseError where a table, view or macro of the file's own calls what ``check`` has a CallError for."""
    for _, name, _, text in own_objects(database, made):
        if not text:  # as of a view that a client made of a query by itself
            raise WarehouseError(f"{database.path}: DuckDB has no text of the view {name} in it; {advice}")
        try:
            check(text)
        except CallError as error:
            raise WarehouseError(f"{database.path}: {name} in it calls {error}; {advice}") from error


def refuse_settings(database: Database) -> None:
    """Raise WarehouseError where a view or macro of the file logs or profiles, which DuckDB 2.0 refuses by itself."""
    if engine.__version__.startswith("1.") and not is_address(database.path):
        check_definitions(database, check_printed)


def refuse_hiding(database: Database) -> None:
    """Raise WarehouseError where views would ask a file's own in the place of the engine's or evalsql's.

    Views and macros of the names of evalsql's are no matter, since they are made anew.
    """
    tables = {("main", relation.name) for relation in database.catalog.of_kind("tables")}
    hiding = [
        f"{kind.removesuffix(' table')} {schema}.{name}"
        for schema, name, kind in sorted(objects_in(database))
        if (schema, name) not in tables and hides(read_catalog(), kind, name)
    ]
    if hiding:
        fault = f"views in it would ask {', '.join(hiding)} of the file in the place of what DuckDB or evalsql has"
        raise WarehouseError(f"{database.path}: {fault}; {TAKE_OUT}. Temporary views ask what statements do")
