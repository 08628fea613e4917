"""Deletes runs and judgment sets, makes room for new ones, and keeps replaced judgments as versions (robust04@1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.database.database import Database
from evalsql.database.names import Names, resolve_names
from evalsql.errors import USE_REPLACE, UsageError, warn
from evalsql.phrases import counted, shortened


def drop(database: Database, kind: str, names: Names) -> list[str]:
    """Delete runs ("run") or judgment sets ("qrels"), all or none, by names or globs; returns the deleted names."""
    with database.transaction():
        gone = resolve_names(database, kind, names, with_replaced=True)
        for key in gone.ids:
            delete(database, kind, key)
        for table, key_column in (("documents", "document_id"), ("topics", "topic_id")):
            unused = relation_query(database.catalog, f"unused_{table}")
            database.execute(f"delete from {table} where {key_column} in (\n{unused}\n)")
    return sorted(gone)


def delete(database: Database, kind: str, key: int) -> None:
    """Delete the rows of one run ("run") or judgment set ("qrels") from every table.

    Runs of which only scores are stored, all computed with a judgment set, are deleted with it; a warning says so.
    """
    tables: Sequence[str] = ("runs", "retrieved", "run_topics", "stored_scores")
    if kind == "qrels":
        stored, others = (f"select run_id from stored_scores where qrels_id {sign} {key}" for sign in ("=", "<>"))
        ((num_runs,),) = database.rows(f"select count(distinct run_id) from ({stored})")
        if num_runs:
            warn(f"the stored scores of {counted(num_runs, 'run')} went with the judgments they were computed with")
        for (run_id,) in database.rows(f"select distinct run_id from ({stored}) where run_id not in ({others})"):
            delete(database, "run", run_id)
        tables = ("qrels", "assessments", "preferences", "judged_documents", "topic_weights", "topic_meta")
        tables = (*tables, "stored_scores")
        database.execute(f"delete from files where (kind = 'weights' or kind like 'topics.%') and id = {key}")
    evaluations = f"select evaluation_id from evaluations where {kind}_id = {key}"
    database.execute(f"delete from judged_ranks where evaluation_id in ({evaluations})")
    for table in (*tables, "evaluations"):
        database.execute(f"delete from {table} where {kind}_id = {key}")
    database.execute(f"delete from files where kind = '{kind}' and id = {key}")


def make_room_for_runs(
    database: Database, names: Sequence[str], qrels: Sequence[str], replace: bool
) -> dict[str, set[int]]:
    """Delete the runs that are to be replaced; returns by name the keys of the judgment sets to evaluate each with.

    Those are the sets asked for, else the only one there is, and those of the run that it replaces.
    """
    held = dict(database.rows("select run, run_id from runs"))
    taken = [name for name in names if name in held]
    if taken and not replace:
        raise UsageError(f"already loaded: {shortened(taken)}; {USE_REPLACE}")
    present = dict(database.rows("select qrels_id, qrels from qrels where replaced_at is null order by qrels"))
    wanted = set(resolve_names(database, "qrels", qrels).ids)
    if not qrels and len(present) == 1:
        wanted = set(present)
    sets = {name: set(wanted) for name in names}
    for name in taken:
        in_use = database.rows(f"select distinct qrels_id from evaluations where run_id = {held[name]}")
        sets[name] |= {qrels_id for (qrels_id,) in in_use if qrels_id in present}
        delete(database, "run", held[name])
    if not qrels and len(present) > 1 and not all(sets.values()):
        raise UsageError(f"there are several judgment sets, say which to evaluate with: {', '.join(present.values())}")
    return sets


class Replaced(NamedTuple):
    """The key of the judgment set that another one replaces, if any, and those of the runs evaluated with it."""

    qrels_id: int | None
    run_ids: set[int]


def make_room_for_judgments(database: Database, name: str, replace: bool) -> Replaced:
    """Rename a judgment set that is to be replaced to the next free version, such as robust04@2.

    It still evaluates its runs, so earlier figures can be asked for by that name.
    """
    held = {each: rest for each, *rest in database.rows("select qrels, qrels_id, replaced_at is null from qrels")}
    if name not in held:
        return Replaced(None, set())
    qrels_id, is_current = held[name]
    if not replace:
        raise UsageError(f"judgments {name} are already loaded; {USE_REPLACE}")
    if not is_current:
        raise UsageError(
            f"judgments {name} are an earlier version, which is kept as it is; load these under another name, or "
            f"delete {name} first: evalsql drop qrels {name}"
        )
    version = next(f"{name}@{number}" for number in count(1) if f"{name}@{number}" not in held)
    database.execute(
        "update qrels set qrels = ?, replaced_at = current_timestamp at time zone 'UTC' where qrels_id = ?",
        [version, qrels_id],
    )
    runs = database.rows(f"select distinct run_id from evaluations where qrels_id = {qrels_id}")
    return Replaced(qrels_id, {run_id for (run_id,) in runs})


def take_over(database: Database, qrels_id: int, replaced_id: int | None) -> None:
    """Copy texts and groups of topics from the replaced judgment set, if it has the same form.

    If both sets hold the same judgments, delete the replaced one.
    """
    both = f"({qrels_id}, {replaced_id})"
    if replaced_id is None or database.rows(
        f"select 1 from qrels where qrels_id in {both} having count(distinct form) > 1"
    ):
        return
    for table, key, chosen in (("topic_meta", "qrels_id", ""), ("files", "id", "and kind like 'topics.%'")):
        columns = f"select * replace ({qrels_id} as {key}) from {table}"
        database.execute(f"insert into {table} {columns} where {key} = {replaced_id} {chosen}")
    differing = relation_query(database.catalog, "judgment_differences", {}, qrels_id=qrels_id, other_id=replaced_id)
    if not database.rows(f"select 1 from ({differing}) limit 1"):
        delete(database, "qrels", replaced_id)
