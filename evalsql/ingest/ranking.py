"""Staged rows of runs on their way into the base tables: keys for names, repeated documents, ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import QueryError
from evalsql.ingest import base_rows
from evalsql.ingest.files.source import Source, Text
from evalsql.ingest.files.trec_text import Notes
from evalsql.version import __version__

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.tables import Table
    from evalsql.ingest.remarks import Remarks
    from evalsql.ingest.run_options import RunOptions


STAGED_COLUMNS = "file_id integer, topic varchar, document varchar, given_rank integer, score double, doubtful boolean"
STAGED = f"create or replace temp table staged_run_rows ({STAGED_COLUMNS})"
# Files keep their order, whichever reader put them there.
_STAGED_IN_ORDER = "select *, (file_id::bigint << 40) + rowid as position from staged_run_rows"


@dataclass
class StagedFile:
    """One file of one run on its way in.

    Attributes:
        text: the file as plain text, if the engine's reader may take it.
        notes: comments and tags.
        opposes_ranks: whether scores get worse where the ranks say that they get better.
        is_refused: whether something in it cannot be loaded.
        foreign: line number and number of columns of the first row, if the file is another kind of table.
        table: the rows, if the file is no TREC file; they are staged already.
    """

    file_id: int
    source: Source
    table: Table | None = None
    text: Text | None = None
    sha256: str = ""
    notes: Notes = field(default_factory=Notes)
    num_rows: int = 0
    is_refused: bool = False
    opposes_ranks: bool = False
    foreign: tuple[int, int] | None = None


@dataclass
class NewRun:
    """A run, the files it is made of, and the keys of the judgment sets to evaluate it with.

    Attributes:
        is_ranking: whether it has ranks and no scores.
        holds_evalues: whether its scores are E-values, by what its files are.
    """

    name: str
    run_id: int
    qrels_ids: Collection[int]
    files: Sequence[StagedFile] = ()
    is_ranking: bool = False
    holds_evalues: bool = False


def rank(database: Database, runs: Sequence[NewRun], options: RunOptions) -> set[tuple[int, str, str]]:
    """Rank the staged rows under the tie rule; returns run_id, topic and document of repeated documents.

    The ranked rows go into the base table if runs are kept whole, else into the temporary table ``all_ranks``.
    ``store`` takes them from there.
    """
    _add_runs(database, runs, options)
    base_rows.add_names(database, "select * from staged_run_rows")
    ranked = ranked_rows(database, owners(runs), options)
    if options.keeps_all:
        _retain(database, ranked)
    else:
        database.execute(f"create or replace temp table all_ranks as\n{ranked}")
    ranked = _ranked(runs, options)
    ((staged, kept),) = database.rows(f"select (select count(*) from staged_run_rows), count(*) from ({ranked})")
    if staged != kept:
        raise QueryError(f"{staged} rows were read and {kept} ranked")
    repeated = relation_query(database.catalog, "repeated_documents", {"ranked": ranked})
    return set(
        database.rows(f"""
            select run_id, topic, document from ({repeated})
            join topics using (topic_id) join documents using (document_id)
        """)
    )


def ranked_rows(database: Database, staged_files: str, options: RunOptions) -> str:
    """A SELECT of the staged rows with keys and ranks; ``staged_files`` is one of file_id and owner_id."""
    inputs = {"staged": _STAGED_IN_ORDER, "staged_files": staged_files}
    rule, lower_is_better = options.tie_rule, options.lower_is_better
    rows = relation_query(database.catalog, "compared_rows", inputs, tie_rule=rule, lower_is_better=lower_is_better)
    if options.ranks_by_score:
        return relation_query(database.catalog, "ranked_by_score", {"compared_rows": rows})
    return relation_query(database.catalog, "ranked_as_given", {"compared_rows": rows}, tie_rule=rule)


def store(database: Database, runs: Sequence[NewRun], options: RunOptions, remarks: Remarks) -> None:
    """Put the ranked rows that are to be kept into the base tables, and evaluate them.

    Args:
        remarks: collects what may mislead in the rows.
    """
    ranked = _ranked(runs, options)
    if options.keep_best:
        count = "select count(*) - count(distinct (topic_id, document_id)) from all_ranks where run_id = runs.run_id"
        database.execute(f"update runs set duplicates = ({count}) where run_id in ({_listed(runs)})")
    if options.keep_best or options.depth or options.judged_by:
        judged_by = dict(database.rows("select qrels, qrels_id from qrels")).get(options.judged_by)
        kept = relation_query(
            database.catalog, "kept_ranks", {"ranked": ranked}, depth=options.depth, judged_by=judged_by
        )
        database.execute(f"create or replace temp table all_ranks as\n{kept}")
    if options.keeps_unjudged and not options.keeps_all:
        _retain(database, ranked)
    if options.tie_rule == "trec_eval":
        remarks.note_ties(database, ranked)
    inputs = {"ranked": ranked, "staged_files": owners(runs)}
    database.insert("run_topics", relation_query(database.catalog, "new_run_topics", inputs))
    pairs = sorted((qrels_id, run.run_id) for run in runs for qrels_id in run.qrels_ids)
    if options.keeps_unjudged:
        base_rows.add_evaluations(database, pairs)
    else:
        judged = relation_query(database.catalog, "judged_or_tied", {"ranked": ranked})
        database.execute(f"create or replace temp table judged_or_tied as\n{judged}")
        base_rows.add_evaluations(database, pairs, "select * from judged_or_tied")
        database.execute("drop table judged_or_tied")
    remarks.note_overlaps(database, pairs, ranked)
    database.execute("drop table if exists all_ranks")
    base_rows.forget_names(database)


def owners(runs: Sequence[NewRun]) -> str:
    """A SELECT of file_id and owner_id: the runs that staged files belong to; rows in memory are staged as file 0."""
    pairs = [(file.file_id, run.run_id) for run in runs for file in run.files] or [(0, runs[0].run_id)]
    return f"select * from (values {', '.join(map(str, pairs))}) as files(file_id, owner_id)"


def _ranked(runs: Sequence[NewRun], options: RunOptions) -> str:
    """A SELECT of the ranked rows."""
    if options.keeps_all:
        return f"select * from retrieved where run_id in ({_listed(runs)})"
    return "select * from all_ranks"


def _retain(database: Database, ranked: str) -> None:
    """Store rows in the order in which they are read: run by run, topic by topic, from the first rank on."""
    database.insert("retrieved", f"select * from (\n{ranked}\n) order by run_id, topic_id, rank")


def _listed(runs: Sequence[NewRun]) -> str:
    return ", ".join(str(run.run_id) for run in runs)


def _add_runs(database: Database, runs: Sequence[NewRun], options: RunOptions) -> None:
    rows = []
    for run in runs:
        notes = [file.notes for file in run.files]
        tags = [tag for note in notes for tag in note.tags]
        last_tag = next((note.last_tag for note in reversed(notes) if note.last_tag), None)
        comments = [comment for note in notes for comment in note.comments]
        rows.append((run.run_id, run.name, last_tag, len(set(tags)), "\n".join(comments)))
    meta = options.meta or {}
    database.execute(
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
            *map(list, zip(*rows, strict=True)),
            *(options.tie_rule, options.lower_is_better, options.depth, options.judged_by),
            *(list(meta), list(meta.values()), __version__),
        ),
    )
