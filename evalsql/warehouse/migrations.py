"""Brings the tables of older warehouses to this version's schema; everything new follows from what they hold."""

from __future__ import annotations

from collections.abc import Iterable

from evalsql.catalog import ddl
from evalsql.ingest.keys import insert, loading_sql, rank_judged
from evalsql.warehouse.warehouse import Warehouse

_CHANGED = ("qrels", "runs", "retrieved", "judged_ranks")
_NEW = ("judged_documents", "preferences")
_NEW_IN_3 = ("added_relations", "topic_weights")


def upgrade(warehouse: Warehouse, schema_version: int) -> None:
    """From the given version to this one. Within the caller's transaction."""
    if schema_version < 2:
        _from_version_1(warehouse)
    elif schema_version < 4:
        _from_version_3(warehouse)
    if schema_version < 3:
        _create(warehouse, _NEW_IN_3)


def _create(warehouse: Warehouse, tables: Iterable[str]) -> None:
    for table in tables:
        relation = warehouse.catalog[table]
        warehouse.execute(relation.body)
        for comment in ddl.comments(warehouse.catalog, relation):
            warehouse.execute(comment)


def _from_version_1(warehouse: Warehouse) -> None:
    """The first schema knew no ties, judgment groups and preferences."""
    for table in _CHANGED:
        warehouse.execute(f"alter table {table} rename to old_{table}")
    _create(warehouse, (*_CHANGED, *_NEW))
    insert(warehouse, "qrels", "select *, 'grades' as form from old_qrels")
    insert(warehouse, "runs", "select * from old_runs")
    for _, statement in ddl.made(warehouse.catalog, warehouse.catalog["comparison_score"], temporary=False):
        warehouse.execute(statement)
    of_documents = warehouse.catalog["retrieved_scores"].body
    scores = {"retrieved": "select * from old_retrieved", "retrieved_scores": of_documents}
    ranked = {"ranked": loading_sql(warehouse, "first_ranks", scores)}
    insert(warehouse, "retrieved", loading_sql(warehouse, "retrieved_rows", ranked))
    sets = {"new_qrels": "select qrels_id from qrels"}
    insert(warehouse, "judged_documents", loading_sql(warehouse, "new_judged_documents", sets))
    _fill_judged_ranks(warehouse)
    for table in _CHANGED:
        warehouse.execute(f"drop table old_{table}")


def _from_version_3(warehouse: Warehouse) -> None:
    """Schemas before 4 stored ranks of first documents, and no places among judged and among relevant documents."""
    warehouse.execute("alter table retrieved rename to old_retrieved")
    _create(warehouse, ("retrieved",))
    ranked = {"ranked": "select * from old_retrieved"}
    insert(warehouse, "retrieved", loading_sql(warehouse, "retrieved_rows", ranked))
    warehouse.execute("drop table old_retrieved")
    warehouse.execute("drop table judged_ranks")
    _create(warehouse, ("judged_ranks",))
    _fill_judged_ranks(warehouse)


def _fill_judged_ranks(warehouse: Warehouse) -> None:
    pairs = warehouse.rows("select qrels_id, run_id from evaluations group by all order by min(evaluation_id)")
    rank_judged(warehouse, pairs)
