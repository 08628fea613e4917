"""What a file of this version holds (base tables, views, macros, the catalogue): makes, checks and upgrades it.

What is checked may come from a stranger, and nothing in it is run before. Names of the engine's functions are qualified
there: a macro of the file can have the name of any of them.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import literal, quoted, unnested
from evalsql.catalog.relations import BUILDABLE, STEPS, Catalog, Relation, read_catalog
from evalsql.catalog.sql_text import typed_columns
from evalsql.database import engine
from evalsql.database.database import MEMORY, Database
from evalsql.database.disk import UNFINISHED
from evalsql.database.quack import is_address
from evalsql.database.statement_text import CallError, check_settings, indexes_computed
from evalsql.errors import CatalogError, QueryError, UsageError, WarehouseError
from evalsql.phrases import Progress, silent, some_of
from evalsql.version import __version__
from evalsql.warehouse.own_measures import check_bodies, check_own, fault_in, hides

SCHEMA_VERSION = 8
_MAKING = "making views"
# What the database with the package's relations is called, the same for the whole process, so that a file that is
# opened again finds it attached. No file is called so.
ATTACHED = f"relations_{os.urandom(8).hex()}"
# A file's macros can have the names of the engine's functions, but in another schema.
_HEAD = r"""^CREATE (TABLE|VIEW) (("([^"]|"")*"|\w+)\.)*("([^"]|"")*"|\w+)"""
OBJECTS = rf"""
    select
        database_name, schema_name, table_name as name, 'table' as kind,
        -- Without its name, before which brackets may be: what is called.
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
_TAKE_OUT = "DROP takes it out, or evalsql export warehouse and import make a new file without it"
_MAKES_ROOM = ", in another DuckDB client, makes room for that of evalsql"
_TAKEN = re.compile('Table with name "(.+)" already exists')
_ADVICE = "do not use this file; load its runs and judgments into a new one"
_TABLES = "select database_name, schema_name, table_name, sql from system.main.duckdb_tables()"
_COLUMNS = """
    select column_name from system.main.duckdb_columns()
    where database_name = {} and schema_name = 'main' and table_name = {}
"""
_SCHEMAS = "from system.main.duckdb_schemas() where database_name = {database}"
_DROP_INDEX = "drop index {}, in another DuckDB client, takes it out"
_COMPUTES_RANKS = "would compute the ranks of evalsql's tables"


def make(database: Database) -> None:
    """Make an empty warehouse of an empty database; a file gets a copy of the attached relations too."""
    with database.transaction():
        create_tables(database, database.catalog.of_kind("tables"))
        if database.path != MEMORY:
            database.execute(f"copy from database {ATTACHED} to {quoted(database.name)} (schema)")
        database.execute_all(signing(database.catalog))
    if engine.__version__.startswith("1."):  # cannot read macros from the log; another checkpoint costs free blocks
        database.checkpoint()


def create_tables(database: Database, tables: Iterable[Relation]) -> None:
    with database.in_file():
        database.execute_all([sql for table in tables for sql in (table.body, *ddl.comments(database.catalog, table))])


def rebuild(database: Database) -> None:
    """Replace the views and macros of the file by the attached ones of this version, for other clients of the file."""
    written = {*database.column("select relation from relations where kind not in ('tables', 'keys')")}
    ours = {relation.name for relation in database.catalog.of_kind(*BUILDABLE)}
    _drop(database, database.name, {*written, *ours, ddl.SCORES})
    try:
        database.execute(f"copy from database {ATTACHED} to {quoted(database.name)} (schema)")
    except QueryError as error:
        name = (_TAKEN.findall(str(error)) or [""])[0]
        table = f"{STEPS}.{name}" if name in database.catalog.schemas else name
        advice = f"; alter table {table} rename to another_name{_MAKES_ROOM}" if name else ""
        raise CatalogError(f"{database.path}: {error}{advice}") from error
    if database.catalog.own:
        _make_own(database)
    database.execute_all(signing(database.catalog))


def prepare_views(database: Database) -> None:
    """Make the file such that a view in it asks what a statement asks here; WarehouseError where that cannot be.

    The engine looks for what a view names in its own file first.
    """
    refuse_hiding(database)
    # Outside of a transaction every statement has one of its own. The engine says by nothing else that one is open.
    if len({*(database.rows("select system.main.txid_current()")[0] for _ in range(2))}) == 1:
        fault = "evalsql writes its own views before the first one of yours: make that outside of a transaction"
        raise UsageError(fault)
    with database.transaction():
        rebuild(database)
    database.checkpoint()
    database.before_view = partial(refuse_hiding, database)


def refuse_hiding(database: Database) -> None:
    """Raise WarehouseError where views would ask a file's own in the place of the engine's or evalsql's.

    Views and macros of the names of evalsql's are no matter, since they are made anew.
    """
    tables = {("main", relation.name) for relation in database.catalog.of_kind("tables")}
    hiding = [
        f"{kind.removesuffix(' table')} {schema}.{name}"
        for schema, name, kind in sorted(objects_in(database, database.name))
        if (schema, name) not in tables and hides(database.catalog, kind, name)
    ]
    if hiding:
        fault = f"views in it would ask {', '.join(hiding)} of the file in the place of what DuckDB or evalsql has"
        raise WarehouseError(f"{database.path}: {fault}; {_TAKE_OUT}. Temporary views ask what statements do")


def check_definitions(database: Database, check: Callable[[str], None]) -> None:
    """Raise WarehouseError where a table, view or macro of the file's own calls what ``check`` has a CallError for."""
    for name, text in sorted(database.rows(_only_in_file(database, "name, definition"))):
        try:
            check(text)
        except CallError as error:
            raise WarehouseError(f"{database.path}: {name} in it calls {error}; {_TAKE_OUT}") from error


def refuse_settings(database: Database) -> None:
    """Raise WarehouseError where a view or macro of the file logs or profiles, which DuckDB 2.0 refuses by itself."""
    if engine.__version__.startswith("1.") and not is_address(database.path):
        check_definitions(database, check_settings)


def objects_in(database: Database, name: str) -> list[tuple[str, str, str]]:
    """Schema, name and kind of all that an attached database defines."""
    in_it = f"database_name = {literal(name)}"
    return database.rows(f"select distinct schema_name, name, kind from ({OBJECTS}) where {in_it}")


def _only_in_file(database: Database, columns: str) -> str:
    """These columns of what the file defines and the attached relations of this version do not."""
    both = f"database_name in ({literal(database.name)}, {literal(ATTACHED)})"
    in_file = f"system.main.bool_and(database_name = {literal(database.name)})"
    return f"select {columns} from ({OBJECTS}) where {both} group by {columns} having {in_file}"


def remake_own(database: Database, before: Catalog, *, are_kept: bool = False) -> None:
    """Put a user's own views and macros into the file in the place of those before; their texts may be kept already."""
    names = {relation.name for relation in before.own}
    database.announce(database.catalog.own)
    if database.path != MEMORY:
        _drop(database, database.name, names)
        _make_own(database)
    database.execute_all((signing if are_kept else keeping)(database.catalog))
    _drop(database, "temp", names)
    add_own(database)


def _make_own(database: Database) -> None:
    with database.in_file():
        catalog = replace(database.catalog, temporary=frozenset())
        apply(database, ddl.own_statements(catalog, catalog.own))


def add_own(database: Database) -> None:
    """Make the measures that users keep in the file once more for this connection, which asks nothing of the file's."""
    own = database.catalog.own
    database.catalog = database.catalog.for_connection(relation.name for relation in own)
    apply(database, ddl.own_statements(database.catalog, own, temporary=True))


def _drop(database: Database, held: str, names: Collection[str]) -> None:
    for schema, name, kind in objects_in(database, held):
        if kind != "table" and name.lower() in names and schema in ("main", STEPS):
            database.execute(f"drop {kind} if exists {quoted(held)}.{quoted(schema)}.{quoted(name)}")


def signing(catalog: Catalog) -> list[str]:
    """What writes the tables ``measures``, ``relations``, ``warehouse``: what the views and macros are, and whose."""
    ours = f"{SCHEMA_VERSION}, {literal(__version__)}, {literal(catalog.digest)}, current_timestamp at time zone 'UTC'"
    written = {"warehouse": ours, "measures": unnested(ddl.catalogue_rows(catalog.measures))}
    written["relations"] = unnested(ddl.relation_rows(catalog))
    return [*(f"delete from main.{table}" for table in written), *(_insert(*each) for each in written.items())]


def _insert(table: str, values: str) -> str:
    return f"insert into main.{table} ({', '.join(read_catalog()[table].columns)}) select {values}"


def keeping(catalog: Catalog) -> list[str]:
    """The same with the table ``added_relations``: either without the other would be another version to clients."""
    rows = [(nth, relation.name, relation.text) for nth, relation in enumerate(catalog.own, start=1)]
    insert = _insert("added_relations", f"{unnested(rows)}, current_timestamp at time zone 'UTC'")
    return ["delete from main.added_relations", *([insert] if rows else []), *signing(catalog)]


def has_true_catalogue(database: Database) -> bool:
    """Whether the table ``measures``, which says how values are averaged, has the rows of the catalogue."""
    return sorted(database.rows(_listed(database))) == sorted(ddl.catalogue_rows(database.catalog.measures))


def _listed(database: Database) -> str:
    return f"select {', '.join(map(quoted, database.catalog['measures'].columns))} from main.measures"


def give_catalogue(database: Database) -> None:
    """Have this connection ask a table ``measures`` of its own, and not that of the file."""
    database.execute(f"create temp table measures as {_listed(database)} limit 0")
    database.insert_text("temp.measures", ddl.catalogue_rows(database.catalog.measures))


def add_temporary_relations(database: Database, relations: Sequence[Relation]) -> None:
    """Add those that are not there yet for this connection only, also to the views that cover all measures."""
    held = {relation.name: relation.text for relation in database.catalog.relations.values()}
    relations = [relation for relation in relations if held.get(relation.name) != relation.text]
    if not relations:
        return
    catalog = database.catalog.extended(relations)
    catalog.build_order([relation.name for relation in relations])
    check_bodies(catalog, relations)
    database.catalog = catalog.for_connection(relation.name for relation in relations)
    own = [relation for relation in relations if relation.is_measure]
    database.execute(f"create temp table if not exists measures as {_listed(database)}")
    database.insert_text("temp.measures", ddl.catalogue_rows(own))
    apply(database, ddl.own_statements(database.catalog, relations, temporary=True))
    check_own(database)


def apply(database: Database, statements: Iterable[tuple[str, str]], progress: Progress = silent) -> None:
    """Run statements that come with the place they are made from; a CatalogError names the place of one that fails."""
    listed = list(statements)
    for done, (place, statement) in enumerate(listed):
        progress(_MAKING, done, len(listed))
        try:
            if len(database.statements(statement)) != 1:  # a body could close its own macro
                raise QueryError("expected one statement")
            database.execute(statement)
        except QueryError as error:
            for relation in database.catalog.own:
                if place == f"{relation.path}:{relation.body_line}":
                    raise fault_in(relation, error) from error
            raise CatalogError(f"{place}: {error}") from error
    progress(_MAKING, len(listed), len(listed))


# What a file is, before anything in it is run


def main_tables(database: Database) -> dict[str, str]:
    """The CREATE TABLE of each table in the file's main schema; nothing of the file is evaluated for that."""
    main = (database.name, "main")
    return {name: sql for catalog, schema, name, sql in database.rows(_TABLES) if (catalog, schema) == main}


def keeps_measures(database: Database) -> bool:
    """Whether the file has measures of users, which may read any relation; nothing of it is evaluated for that."""
    kept = "table_name = 'added_relations' and estimated_size > 0"
    return bool(database.rows(f"select 1 from system.main.duckdb_tables() where {kept}"))


def is_empty(database: Database) -> bool:
    """Whether the file defines nothing; to list functions takes the engine long, so tables are looked for first."""
    return not main_tables(database) and not objects_in(database, database.name)


def version_of(database: Database, tables: Mapping[str, str]) -> tuple[int, str, str]:
    """Versions of the schema and of the program that made the file, and the digest of its SQL; refuses other files."""
    _refuse_computed(database, tables)
    # What has the name may be a view of anything.
    columns = "schema_version::integer, evalsql_version::varchar, sql_digest::varchar"
    query = f"select {columns} from {quoted(database.name)}.main.warehouse where schema_version is not null"
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
    return schema_version, " ".join(str(made_by).split()), digest  # messages have the version in a line


def _refuse_computed(database: Database, tables: Mapping[str, str]) -> None:
    """Raise WarehouseError where a warehouse's table has another computed column, which may call the file's macros."""
    bodies = {table.name: table.body for table in database.catalog.of_kind("tables")}
    ours = {column for body in bodies.values() for column in typed_columns(body)}
    for table, sql in tables.items():
        columns = typed_columns(sql) if table.lower() in bodies else ()
        for column in columns:
            if column.is_computed and column not in ours:
                _refuse(database, [table], f"has different columns from a warehouse's, such as {column.text}")


def refuse_operators(database: Database) -> None:
    """Raise WarehouseError where the file has a macro for plus or minus, which computed columns may ask unseen.

    What the macro is made of is bound here and not run, within the fence.
    """
    schemas = database.column(f"select schema_name {_SCHEMAS.format(database=literal(database.name))}")
    for place in (f"{quoted(database.name)}.{quoted(schema)}" for schema in schemas):
        for operator in ("+", "-"):
            try:
                database.rows(f'explain select {place}."{operator}"(1::integer, 1::integer)')
            except QueryError as error:
                # A macro that is there can raise an error of any words, but not while it is bound.
                if isinstance(error.__cause__, engine.BinderException) and "not found" in str(error):
                    continue
            _refuse(database, [f"macro {place}.{quoted(operator)}"], _COMPUTES_RANKS)


def refuse_operators_by_name(database: Database) -> None:
    """The same by what the file is said to define, which takes longer; nothing of it is bound."""
    held = objects_in(database, database.name)
    _refuse(database, [f"macro {schema}.{name}" for schema, name, _ in held if name in ("+", "-")], _COMPUTES_RANKS)


def check_tables(database: Database, tables: Mapping[str, str], *, is_current: bool) -> None:
    """Raise WarehouseError where a base table is none or, of the current schema, has other columns or triggers."""
    in_file = _SCHEMAS.format(database=literal(database.name))
    if database.rows(f"select 1 {in_file} and system.main.lower(schema_name) = 'temp'"):
        advice = f"drop schema {quoted(database.name)}.temp cascade, in another DuckDB client, takes it out"
        raise WarehouseError(f"{database.path}: has a schema temp, which DuckDB does not tell from its own; {advice}")
    expected = {relation.name: typed_columns(relation.body) for relation in database.catalog.of_kind("tables")}
    if absent := expected.keys() - tables.keys():
        objects = objects_in(database, database.name)
        views = absent & {name for schema, name, kind in objects if (schema, kind) == ("main", "view")}
        advice = _ADVICE if is_current else f"drop view {{}}{_MAKES_ROOM}"
        _refuse(database, views, "is a view where a warehouse has a table", advice)
        if is_current:
            _refuse(database, absent, "is missing")
    if is_current:
        # Users may have added columns.
        held = {name: [each for each in typed_columns(tables[name]) if each in expected[name]] for name in expected}
        changed = [name for name in expected if held[name] != expected[name]]
        _refuse(database, changed, "has different columns from a warehouse's")
        wider = [name for name in expected if typed_columns(tables[name]) != expected[name]]
        for name in wider:
            columns = database.column(_COLUMNS.format(literal(database.name), literal(name)))
            _refuse_collations(database, name, set(columns) - {each.name for each in expected[name]})
        if wider:
            check_definitions(database, check_settings)  # a load computes their defaults, and checks
    for name in expected.keys() & tables.keys():  # no version had a column otherwise, but for those computed now
        stored = {each.name: each for each in expected[name] if not each.is_computed}
        for each in typed_columns(tables[name]):
            if stored.get(each.name.lower(), each) != each:
                _refuse(database, [name], f"has different columns from a warehouse's, such as {each.text}")
        if "meta" in {each.name for each in typed_columns(tables[name])}:
            _refuse_collations(database, name, ["meta"])
    # The engine finds rows by the values at the time, of which macros made others, and ends in a fault where columns
    # are computed.
    indexes = database.rows("select table_name, index_name, sql from system.main.duckdb_indexes()")
    computed = database.catalog.computed_columns
    found = [quoted(index) for table, index, sql in indexes if table in expected and indexes_computed(sql, computed)]
    _refuse(database, found, "is an index of values that its maker computed", _DROP_INDEX)
    with suppress(QueryError):  # DuckDB 1.5 has no triggers, and reads no file that has some
        triggers = "select trigger_name from system.main.duckdb_triggers()"
        found = [] if database.read_only else database.column(triggers)
        _refuse(database, found, "is a trigger, which a warehouse has none of")


def _refuse_collations(database: Database, table: str, columns: Collection[str]) -> None:
    """Raise WarehouseError where these values compare otherwise than text; no CREATE TABLE says that of a MAP."""
    asked = f"select {', '.join(map(quoted, columns))} from {quoted(database.name)}.main.{quoted(table)}"
    plan = str(database.column(f"select system.main.json_serialize_plan({literal(asked)})")[0]) if columns else ""
    if '"collation":"' in plan or '"error":true' in plan:
        _refuse(database, [table], f"has another collation in {some_of(sorted(columns))}")


def _refuse(database: Database, names: Iterable[str], what: str, advice: str = _ADVICE) -> None:
    for name in sorted(names):
        raise WarehouseError(f"{database.path}: {name} {what}; {advice.format(name)}")
