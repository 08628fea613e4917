"""Makes what a file of this version holds (base tables, views, macros, the catalogue), and upgrades older files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import literal, quoted
from evalsql.catalog.relations import STEPS, Catalog, Relation
from evalsql.database.database import MEMORY, Database
from evalsql.errors import CatalogError, QueryError
from evalsql.ingest.base_rows import rank_judged
from evalsql.phrases import Progress, silent
from evalsql.version import __version__
from evalsql.warehouse.own_measures import check_bodies, check_own

SCHEMA_VERSION = 5
_MAKING = "making views"
# What the database with the package's relations is called, the same for the whole process, so that a file that is
# opened again finds it attached. No file is called so.
ATTACHED = f"relations_{os.urandom(8).hex()}"
# A file's macros can have the names of the engine's functions, but in another schema.
_OBJECTS = """
    select schema_name, table_name, 'table' from system.main.duckdb_tables()
    where not temporary and database_name = {database}
    union all
    select schema_name, view_name, 'view' from system.main.duckdb_views()
    where not internal and database_name = {database}
    union all
    select distinct
        schema_name, function_name, case function_type when 'macro' then 'macro' else 'macro table' end
    from system.main.duckdb_functions()
    where function_type in ('macro', 'table_macro') and not internal and database_name = {database}
"""


def make(database: Database) -> None:
    """Make an empty warehouse of an empty database; a file gets a copy of the attached relations too."""
    with database.transaction():
        create_tables(database, database.catalog.of_kind("tables"))
        if database.path != MEMORY:
            database.execute(f"copy from database {ATTACHED} to {quoted(database.name)} (schema)")
        _sign(database)


def create_tables(database: Database, tables: Iterable[Relation]) -> None:
    with database.in_file():
        database.execute_all([sql for table in tables for sql in (table.body, *ddl.comments(database.catalog, table))])


def rebuild(database: Database) -> None:
    """Replace the views and macros of the file by the attached ones of this version, for other clients of the file."""
    written = {name for (name,) in database.rows("select relation from relations")}
    _drop(database, database.name, written | {*database.catalog.relations, ddl.SCORES})
    try:
        database.execute(f"copy from database {ATTACHED} to {quoted(database.name)} (schema)")
    except QueryError as error:  # a table has the name of a view
        raise CatalogError(f"{database.path}: {error}") from error
    _make_own(database)
    _sign(database)


def objects_in(database: Database, name: str) -> list[tuple[str, str, str]]:
    """Schema, name and kind of all that an attached database defines."""
    return database.rows(_OBJECTS.format(database=literal(name)))


def remake_own(database: Database, before: Catalog) -> None:
    """Put a user's own views and macros into the file in the place of those before, and hold them to the contract."""
    names = {relation.name for relation in before.own}
    _drop(database, database.name, names)
    _make_own(database)
    _sign(database)
    if database.path != MEMORY:
        _drop(database, "temp", names)
        add_own(database)
    check_own(database)


def _make_own(database: Database) -> None:
    if database.catalog.own:
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


def _sign(database: Database) -> None:
    """Write the tables ``measures``, ``relations`` and ``warehouse``: what the views and macros are, and whose."""
    for table in ("measures", "relations", "warehouse"):
        database.execute(f"delete from main.{table}")
    database.insert_text("main.measures", ddl.catalogue_rows(database.catalog.measures))
    database.insert_text("main.relations", ddl.relation_rows(database.catalog))
    insert = "insert into main.warehouse values (?, ?, ?, current_timestamp at time zone 'UTC')"
    database.execute(insert, [SCHEMA_VERSION, __version__, database.catalog.digest])


def add_temporary_relations(database: Database, relations: Sequence[Relation]) -> None:
    """Add those that are not there yet for this connection only, also to the views that cover all measures."""
    held = {relation.name: relation.text for relation in database.catalog.relations.values()}
    relations = [relation for relation in relations if held.get(relation.name) != relation.text]
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
    listed = list(statements)
    for done, (place, statement) in enumerate(listed):
        progress(_MAKING, done, len(listed))
        try:
            if len(database.statements(statement)) != 1:  # a body could close its own macro
                raise QueryError("expected one statement")
            database.execute(statement)
        except QueryError as error:
            raise CatalogError(f"{place}: {error}") from error
    progress(_MAKING, len(listed), len(listed))


def upgrade(database: Database, schema_version: int) -> None:
    """Bring the tables from the given version to this one, within the caller's transaction."""
    catalog = database.catalog
    is_first, stores_first_ranks = schema_version == 1, schema_version < 4
    changed = ["qrels", *(["retrieved", "judged_ranks"] if stores_first_ranks else []), *(["runs"] if is_first else [])]
    for table in changed:
        database.execute(f"alter table {table} rename to old_{table}")
    held = {name for schema, name, kind in objects_in(database, database.name) if (schema, kind) == ("main", "table")}
    create_tables(database, [table for table in catalog.of_kind("tables") if table.name not in held])
    database.insert("qrels", "select *, 'grades' as form from old_qrels" if is_first else "select * from old_qrels")
    ranked = "select * from old_retrieved"
    if is_first:  # it knew no ties, judgment groups and preferences
        database.insert("runs", "select * from old_runs")
        sets = {"new_qrels": "select qrels_id from qrels"}
        database.insert("judged_documents", ddl.relation_query(catalog, "new_judged_documents", sets))
        with database.in_file():
            for _, statement in ddl.creating_statements(catalog, catalog["comparison_score"], temporary=False):
                database.execute(statement)
        scores = {"retrieved": ranked, "retrieved_scores": catalog["retrieved_scores"].body}
        ranked = ddl.relation_query(catalog, "first_ranks", scores)
    if stores_first_ranks:  # and no places among judged and among relevant documents
        database.insert("retrieved", ddl.relation_query(catalog, "retrieved_rows", {"ranked": ranked}))
        pairs = database.rows("select qrels_id, run_id from evaluations group by all order by min(evaluation_id)")
        rank_judged(database, pairs)
    for table in changed:
        database.execute(f"drop table old_{table}")
