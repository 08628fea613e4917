"""Brings the tables of older warehouses to this version's schema; everything new follows from what they hold."""

from __future__ import annotations

from collections.abc import Iterable

from evalsql.catalog.ddl import creating_statements, relation_query
from evalsql.database.database import Database
from evalsql.ingest.base_rows import rank_judged
from evalsql.warehouse.schema import create_tables

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
