"""Deletes runs and judgment sets, and keeps replaced judgments as versions such as robust04@1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, resolve_ids, resolve_names
from evalsql.errors import UsageError, warn
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


_SEPARATOR = "@"


def sets_in_use(database: Database, run_id: int) -> set[int]:
    """Keys of the judgment sets that evaluate a run, without those that newer ones have taken the place of."""
    found = database.rows(f"""
        select distinct qrels_id from evaluations
        where run_id = {run_id} and qrels_id in (select qrels_id from qrels where replaced_at is null)
    """)
    return {qrels_id for (qrels_id,) in found}


def refuse_replaced(database: Database, name: str, qrels_id: int) -> None:
    """Raise UsageError for a set that newer judgments have taken the place of: older figures hang on it."""
    if database.rows(f"select 1 from qrels where qrels_id = {qrels_id} and replaced_at is not null"):
        raise UsageError(
            f"judgments {name} stay as they were when newer ones took their place; load these under another name, or "
            f"take {name} out first: evalsql drop qrels {name}"
        )


class SetAside(NamedTuple):
    """The key of a judgment set whose name another one gets, None where there was none, and those of its runs."""

    qrels_id: int | None
    run_ids: set[int]


def set_aside(database: Database, qrels_id: int) -> SetAside:
    """Give a judgment set the next free name such as robust04@2, so that its own is free.

    It goes on evaluating its runs: figures of before can be asked for by that name.
    """
    ((name,),) = database.rows(f"select qrels from qrels where qrels_id = {qrels_id}")
    held = {each for (each,) in database.rows("select qrels from qrels")}
    number = 1
    while f"{name}{_SEPARATOR}{number}" in held:
        number += 1
    aside = f"{name}{_SEPARATOR}{number}"
    database.execute(
        f"update qrels set qrels = ?, replaced_at = current_timestamp at time zone 'UTC' where qrels_id = {qrels_id}",
        [aside],
    )
    runs = database.rows(f"select distinct run_id from evaluations where qrels_id = {qrels_id}")
    return SetAside(qrels_id, {run_id for (run_id,) in runs})


def take_over(database: Database, qrels_id: int, old_id: int | None) -> None:
    """Let a judgment set follow the one of the same form, if any, that was set aside for it.

    Texts and groups describe the topics, so they are those of the new set too. Where both sets hold the same
    judgments, the one before is taken out.
    """
    if old_id is None:
        return
    ((num_forms,),) = database.rows(f"select count(distinct form) from qrels where qrels_id in ({qrels_id}, {old_id})")
    if num_forms > 1:
        return
    for table, key, chosen in (("topic_meta", "qrels_id", ""), ("files", "id", "and kind like 'topics.%'")):
        columns = f"select * replace ({qrels_id} as {key}) from {table}"
        database.execute(f"insert into {table} {columns} where {key} = {old_id} {chosen}")
    differing = relation_query(database.catalog, "judgment_differences", {}, qrels_id=qrels_id, other_id=old_id)
    if not database.rows(f"select 1 from ({differing}) limit 1"):
        delete(database, "qrels", old_id)
