"""Makes what a file of this version holds (base tables, views, macros, the catalogue), and upgrades older files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from evalsql.catalog import ddl
from evalsql.catalog.ddl import creating_statements, relation_query
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
    """Make base tables, with their comments."""
    with database.in_file():
        for relation in tables:
            database.execute(relation.body)
            for comment in ddl.comments(database.catalog, relation):
                database.execute(comment)


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
    database.execute("delete from main.measures")
    database.insert_text("main.measures", ddl.catalogue_rows(database.catalog.measures))
    database.execute("delete from main.relations")
    database.insert_text("main.relations", ddl.relation_rows(ddl.order(database.catalog)))
    database.execute("delete from main.warehouse")
    write_version(database)


def write_version(database: Database) -> None:
    """Write down the version of schema, program and SQL."""
    database.execute(
        "insert into main.warehouse values (?, ?, ?, current_timestamp at time zone 'UTC')",
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


_CHANGED_IN_2 = ("qrels", "runs", "retrieved", "judged_ranks")
_NEW_IN_2 = ("judged_documents", "preferences")
_NEW_IN_3 = ("added_relations", "topic_weights")
_NEW_IN_5 = ("topic_meta", "stored_scores")


def upgrade(database: Database, schema_version: int) -> None:
    """Bring the tables from the given version to this one, within the caller's transaction."""
    if schema_version < 2:
        _from_version_1(database)
    elif schema_version < 4:
        _to_version_4(database)
    if schema_version < 3:
        _create(database, _NEW_IN_3)
    if 1 < schema_version < 5:
        _replace(database, "qrels", "select * from old_qrels")
    if schema_version < 5:
        _create(database, _NEW_IN_5)


def _create(database: Database, names: Iterable[str]) -> None:
    create_tables(database, [database.catalog[name] for name in names])


def _replace(database: Database, table: str, rows: str) -> None:
    """Make a table anew from a query over the old one, which is called ``old_TABLE`` meanwhile."""
    database.execute(f"alter table {table} rename to old_{table}")
    _create(database, [table])
    database.insert(table, rows)
    database.execute(f"drop table old_{table}")


def _from_version_1(database: Database) -> None:
    """The first schema knew no ties, judgment groups and preferences."""
    for table in _CHANGED_IN_2:
        database.execute(f"alter table {table} rename to old_{table}")
    _create(database, (*_CHANGED_IN_2, *_NEW_IN_2))
    database.insert("qrels", "select *, 'grades' as form from old_qrels")
    database.insert("runs", "select * from old_runs")
    with database.in_file():
        for _, statement in creating_statements(
            database.catalog, database.catalog["comparison_score"], temporary=False
        ):
            database.execute(statement)
    of_documents = database.catalog["retrieved_scores"].body
    scores = {"retrieved": "select * from old_retrieved", "retrieved_scores": of_documents}
    ranked = {"ranked": relation_query(database.catalog, "first_ranks", scores)}
    database.insert("retrieved", relation_query(database.catalog, "retrieved_rows", ranked))
    sets = {"new_qrels": "select qrels_id from qrels"}
    database.insert("judged_documents", relation_query(database.catalog, "new_judged_documents", sets))
    _fill_judged_ranks(database)
    for table in _CHANGED_IN_2:
        database.execute(f"drop table old_{table}")


def _to_version_4(database: Database) -> None:
    """Versions 2 and 3 stored ranks of first documents, and no places among judged and among relevant documents."""
    ranked = {"ranked": "select * from old_retrieved"}
    _replace(database, "retrieved", relation_query(database.catalog, "retrieved_rows", ranked))
    database.execute("drop table judged_ranks")
    _create(database, ["judged_ranks"])
    _fill_judged_ranks(database)


def _fill_judged_ranks(database: Database) -> None:
    pairs = database.rows("select qrels_id, run_id from evaluations group by all order by min(evaluation_id)")
    rank_judged(database, pairs)
