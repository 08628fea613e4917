"""Makes what a file of this version holds: base tables, views, macros, the catalogue of measures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import literal, quoted
from evalsql.catalog.relations import STEPS, Catalog, Relation
from evalsql.database.database import Database
from evalsql.errors import CatalogError, QueryError
from evalsql.progress import Progress, silent
from evalsql.version import __version__
from evalsql.warehouse.foreign import check_bodies
from evalsql.warehouse.own_measures import check_own

SCHEMA_VERSION = 5
STORAGE_VERSION = "v1.5.0"  # read by DuckDB 1.5 and 2.0, and it holds typed macro parameters
_MAKING = "making views"
# A file's macros can have the names of the engine's functions, but in another schema.
_OBJECTS = """
    select database_name as database, schema_name as schema, table_name as name, 'table' as kind
    from system.main.duckdb_tables() where not temporary
    union all
    select database_name, schema_name, view_name, 'view'
    from system.main.duckdb_views() where not internal and not temporary
    union all
    select distinct
        database_name, schema_name, function_name, case function_type when 'macro' then 'macro' else 'macro table' end
    from system.main.duckdb_functions() where function_type in ('macro', 'table_macro') and not internal
"""
OBJECTS = f"select schema, name, kind from ({_OBJECTS})"


def make(database: Database, progress: Progress, *, common: bool) -> None:
    """Make an empty warehouse of an empty database."""
    with database.transaction():
        create_tables(database, database.catalog.of_kind("tables"))
        rebuild(database, progress, common=common)


def create_tables(database: Database, tables: Iterable[Relation]) -> None:
    """Make base tables, with their comments."""
    for relation in tables:
        database.execute(relation.body)
        for comment in ddl.comments(database.catalog, relation):
            database.execute(comment)


def rebuild(database: Database, progress: Progress, *, common: bool = False, source: str | None = None) -> None:
    """Replace the views and macros of the file by those of this version.

    Args:
        common: make only the common measures and what they read.
        source: an attached database with the package's views and macros and nothing else, to copy them from.
    """
    _drop(database, {name for (name,) in database.rows("select relation from relations")})
    database.execute(f"create schema if not exists {STEPS}")
    catalog = database.catalog
    relations = ddl.order(catalog, common=common)
    if source is None or not _copied(database, source):
        apply(database, ddl.statements(catalog, relations), progress)
    elif catalog.own:
        apply(database, ddl.own_statements(catalog, catalog.own), progress)
    _sign(database, relations)


def _copied(database: Database, source: str) -> bool:
    """Copy views and macros, replacing others of their names; False, with nothing done, if a table has such a name."""
    name = _current(database)
    copied = set(objects_in(database, source))
    held = [(schema.lower(), other.lower(), kind) for schema, other, kind in objects_in(database, name)]
    if any((schema, table, "view") in copied for schema, table, kind in held if kind == "table"):
        return False
    for schema, other, kind in copied.intersection(held):
        database.execute(f"drop {kind} {quoted(schema)}.{quoted(other)}")
    database.execute(f"copy from database {source} to {quoted(name)} (schema)")
    return True


def read_from(database: Database, source: str | None, progress: Progress) -> None:
    """Let a connection that only reads use this version's views and macros in the place of the file's.

    Args:
        source: an attached database with the package's views and macros and nothing else; without one they are made.
    """
    if source is None:
        relations = ddl.order(database.catalog)
        database.catalog = database.catalog.for_connection(database.catalog.relations)
        apply(database, ddl.statements(database.catalog, relations, temporary=True), progress)
        return
    # What is made without a schema goes to the first: the engine refuses it there, as in a file that is only read.
    paths = ("temp.main", f"{source}.main", f"{quoted(_current(database))}.main", f"{source}.{STEPS}")
    database.execute(f"set search_path = {literal(','.join(paths))}")
    if own := database.catalog.own:
        database.catalog = database.catalog.for_connection(relation.name for relation in own)
        apply(database, ddl.own_statements(database.catalog, own, temporary=True), progress)


def objects_in(database: Database, name: str) -> list[tuple[str, str, str]]:
    """Schema, name and kind of all that an attached database defines."""
    return database.rows(f"{OBJECTS} where database = {literal(name)}")


def _current(database: Database) -> str:
    ((name,),) = database.rows("select system.main.current_database()")
    return str(name)


def remake_own(database: Database, before: Catalog) -> None:
    """Put a user's own views and macros into the file in the place of those before, and hold them to the contract."""
    _drop(database, {relation.name for relation in before.own})
    apply(database, ddl.own_statements(database.catalog, database.catalog.own))
    _sign(database, ddl.order(database.catalog))
    check_own(database)


def _drop(database: Database, names: Collection[str]) -> None:
    for schema, name, kind in objects_in(database, _current(database)):
        if kind != "table" and name in names and schema in ("main", STEPS):
            database.execute(f"drop {kind} if exists {quoted(schema)}.{quoted(name)}")


def _sign(database: Database, relations: Sequence[Relation]) -> None:
    """Write the tables ``measures``, ``relations`` and ``warehouse``: what the views and macros are, and whose."""
    database.execute("delete from main.measures")
    database.insert_text("main.measures", ddl.catalogue_rows(database.catalog.measures))
    database.execute("delete from relations")
    database.insert_text("relations", ddl.relation_rows(relations))
    database.execute("delete from warehouse")
    write_version(database)


def write_version(database: Database) -> None:
    """Write down the version of schema, program and SQL."""
    database.execute(
        "insert into warehouse values (?, ?, ?, current_timestamp at time zone 'UTC')",
        [SCHEMA_VERSION, __version__, database.catalog.digest],
    )


def add_temporary_relations(database: Database, relations: Sequence[Relation]) -> None:
    """Add those that are not there yet for this connection only, also to the views that cover all measures."""
    relations = [relation for relation in relations if not database.catalog.has(relation)]
    if not relations:
        return
    catalog = database.catalog.extended(relations)
    catalog.build_order([relation.name for relation in relations])
    check_bodies(database, catalog, relations)
    database.catalog = catalog.for_connection(relation.name for relation in relations)
    own = [relation for relation in relations if relation.is_measure]
    database.execute("create temp table measures as select * from main.measures")
    database.insert_text("temp.measures", ddl.catalogue_rows(own))
    apply(database, ddl.own_statements(database.catalog, relations, temporary=True))
    check_own(database)


def apply(database: Database, statements: Iterable[tuple[str, str]], progress: Progress = silent) -> None:
    """Run statements that come with the place they are made from; a CatalogError names the place of one that fails."""
    progress(_MAKING, 0, 1)
    listed = list(statements)
    for done, (place, statement) in enumerate(listed, start=1):
        try:
            database.execute_one(statement)
        except QueryError as error:
            raise CatalogError(f"{place}: {error}") from error
        progress(_MAKING, done, len(listed))
