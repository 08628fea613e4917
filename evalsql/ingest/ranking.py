"""Staged rows of runs on their way into the base tables: keys for names, repeated documents, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalsql.ingest import keys
from evalsql.ingest.keys import loading_sql

if TYPE_CHECKING:
    from evalsql.ingest.runs import NewRun, RunOptions
    from evalsql.warehouse import Warehouse

STAGED = """
create or replace temp table staged_run_rows (
    file_id integer, topic varchar, document varchar, given_rank integer, score double, doubtful boolean
)"""


def code(warehouse: Warehouse, runs: Sequence[NewRun], options: RunOptions) -> set[tuple[int, str, str]]:
    """Give keys to what is staged; returns run_id, topic and document of the documents that are repeated."""
    _add_runs(warehouse, runs, options)
    keys.add_names(warehouse, "select * from staged_run_rows")
    inputs = {
        # Files keep their order, whichever reader put them there.
        "staged": "select *, (file_id::bigint << 40) + rowid as position from staged_run_rows",
        "staged_files": _owners(runs),
    }
    coded = loading_sql(warehouse, "coded_run_rows", inputs, tie_rule=options.tie_rule)
    warehouse.execute(f"create or replace temp table coded as\n{coded}")
    repeated = loading_sql(warehouse, "repeated_documents", {})
    return set(
        warehouse.rows(f"""
            select run_id, topic, document from ({repeated})
            join topics using (topic_id) join documents using (document_id)
        """)
    )


def store(warehouse: Warehouse, runs: Sequence[NewRun], options: RunOptions, *, with_repeated: bool) -> None:
    """Rank the coded rows under the tie rule and put them into the base tables."""
    inputs = {
        "retrieved": "select run_id, topic_id, rank, document_id, score from coded",
        "scored": warehouse.catalog["scored"].body,
    }
    by_score = options.tie_rule in ("trec_eval", "trec_eval_10")
    ranked = loading_sql(warehouse, "ranked" if by_score else "ranked_as_given", inputs)
    if with_repeated:
        ranked = loading_sql(warehouse, "best_ranked", {"ranked": ranked})
    if options.depth or options.judged_by:
        judged_by = dict(warehouse.rows("select qrels, qrels_id from qrels")).get(options.judged_by)
        ranked = loading_sql(warehouse, "kept_ranks", {"ranked": ranked}, depth=options.depth, judged_by=judged_by)
    keys.insert(warehouse, "retrieved", loading_sql(warehouse, "new_retrieved", {"ranked": ranked}))
    inputs = {"staged_files": _owners(runs)}
    keys.insert(warehouse, "run_topics", loading_sql(warehouse, "new_run_topics", inputs))
    if with_repeated:
        warehouse.execute(f"""
            update runs set duplicates = (
                select count(*) - count(distinct (topic_id, document_id)) from coded where coded.run_id = runs.run_id
            )
            where run_id in ({", ".join(str(run.run_id) for run in runs)})
        """)
    warehouse.execute("drop table coded")
    keys.forget_names(warehouse)


def _owners(runs: Sequence[NewRun]) -> str:
    owners = ", ".join(f"({file_id}, {run.run_id})" for run in runs for file_id in run.file_ids)
    return f"select * from (values {owners}) as files(file_id, owner_id)"


def _add_runs(warehouse: Warehouse, runs: Sequence[NewRun], options: RunOptions) -> None:
    notes = [run.notes for run in runs]
    warehouse.execute(
        """
        insert into runs (
            run_id, run, tag, num_tags, comments,
            tie_rule, lower_is_better, duplicates, depth, judged_by, meta, loaded_at, evalsql_version
        )
        select
            unnest(?::integer[]), unnest(?::varchar[]), unnest(?::varchar[]),
            unnest(?::integer[]), unnest(?::varchar[]),
            ?, ?, 0, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?
        """,
        (
            *([run.run_id for run in runs], [run.name for run in runs], [note.last_tag for note in notes]),
            *([run.num_tags for run in runs], ["\n".join(note.comments) for note in notes]),
            *(options.tie_rule, options.lower_is_better, options.depth, options.judged_by),
            *(list(options.meta), list(options.meta.values()), warehouse.program_version),
        ),
    )
