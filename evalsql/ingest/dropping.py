"""Takes runs and judgment sets out of a database, with all that belongs to them."""

from __future__ import annotations

from collections.abc import Sequence

from evalsql.catalog.ddl import relation_query
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, resolve_ids, resolve_names
from evalsql.errors import warn
from evalsql.phrases import counted


def drop(database: Database, kind: str, names: Names) -> list[str]:
    """Take runs ("run") or judgment sets ("qrels"), all or none, by names or globs; returns the names that went."""
    with database.transaction():
        ids = {key for pattern in as_list(names) for key in resolve_ids(database, kind, pattern, with_replaced=True)}
        gone = resolve_names(database, kind, names, with_replaced=True) if ids else []
        for key in ids:
            delete(database, kind, key)
        for table, key_column in (("documents", "document_id"), ("topics", "topic_id")):
            unused = relation_query(database.catalog, f"unused_{table}")
            database.execute(f"delete from {table} where {key_column} in (\n{unused}\n)")
    return sorted(gone)


def delete(database: Database, kind: str, key: int) -> None:
    """Take the rows of one run ("run") or judgment set ("qrels") out of every table."""
    tables: Sequence[str] = ("runs", "retrieved", "run_topics", "stored_scores")
    if kind == "qrels":
        _drop_stored_runs(database, key)
        tables = (
            *("qrels", "assessments", "preferences", "judged_documents"),
            *("topic_weights", "topic_meta", "stored_scores"),
        )
        database.execute(f"delete from files where (kind = 'weights' or kind like 'topics.%') and id = {key}")
    database.execute(
        f"delete from judged_ranks where evaluation_id in "
        f"(select evaluation_id from evaluations where {kind}_id = {key})"
    )
    for table in (*tables, "evaluations"):
        database.execute(f"delete from {table} where {kind}_id = {key}")
    database.execute(f"delete from files where kind = '{kind}' and id = {key}")


def _drop_stored_runs(database: Database, qrels_id: int) -> None:
    """Take out the runs of which nothing is left without this judgment set, where only scores are stored; tell it."""
    stored = f"select run_id from stored_scores where qrels_id = {qrels_id}"
    others = f"select run_id from stored_scores where qrels_id <> {qrels_id}"
    found = database.rows(f"select distinct run_id from ({stored})")
    if found:
        text = f"the stored scores of {counted(len(found), 'run')} went with the judgments that they were computed with"
        warn(text)
    for (run_id,) in database.rows(f"select distinct run_id from ({stored}) where run_id not in ({others})"):
        delete(database, "run", run_id)
